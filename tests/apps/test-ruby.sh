#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Ruby's sockets on LFP: TCP with threads, UDP, server and client
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs ruby python3

program=(ruby "$here/net.rb")
. "$here/echo-program.sh"
finish
