# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-results.sh - for tests of lfp-workload's results, after lib.sh

# asked TEXT EXPRESSION: one test of the results in $json, of which r is the whole and c the cells
asked() {
	check "$1" python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
c = r["cells"]
sys.exit(0 if eval("(" + sys.argv[2] + ")") else 1)' "$json" "$2"
}
