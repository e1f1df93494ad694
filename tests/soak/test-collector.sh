#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/collector with a real collector, which is built from its Go modules: some minutes, and 800 MB of modules the first time
# Time limit: 3000 s
cd "$(dirname "$0")/../.." || exit 1
O=$(cd "${O:-build}" && pwd) || exit 1
export O
PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || { echo "skipped: go is not installed"; exit 77; }
build=$O/tests/soak/collector
mkdir -p "$build" && cp tests/examples/collector/{main.go,go.mod} "$build/" || exit 1
export OTELCOL=$build/otelcol
if ! log=$(cd "$build" && GOFLAGS=-mod=mod GOTOOLCHAIN=local timeout 2400 go build -o otelcol . 2>&1); then
	tail -n 5 <<<"$log"
	echo "skipped: the collector cannot be built: its modules, or a Go of their version, are not there"
	exit 77
fi
exec tests/examples/test-collector.sh
