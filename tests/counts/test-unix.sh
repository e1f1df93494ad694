#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# System calls an operation over unix are those that are checked in
# Time limit: 300 s
LFP_TRANSPORT=unix
. "$(dirname "$0")/counts.sh"
