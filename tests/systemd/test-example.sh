#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/systemd: a service with PrivateNetwork and RestrictAddressFamilies=AF_UNIX
# Time limit: 600 s
. "$(dirname "$0")/lib.sh"
needs curl python3

install_tree || exit 1
run_inside inside-example 300
