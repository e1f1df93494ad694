#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Datagrams where the queues of datagram sockets are as long as systemd makes them at boot
# Time limit: 300 s
exec env DGRAM_QLEN=512 "$(dirname "$0")/test-datagram.sh"
