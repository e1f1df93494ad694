#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# System calls an operation over shm are those that are checked in
# Time limit: 300 s
LFP_TRANSPORT=shm
. "$(dirname "$0")/counts.sh"
