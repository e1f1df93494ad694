# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-errors.sh - the errors of an operator, as docs/via.md has them; a test that boots the appliance sources this behind lib.sh
#
# The test has appliance_start, appliance_up and appliance_cut; ask COMMAND and answers TEXT COMMAND, which ask the appliance; and
# write_disk, which writes the files of $work/conf to the disk: via.conf, lfpd-VSE1.conf, lfpd-VSE2.conf, without errors.

again() { # its power goes, and it boots
	appliance_cut
	appliance_start
	appliance_up
}
serving() { ask QUERY 2>&1 | sed -n 's/^Instances *: //p'; }
both() { [ "$(serving)" = "2, of which 2 serve" ]; }
one() { [ "$(serving)" = "2, of which 1 serve" ]; }
# change FILE SCRIPT: by sed; the files without the change are in $work/good
change() {
	rm -rf "$work/good" && cp -r "$work/conf" "$work/good" && sed -i "$2" "$work/conf/$1" && write_disk
}
good_again() {
	rm -rf "$work/conf" && cp -r "$work/good" "$work/conf" && write_disk
}

error_in_one_file() {
	change lfpd-VSE2.conf 's/^MTU_SIZE.*/MTU_SIZE = many/'
	check_exit 78 "an error in one file: RELOAD" into "$work/answer" ask RELOAD
	check "- prints the file, the line and the reason" \
		grep -qE '^VSE2: VLFD020E Configuration error: /config/lfpd-VSE2\.conf:[0-9]+: MTU_SIZE: must be decimal digits\.$' "$work/answer"
	check "- both go on" both
	check "- and LIST repeats the reason" answers '^VSE2  *running .*lfpd-VSE2\.conf:[0-9]+: MTU_SIZE' LIST
	again
	check "- after a boot that one does not serve" wait_for 60 one
	check "- LIST says why" answers '^VSE2  *no good configuration .*lfpd-VSE2\.conf:[0-9]+: MTU_SIZE' LIST
	good_again
	check "- the corrected file is taken" answers '^Generation [0-9]* of the configuration is read\.$' RELOAD
	check "- and it serves" wait_for 60 both
}

# lfp-via config writes no such file: it comes from another version, or from another program.
error_in_via_conf() {
	printf 'ADDRESS = many\n' >>"$work/conf/via.conf"
	check_exit 78 "an error in via.conf: lfp-via config" write_disk
	check "- says the line and the reason" grep -q '^VLFD521E via\.conf:[0-9]*: ADDRESS: must be ADDRESS/PREFIX' "$work/written.log"
	sed -i '$d' "$work/conf/via.conf"
	change via.conf '1i # old'
	change via.conf '1s/.*/# new/'
	"$top/tests/via/spoil.py" "$work/disk" '# new' 'new ?' || die "the disk cannot be changed"
	check_exit 78 "- a disk with such a file: RELOAD" into "$work/answer" ask RELOAD
	check "- says it, too" grep -q 'VLFD521E via\.conf:1: ' "$work/answer"
	check "- the last good one stays in force" both
	again
	check "- after a boot, that of the disk's other half" wait_for 60 both
	check "- which the console says" console_says 'VLFD525W via\.conf of generation [0-9]*, the last good one, is used'
	"$top/tests/via/spoil.py" "$work/disk" '# old' 'old ?' || die "the disk cannot be changed"
	again
	check "- without a good one, the console says what is wrong" console_says 'VLFD521E via\.conf:1: '
	check "- and nobody may give commands" nobody_may_ask
	sed -i 1d "$work/conf/via.conf"
	write_disk
	again
	check "- until a good one is written, and it boots" wait_for 60 both
}

instance_waits() {
	change lfpd-VSE2.conf 's/^VSE_HOSTID.*/VSE_HOSTID = 10.0.5.9/'
	again
	check "an address that via.conf does not have: the instance waits" wait_for 60 answers '^VSE2  *waits .*VLFD012E' LIST
	check "- and the other one serves" wait_for 60 one
	good_again
	ask RELOAD >/dev/null 2>&1
	check "- the corrected file serves" wait_for 120 both
}

no_configuration() {
	head -c 1M /dev/zero >"$work/disk"
	again
	check "an empty disk: it is up without a configuration" console_says 'VLFD550I .*configuration 0\.'
	write_disk
	check "- and finds the one that is written later" wait_for 120 both
}

user_errors() {
	error_in_one_file
	error_in_via_conf
	instance_waits
	no_configuration
}
