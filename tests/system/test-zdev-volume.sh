#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# zdev volume, and scenarios whose devices have files: the switch for zHPF changes the information
# units of an I/O, and no byte
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

zdev() { "$daemons/zdev" "$@" >"$work/out" 2>"$work/err"; }
says() { grep -qF -- "$1" "$work/out"; }
complains() { grep -qF -- "$1" "$work/err"; }

check_exit 0 "a volume is made" zdev volume "$work/new.ckd" 2
check_exit 1 "not over another file" zdev volume "$work/new.ckd" 2
check "with a message" complains "VLFZ021E Cannot create volume $work/new.ckd: File exists."
check_exit 64 "not of no cylinders" zdev volume "$work/none.ckd" 0
check_exit 64 "not without a size" zdev volume "$work/none.ckd"
check "and nothing is left" test ! -e "$work/none.ckd"

cat >"$work/io.zdev" <<'END'
iecios IECIOS00
time 1003ms
channel 50
control-unit 7800
path 50 7800
device 7800 cu=7800 file=vol-*.ckd
load write devices=7800 rate=100.5 arrivals=even read=0
load read devices=7800 rate=100.5 arrivals=even
END
units() { awk '$3 == "iu" { print $5, $6, $7 }' "$work/out" | sort | uniq -c | sed 's/^ *//'; }
for switch in NO YES; do
	echo "ZHPF=$switch" >"$work/IECIOS00"
	cp "$work/new.ckd" "$work/vol-7800.ckd"
	[ $switch = NO ] && state=DISABLED || state=ENABLED
	check_exit 0 "ZHPF=$switch" zdev display 'D IOS,ZHPF' "$work/io.zdev"
	check "is shown" says "HIGH PERFORMANCE FICON FACILITY IS $state"
	cp "$work/new.ckd" "$work/vol-7800.ckd"
	check_exit 0 "a run" zdev run -q "$work/io.zdev"
	grep '^volume' "$work/out" >"$work/volume-$switch"
	cp "$work/vol-7800.ckd" "$work/$switch.ckd"
	check_exit 0 "its trace" zdev trace "$work/io.zdev"
	units >"$work/units-$switch"
	check_eq "$(grep -c ' status *7800 0C00$' "$work/out")" 200 "each with channel end and device end"
done
check "as many reads and writes as were asked for" \
	grep -q '^volume of device 7800: 100 reads, .* 100 writes, .* 0 errors$' "$work/volume-NO"
check_eq "$(cat "$work/volume-YES")" "$(cat "$work/volume-NO")" "the same bytes were read and written"
check "and the volumes are equal" cmp -s "$work/NO.ckd" "$work/YES.ckd"
check "and they have changed" eval "! cmp -s '$work/NO.ckd' '$work/new.ckd'"
# A read: three commands, then response, data and status. A write: its data go with the last command.
check_eq "$(cat "$work/units-NO")" "200 < command-response 0
100 < data 4096
200 < status 0
100 > command 0
400 > command-data 16
100 > command-data 4096" "CCWs: six units a read, five a write"
check_eq "$(cat "$work/units-YES")" "100 < transfer-ready 0
100 < transport-data 4096
200 < transport-response 0
200 > transport-command 104
100 > transport-data 4096" "zHPF: three units a read, four a write"
echo "ZHPF=NO" >"$work/IECIOS00"
cp "$work/new.ckd" "$work/vol-7800.ckd"
echo 'setios 500ms zhpf=yes' >>"$work/io.zdev"
check_exit 0 "the switch is set while it runs" zdev trace "$work/io.zdev"
check_eq "$(units | grep -E 'command-response|transport-command')" "100 < command-response 0
100 > transport-command 104" "half of the I/Os goes each way"
check_exit 0 "the same once more" zdev run -q "$work/io.zdev"
check "to the same places" eval "grep '^volume' '$work/out' | grep -qF '100 writes'"
check "with the same bytes at the end" cmp -s "$work/vol-7800.ckd" "$work/NO.ckd"

