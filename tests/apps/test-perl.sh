#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Perl's IO::Socket::IP on LFP: TCP with fork, UDP, server and client
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs perl python3

program=(perl "$here/net.pl")
. "$here/echo-program.sh"
finish
