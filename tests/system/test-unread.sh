#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# TCP_INQ without the kernel's SO_INQ, as before Linux 6.17: the library reports the same counts
# Time limit: 300 s
O=${O:-build}
here=$(dirname "$0")
export TIERS=preload
exec "$O/tests/system/old-kernel" "$here/../conformance/run" unread
