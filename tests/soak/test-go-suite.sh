#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Go's own tests of its packages net and net/http on LFP
# Time limit: 1800 s
GO_PACKAGES="net net/http" exec "$(dirname "$0")/../apps/test-go-suite.sh"
