#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 100,000 random sequences of socket calls in each tier, beside the kernel
# Time limit: 7200 s
export ORACLE_SEED=${ORACLE_SEED:-$((RANDOM * 32768 + RANDOM))}
ORACLE_SEQUENCES=${ORACLE_SEQUENCES:-100000} exec "$(dirname "$0")/../campaign/test-oracle.sh"
