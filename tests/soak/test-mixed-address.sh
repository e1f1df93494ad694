#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A mixed load of programs, with lfpd, the instance and the supervisor under the address sanitizer
exec "$(dirname "$0")/mixed-load.sh" address
