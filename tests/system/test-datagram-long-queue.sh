#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Datagrams with queues of datagram sockets as long as systemd sets them at boot
# Time limit: 300 s
exec env DGRAM_QLEN=512 "$(dirname "$0")/test-datagram.sh"