sed -i '/^load write/d; /^iecios/d; /^setios/d' "$work/io.zdev"
printf 'CKD_P370' >"$work/vol-7800.ckd"
check_exit 78 "an invalid image" zdev run "$work/io.zdev"
check "is named, with the line" complains \
	"VLFZ020E $work/io.zdev:5: device 7800: $work/vol-7800.ckd: it is shorter than a device header."
rm "$work/vol-7800.ckd"
check_exit 69 "an image that is not there" zdev run "$work/io.zdev"
check "is named" complains "vol-7800.ckd: No such file or directory."
if PATH=$PATH:/usr/sbin command -v dasdinit >/dev/null; then
	(cd "$work" && PATH=$PATH:/usr/sbin dasdinit vol-7800.ckd 3390 HERC01 2 >/dev/null 2>&1)
	check_exit 0 "a volume of Hercules without our records" zdev run -q "$work/io.zdev"
	check "has no record found" says '; 100 errors, the last with sense 00 08'
	check "which its load has seen" says '100 with an error'
else
	skip_part "dasdinit is not installed"
fi
sed -i 's/vol-\*.ckd/scratch cylinders=2/' "$work/io.zdev"
check_exit 0 "a volume for one run" zdev run -q "$work/io.zdev"
check "is there" says 'volume of device 7800: 100 reads'
for type in FC FCP; do
	mkfifo "$work/fifo-$type"
	[ $type = FCP ] && option=type=FCP || option=
	cat >"$work/fifo.zdev" <<-END
		time 1ms
		channel 50 $option
		control-unit 7800
		path 50 7800
		device 7800 cu=7800 file=fifo-$type
		load a devices=7800 streams=1
	END
	check_exit 78 "$type: a FIFO as a file" zdev run "$work/fifo.zdev"
	check "is named" complains "VLFZ020E $work/fifo.zdev:5: device 7800: $work/fifo-$type: it is no"
done

corrupt() { # FRAMES
	cat >"$work/corrupt.zdev" <<-END
		zhpf yes
		time 1003ms
		key-server own
		channel 50 fces=yes preset=FEx8S
		control-unit 7800 fces=yes
		path 50 7800${1:+ corrupt-frames=$1}
		device 7800 cu=7800 file=scratch cylinders=5
		load a devices=7800 rate=499.5 arrivals=even read=50 bytes=16K
	END
	zdev run -q "$work/corrupt.zdev"
}
check_exit 0 "a path that changes nothing" corrupt
check "drops nothing" grep -qE "encrypted, ([0-9]+) frames sealed, \1 opened, 0 dropped" "$work/out"
cp "$work/out" "$work/clean"
check_exit 0 "a path that changes one frame in a hundred" corrupt 100
check "drops those" python3 -c 'import re, sys
sealed, opened, dropped = map(int, re.search(r"(\d+) frames sealed, (\d+) opened, (\d+) dropped", open(sys.argv[1]).read()).groups())
assert sealed > 5000 and dropped == sealed // 100 and opened == sealed - dropped' "$work/out"
writes() { grep -o '[0-9]* writes, hash [0-9a-f]*; 0 errors' "$1"; }
check_eq "$(writes "$work/out")" "$(writes "$work/clean")" "and writes the same in the end"
check_exit 0 "a path that changes every frame" corrupt 1
check "comes to nothing" says 'load a: 0.0 I/Os a second'
check "a generation whose code is not known" says 'FEx8S, G --, 8 Gbps'
zdev report -q "$work/corrupt.zdev" channel
check "in the report neither" grep -qE '^ 50 FC +-- +8G' "$work/out"

full() { "$daemons/zdev" "$@" >/dev/full 2>"$work/err"; }
if [ -c /dev/full ]; then
	for verb in run trace report "display|D IOS,ZHPF"; do
		IFS='|' read -r -a words <<<"$verb"
		check_exit 1 "zdev ${words[0]} on a full disk" full "${words[@]}" "$work/io.zdev"
		check "with the reason" complains "No space left on device."
	done
else
	skip_part "there is no /dev/full"
fi
finish
