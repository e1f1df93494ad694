# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# class.sh - what a student does who solves exercises of the operator's course; a test sources it

# mend TREE NUMBER...: each as the page of the exercise says
mend() {
	local tree=$1 nr dir
	shift
	for nr; do
		dir=$(echo "$tree/$nr"-*)
		case $nr in
		01 | 02 | 03) cp "$tree/vm-directory" "$dir/" ;;
		04) sed -i 's/MAXCONN 1$/MAXCONN 64/' "$dir/vm-directory" ;;
		05) sed -i 's/LINR20/LINR02/' "$dir/job" ;;
		06) sed -i "s/^IucvDestVMId.*/IucvDestVMId = $(sed -n 's/^USER \(LINS.*\)/\1/p' "$tree/vm-directory")/" "$dir/job" ;;
		07) sed -i 's/^PEER_IUCV_APPNAME.*/PEER_IUCV_APPNAME = TESTV/' "$dir/lfpd-LINR02.conf" ;;
		08) sed -i 's/^MTU_SIZE.*/MTU_SIZE = 8192/' "$dir/lfpd-LINR02.conf" ;;
		09) sed -i '0,/^\/\*$/s//\/*\n\/\/ EXEC IJBLFPOP,PARM='"'STOP 01'"'/' "$dir/job" ;;
		10) sed -i -e 's/^InitialBufferSpace.*/InitialBufferSpace = 512K/; s/^MaxBufferSpace.*/MaxBufferSpace = 4M/' \
			-e '0,/^\/\*$/s//\/*\n\/\/ EXEC IJBLFPOP,PARM='"'STOP 01'"'/' "$dir/job" ;;
		11) sed -i 's/^VSE_HOSTID.*/VSE_HOSTID = 10.0.0.1/' "$dir/lfpd-LINR02.conf" ;;
		12) sed -i '/^lfpd-ctl stop/d; /^read -r line/d' "$dir/job" ;;
		esac
	done
}
