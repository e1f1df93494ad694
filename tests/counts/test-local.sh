#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# System calls an operation over local are those that are checked in
# Time limit: 300 s
LFP_TRANSPORT=local
. "$(dirname "$0")/counts.sh"
