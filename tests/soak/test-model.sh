#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every crossing of more steps on one socket, with sanitizers
# Time limit: 7200 s
export MODEL_DEPTH=${MODEL_DEPTH:-6} MODEL_SECONDS=${MODEL_SECONDS:-3600} O=${O_SAN:-${O:-build}/san-address}
exec "$(dirname "$0")/../campaign/test-model.sh"
