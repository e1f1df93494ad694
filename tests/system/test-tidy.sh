#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# rpm/tidy.sh, which runs after a package was removed: files that it removes, and files of others
. "$(dirname "$0")/lib.sh"

own_tree=(unshare --mount -- sh -c 'mount -t tmpfs tmpfs /etc && mount -t tmpfs tmpfs /run && exec "$@"' sh)
why=$("${own_tree[@]}" true 2>&1) || skip "no /etc and /run of the test's own: $why"
tidy=${TIDY:-$top/rpm/tidy.sh}
background runs sleep 1000
runs=$!
background ends true
ends=$!
wait "$ends"

# Remains of four directories, a file, a link to it and a dangling link; $1: the script's argument
cat >"$work/try" <<-'END'
	for instance in vselfpd/RUNS vselfpd/KILLED vselfp/01 vselfp/02; do mkdir -p "/run/$instance"; done
	echo "$2" | tee /run/vselfpd/RUNS/pid >/run/vselfp/01/pid
	echo "$3" | tee /run/vselfpd/KILLED/pid >/run/vselfp/02/pid
	mkdir -p /etc/opt/ibm/vselfpd/confs-enabled
	cd /etc/opt/ibm/vselfpd/confs-enabled && : >mine && ln -s mine to-mine && ln -s nowhere lost || exit
	sh "$4" "$1" || exit
	find /run /etc/opt -type f -o -type l | sort | tr '\n' ' '
END
left_by() { "${own_tree[@]}" sh "$work/try" "$1" "$runs" "$ends" "$tidy"; }

confs=/etc/opt/ibm/vselfpd/confs-enabled
running="/run/vselfp/01/pid /run/vselfpd/RUNS/pid"
all="/run/vselfp/01/pid /run/vselfp/02/pid /run/vselfpd/KILLED/pid /run/vselfpd/RUNS/pid"
check_eq "$(left_by remove)" "$confs/lost $confs/mine $confs/to-mine $running " ".deb: a running instance keeps its directory"
check_eq "$(left_by 0)" "$confs/mine $confs/to-mine $running " ".rpm: a running instance keeps its directory"
check_eq "$(left_by purge)" "$confs/mine $confs/to-mine $all " "purge: only files of others stay"
check_eq "$(left_by upgrade)" "$confs/lost $confs/mine $confs/to-mine $all " "upgrade: nothing goes"
check_eq "$(left_by 1)" "$confs/lost $confs/mine $confs/to-mine $all " ".rpm's upgrade: nothing goes"
finish
