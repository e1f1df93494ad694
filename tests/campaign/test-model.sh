#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every crossing of up to MODEL_DEPTH (4) steps on one socket, with the real code of both daemons
# Time limit: 300 s
O=${O:-$(dirname "$0")/../../build}
exec "$O/tests/campaign/model" "${MODEL_SECONDS:-240}" "${MODEL_DEPTH:-4}"
