#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# z/VSE jobs: those of the presentation, the skeletons, and wrong ones
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

export LFP_VMID=LINLFP
job() { "$bin/vsejob" "$@" >"$work/out" 2>"$work/err" </dev/null; }
says() { grep -q -- "$1" "$work/out"; }
tells() { grep -q -- "$1" "$work/err"; }
# runs standard input as a job
run_text() {
	cat >"$work/job"
	job "$work/job"
}
show() { cat "$work/out" "$work/err"; }

lfpd_conf LINR02
cp "$top/tests/data/lfpd-LINR02.conf" "$conf"
"$bin/lfpd-ctl" start LINR02 >/dev/null || die "lfpd does not start"

check_eq "$(cat "$top/tests/data/jobs/lfpstart" "$top/tests/data/jobs/edctcpmc" | sha256sum | cut -c 1-16)" 4a852369df53c4b4 "the stored text"
check_eq "$(grep -vE '^(// JOB|/&)' "$top/skeletons/62/EDCTCPMC")" "$(cat "$top/tests/data/jobs/edctcpmc")" \
	"library 62 has the presentation's source, byte for byte"
export LFP_VMID=VSER05
check_exit 0 "LFPSTART of the presentation" job "$top/tests/data/jobs/lfpstart" || show
check "ends as a job" says '^EOJ LFPSTART MAX.RETURN CODE=0000 '
check "instance 01 is up" grep -q 'INSTANCE 01 HAS' <("$bin/ijblfpop" LIST)
check_exit 0 "EDCTCPMC of the presentation" job "$top/tests/data/jobs/edctcpmc" || show
check_eq "$(cat "$LFP_ROOT/etc/vselfp/edctcpmc")" "00 \$EDTCPV
01 IJBLFPLE
02 BSTTTCP6" "installs the three system ids"
export LFP_VMID=LINLFP

check_exit 0 "SKLFPPLST" job "$top/skeletons/59/SKLFPPLST"
check "lists" says '^ *INSTANCE 01 HAS'
check_exit 0 "SKLFPINF" job "$top/skeletons/59/SKLFPINF"
check "informs" says "LFPB024I END OF INFO ABOUT LFP INSTANCE '01'."
check_exit 0 "SKLFPSTO" job "$top/skeletons/59/SKLFPSTO"
check "stops" grep -q 'ACTIVE LFP INSTANCES: 0' <("$bin/ijblfpop" LIST)
export LFP_VMID=VSER05
check_exit 0 "SKLFPSTA" job "$top/skeletons/59/SKLFPSTA" || show
export LFP_VMID=LINLFP
check_exit 0 "EDCTCPMC of library 62" job "$top/skeletons/62/EDCTCPMC"

run_text <<'END'
// JOB COND
// SETPARM LFP$ID=01
// EXEC sh,PARM='-c true'
// IF $RC = 0 THEN
// GOTO OVER
// EXEC sh,PARM='-c false'
/. OVER
// IF $RC > 0 THEN
// EXEC IJBLFPOP,PARM='NONSENSE'
data that is passed over
/*
// ON $RC >= 4 GOTO LAST
// EXEC IJBLFPOP,PARM='INFO 77'
// EXEC IJBLFPOP,PARM='INFO 78'
// EXEC IJBLFPOP,PARM='START NEVER'
/. LAST
* the end
/&
END
check "GOTO passes statements over" eval 'says "^SKIPPED // EXEC sh,PARM=.-c false" && ! says "^// EXEC sh,PARM=.-c false"'
check "IF passes an EXEC over with its data" eval 'says "^SKIPPED data that is" && ! tells NONSENSE && ! tells "is not a .*statement"'
check "ON goes to its label" eval 'says "the end" && tells "77" && ! tells "78" && ! tells NEVER'
check "the greatest return code counts" says 'EOJ COND MAX.RETURN CODE=0004'

run_text <<'END'
// JOB DATA
// SETPARM LFP$ID=01
// EXEC cat
one
  two
* three
/*
/&
END
check_eq "$(sed -n 4,6p "$work/out")" "one
  two
* three" "SYSIPT is standard input"
ends_with() { check_eq "$(sed -n "/^1S55I/d; s/ *DATE .*//; $1" "$work/out")" "$2" "$3"; } # LINES TEXT NAME
run_text <<'END'
// JOB ASTERISK
// SETPARM LFP$ID=01
// EXEC cat
* data
* more of it
and the rest
/*
// EXEC cat
* the only data
/*
// EXEC cat
* a comment
* another one
// EXEC cat
* the last comment
/&
END
ends_with '4,$p' "* data
* more of it
and the rest
// EXEC cat
* the only data
// EXEC cat
* a comment
* another one
// EXEC cat
* the last comment
EOJ ASTERISK MAX.RETURN CODE=0000" "asterisks are data if data follows, else comments"
sed 's/^ID = 01/* The statements of\n# our instance\n&/' "$top/tests/data/jobs/lfpstart" >"$work/commented"
check "a START job with comments" grep -qx '\* The statements of' "$work/commented"
"$bin/ijblfpop" STOP 01 || die "instance 01 does not stop"
LFP_VMID=VSER05 check_exit 0 "START takes statements that begin with a comment" job "$work/commented" || show

run_text <<'END'
// JOB ENDS
// SETPARM LFP$ID=01
// ON $RC GE 16 GOTO L
// EXEC sh
kill -9 $$
/*
// EXEC sh,PARM='-c never'
/. L
// IF $RC = 16 THEN
// EXEC echo,PARM='at L'
/&
END
check "// ON decides after a step that a signal ended" eval 'says "^at L$" && ! says ^never && tells VLFB602E' || show
check "its return code is 16" says 'EOJ ENDS MAX.RETURN CODE=0016'
run_text <<'END'
// JOB ENDS
// SETPARM LFP$ID=01
// EXEC sh
kill -9 $$
/*
// EXEC echo,PARM='never'
/&
END
check "without one the job ends" eval '! says ^never && says "EOJ ENDS MAX.RETURN CODE=0016"' || show
run_text <<'END'
// JOB A
// IF $RC > 0 THEN
//  JOB B
// IF $RC > 0 THEN
/&
// EXEC IJBLFPOP,PARM='LIST',REAL,SIZE=GO
END
check "// IF never passes over a JOB or an end of job" eval 'says "^EOJ A " && says "^EOJ B " && says LFPB026I && says "^EOJ NO NAME MAX.RETURN CODE=0000"' || show

parms=$LFP_ROOT/run/vselfp/setparm
at_once() { # ROUND
	local n pids=()
	for n in 1 2 3 4 5 6 7 8; do
		"$bin/vsejob" "$work/parm$n" >/dev/null & pids+=($!)
	done
	wait "${pids[@]}"
	[ "$(sort "$parms" | tr '\n' ' ')" = "A1=$1 A2=$1 A3=$1 A4=$1 A5=$1 A6=$1 A7=$1 A8=$1 " ]
}
kept() {
	local round n
	for round in 1 2 3 4 5; do
		for n in 1 2 3 4 5 6 7 8; do
			printf '%s\n' "// JOB PARM" "// SETPARM SYSTEM A$n=$round" "/&" >"$work/parm$n"
		done
		at_once $round || return 1
	done
}
check "SETPARM SYSTEM of eight jobs at once: none is lost" kept || cat "$parms"
rm "$parms"

# which instance a step uses: the statements of SKLFPACT move an unchanged program to LFP
cat >"$work/where.py" <<'END'
import socket
s = socket.socket()
s.bind(("10.0.0.1", 0))
print("local", s.getsockname()[0])
END
step() { # STATEMENT...
	printf '%s\n' "// JOB STEP" "$@" "// EXEC python3,PARM='//$work/where.py'" "/&" >"$work/job"
	unshare --net -- "$bin/vsejob" "$work/job" >"$work/out" 2>"$work/err"
}
step "$(cat "$top/skeletons/59/SKLFPACT")"
check "SKLFPACT's statements move a program to LFP" says 'local 10.0.0.1' || show
step
check "without them it does not reach LFP, and says why" \
	tells 'System id 00 (default) is not an LFP instance: its interface phase belongs to another stack' || show
step "// OPTION SYSPARM='77'"
check "nor does an id that the table lacks" \
	tells "System id 77 (// OPTION SYSPARM) is not an LFP instance: the multiplexer's table has no entry" || show
step "// OPTION SYSPARM='01'"
check "SYSPARM" says 'local 10.0.0.1'
step "// SETPARM SYSTEM LFP\$ID=01"
check "SETPARM SYSTEM" says 'local 10.0.0.1'
step "// SETPARM LFP\$ID=02"
check "SETPARM of the job comes before SETPARM SYSTEM" tells 'System id 02 (// SETPARM LFP$ID)'
step "// SETPARM SYSTEM LFP\$ID="
check "SETPARM SYSTEM is taken back" tells 'System id 00 (default)'
LFP_ID=01 step
check "vsejob's own environment does not count" tells 'System id 00 (default)'
printf '%s\n' "// JOB ENVAR" "// SETPARM LFP\$ID=02" \
	"// EXEC python3,PARM='ENVAR(\"LFP\$ID=01\")//$work/where.py'" "/&" >"$work/job"
unshare --net -- "$bin/vsejob" "$work/job" >"$work/out" 2>"$work/err"
check "ENVAR LFP\$ID comes before SETPARM" says 'local 10.0.0.1' || show

cat >"$work/late.py" <<END
import os, socket
os.environ["LFP\$ID"] = "01"
exec(open("$work/where.py").read())
END
echo "05 IJBLFPLE" >>"$LFP_ROOT/etc/vselfp/edctcpmc"
shim=$O/lib/libvsesock-preload.so
unshare --net -- env LFP_SETPARM='LFP$ID=05' LD_PRELOAD="$shim" python3 "$work/late.py" >"$work/out" 2>"$work/err"
check "a variable that the program sets before its first socket call counts" says 'local 10.0.0.1' || show
unshare --net -- env LFP_SETPARM='LFP$ID=05' LD_PRELOAD="$shim" python3 "$work/where.py" >"$work/out" 2>"$work/err"
check "without it SETPARM does" tells 'Network is down' || show

# the columns of EZASOKET and EZASMI, and of the SOCKET macro, as programs of these interfaces see them
cat >"$work/columns" <<END
echo "EZASOKET \$("$O/tests/eza/places" first \$1), EZASMI \$("$O/tests/ezasmi/calls" first \$1), SOCKET \$("$O/tests/csi/calls" first \$2)"
END
columns() { # TCPNAME ID STATEMENT...: ERRNO and the instance, if there is one
	local tcpname=$1 id=$2
	shift 2
	printf '%s\n' "// JOB COLUMNS" "$@" "// EXEC sh,PARM='//$work/columns $tcpname $id'" "/&" >"$work/job"
	unshare --net -- "$bin/vsejob" "$work/job" 2>"$work/err" | grep '^EZASOKET'
}
check_eq "$(columns SOCKET05 "" "// SETPARM LFP\$ID=01" "// OPTION SYSPARM='02'")" \
	"EZASOKET 0 01, EZASMI 0 01, SOCKET 0 1117" "SETPARM LFP\$ID is EZA's and comes before TCPNAME; SYSPARM is the SOCKET macro's"
check_eq "$(columns SOCKET05 01 "// OPTION SYSPARM='01'")" \
	"EZASOKET 1117, EZASMI 1117, SOCKET 0 0 01" "TCPNAME comes before SYSPARM"
check_eq "$(columns TCPIP 05 "// OPTION SYSPARM='01'")" \
	"EZASOKET 0 01, EZASMI 0 01, SOCKET 0 1117" "ID= comes before SYSPARM, which does without TCPNAME"

step "// OPTION SYSPARM='02'"
check "BSTTTCP6 is known, too" tells 'its interface phase belongs to another stack, IPv6/VSE (BSTTTCP6), and mux.conf names no stack for it' || show
shim_at() { # SYSID: what a program's socket() says that is preloaded, whatever chose the id
	env "LFP\$ID=$1" LD_PRELOAD="$shim" python3 -c '
import errno, socket
try: socket.socket(); print("made")
except OSError as e: print(errno.errorcode[e.errno])' 2>&1
}
for id in 00 02 77 XX; do check_eq "$(shim_at $id)" ELIBACC "socket() with system id $id: ELOAD"; done
check_eq "$(shim_at 01)" made "and with one of LFP"
mux=$LFP_ROOT/etc/vselfp/mux.conf
cat >"$work/compare.py" <<'END'
import os, socket
s = socket.socket()
s.bind(("10.0.0.1", 0))
print("over", "LFP" if os.environ.get("LD_PRELOAD") else "the host", s.getsockname()[0])
END
compare() { # SYSID
	printf '%s\n' "// JOB COMPARE" "// OPTION SYSPARM='$1'" "// EXEC python3,PARM='//$work/compare.py'" "/&" >"$work/job"
	job "$work/job"
}
printf '# a comment\n\nHOST_SOCKETS = no\n' >"$mux"
compare 00
check "HOST_SOCKETS = no: as without the file" tells 'VLFB724E System id 00' || show
echo 'host_sockets=YES' >"$mux"
compare 00
check "HOST_SOCKETS = yes: the host's sockets" says 'over the host 10.0.0.1' || show
compare 02
check "for the other stack, too" says 'over the host 10.0.0.1' || show
compare 01
check "the same program over LFP, by its system id" says 'over LFP 10.0.0.1' || show
compare 77
check "an id without an entry stays refused" tells 'System id 77.*has no entry'
printf '\nHOST_SOCKETS = perhaps\n' >"$mux"
compare 00
check "a wrong line is refused" eval 'tells "VLFB726E .*mux.conf:2: only HOST_SOCKETS" && says "RETURN CODE=0078"' || show
rm "$mux"

mkdir -p "$LFP_ROOT/etc/vselfp/libr/PRD2/CONFIG"
sed -n '/^ID = /,/^WindowThreshold/p' "$top/tests/data/jobs/lfpstart" | sed 's/ID = 01/ID = 07/; s/LINR02/LINR07/' \
	>"$LFP_ROOT/etc/vselfp/libr/PRD2/CONFIG/LFP07.L"
run_text <<'END'
// JOB MEMBER
// DLBL PRD2,'VSE.PRD2.LIBRARY'
// LIBDEF *,SEARCH=(PRD2.CONFIG)
// ID USER=VSEOP
// ON $RC > 0 CONTINUE
// EXEC IJBLFPOP,PARM='START DD:PRD2.CONFIG(LFP07.L)'
// EXEC IJBLFPOP,PARM='START DD:PRD2.CONFIG(LFP08.L)'
/&
END
check "statements of a library's member" tells 'VLFB030E Instance 07 cannot reach lfpd LINR07' || show
check "a member that is missing" tells 'VLFB002E Cannot read the statements in .*/libr/PRD2/CONFIG/LFP08.L: No such file'
check "DLBL, LIBDEF and ID are accepted" eval '! tells VLFB601E'

# wrong ones: message with line and reason, return code, the next job runs
wrong() { # TEXT REASON, the job on standard input
	local rc
	run_text
	rc=$?
	check_eq $rc 16 "$1: return code"
	check "$1: says '$2'" tells "$2" || show
}
wrong "an unknown statement" ':2: .FOO. is not a known statement of job control' <<'END'
// JOB A
// FOO
/&
END
wrong "no end" ':1: the stream ends before /&' <<'END'
// JOB A
END
wrong "no end behind a step that failed" ':5: the stream ends before /&' <<'END'
// JOB A
// SETPARM LFP$ID=01
// EXEC sh
exit 16
/*
END
wrong "an operand that is none" ":2: EXEC: 'FOO' is not known" <<'END'
// JOB A
// EXEC cat,FOO=GO
/&
END
wrong "no end of POWER's" ':3: the stream ends before \* \$\$ EOJ' <<'END'
* $$ JOB JNM=A
// JOB A
/&
END
wrong "a quote that is open" ':2: EXEC: a quote is not closed' <<'END'
// JOB A
// EXEC IJBLFPOP,PARM='LIST
/&
END
wrong "another source for the assembler" "'LR *1,2' is not a statement of the source EDCTCPMC" <<'END'
// JOB A
// EXEC ASMA90
 LR 1,2
/*
/&
END
wrong "a label that does not come" 'label NOWHERE of GOTO was not found' <<'END'
// JOB A
// GOTO NOWHERE
/&
END
wrong "no such program" ':2: NOSUCH: there is no such program' <<'END'
// JOB A
// EXEC NOSUCH
/&
END
run_text <<'END'
// JOB BAD
// FOO
// EXEC IJBLFPOP,PARM='LIST'
/&
// JOB GOOD
// EXEC IJBLFPOP,PARM='LIST'
/&
END
check "a wrong job ends, the next one runs" eval 'says "EOJ BAD MAX.RETURN CODE=0016" &&
	says "EOJ GOOD MAX.RETURN CODE=0000" && [ "$(grep -c LFPB026I "$work/out")" = 1 ]'
check_exit 69 "no such file" job "$work/none"
check_exit 64 "no argument" job

# 100 mutations of a job: each ends, with a message or well
mutations() {
	python3 - "$top/tests/data/jobs/edctcpmc" "$bin/vsejob" <<'END'
import random, subprocess, sys
text = open(sys.argv[1], "rb").read() + b"/&\n"
rng = random.Random(1)
bad = 0
for n in range(100):
    data = bytearray(text)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data))
        how = rng.randrange(3)
        if how == 0:
            data[at] = rng.randrange(256)
        elif how == 1:
            del data[at:at + rng.randint(1, 30)]
        else:
            data[at:at] = bytes(rng.choice(b"'(),=$/*& X") for _ in range(rng.randint(1, 5)))
    r = subprocess.run([sys.argv[2], "-"], input=bytes(data), capture_output=True, timeout=100)
    wrong = r.returncode < 0 or r.returncode > 69 or (r.returncode != 0 and b"VLFB" not in r.stderr + r.stdout)
    if wrong:
        bad += 1
        print(r.returncode, bytes(data), r.stderr, file=sys.stderr)
sys.exit(bad != 0)
END
}
check "100 mutated jobs end, and errors are reported" mutations

# 100 mutations of START's statements, and of the directory: a message with line or keyword, a return code
mutated_configurations() {
	LFP_VMID=VSER05 python3 - "$top/samples/vm-directory" "$LFP_ROOT/etc/vselfp/vm-directory" "$bin/ijblfpop" "$1" <<'END'
import random, re, subprocess, sys
sample, place, program, which = sys.argv[1:]
statements = (b"ID = 09\nMTU = 8192\nIucvMsgLimit = 1024\nInitialBufferSpace = 512K\nMaxBufferSpace = 4M\n"
              b"IucvSrcAppName = TESTV\nIucvDestAppName = LINR09\nIucvDestVMId = LINLFP\nWindowSize = 65535\n"
              b"WindowThreshold = 25\n")
directory = open(sample, "rb").read()
directory = directory[directory.index(b"USER VSER05"):]
rng = random.Random(2)
def mutate(text):
    data = bytearray(text)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data))
        how = rng.randrange(3)
        if how == 0: data[at] = rng.randrange(256)
        elif how == 1: del data[at:at + rng.randint(1, 20)]
        else: data[at:at] = bytes(rng.choice(b"=0KM* \nX-/") for _ in range(rng.randint(1, 4)))
        if not data: data = bytearray(b"\n")
    return bytes(data)
bad = refused = 0
for n in range(100):
    if which == "directory":
        open(place, "wb").write(mutate(directory))
        text = statements
    else:
        text = mutate(statements)
    r = subprocess.run([program, "START DD:SYSIPT"], input=text, capture_output=True, timeout=100)
    out = r.stderr.decode("latin1")
    # lfpd LINR09 does not exist: a START that is not refused earlier reports that.
    good = {78: r"VLFB003E Error in the statements: SYSIPT:(\d+:)? .+[.]$", 69: r"VLFB(030|042)E .+[.]$"}.get(r.returncode, "(?!)")
    refused += r.returncode == 78 or "VLFB042E" in out
    if not re.search(good, out, re.M):
        bad += 1
        print(r.returncode, text, out, file=sys.stderr)
sys.exit(bad != 0 or refused < 20)
END
}
check "100 mutated START statements: refused with line and reason, or without effect" mutated_configurations statements
check "100 mutated directories: refused with a reason, or without effect" mutated_configurations directory
rm "$LFP_ROOT/etc/vselfp/vm-directory"

"$bin/ijblfpop" STOP 01 >/dev/null 2>&1
vm() { # ERRNO REASON, the directory on standard input
	cat >"$LFP_ROOT/etc/vselfp/vm-directory"
	LFP_VMID=VSER05 job "$top/tests/data/jobs/lfpstart"
	check "z/VM: $1: $2" tells "VLFB042E.*from VSER05 to LINLFP ($1).*$2" || show
	check "and the job fails" says 'EOJ LFPSTART MAX.RETURN CODE=0008'
}
vm ENETUNREACH "USER LINLFP is missing" <<'END'
USER VSER05
IUCV ANY
END
vm EACCES "the entry of VSER05 has neither IUCV ANY nor IUCV LINLFP" <<'END'
USER VSER05
USER LINLFP
END
vm EINVAL "vm-directory:2: 'IUVC' is not USER" <<'END'
USER VSER05
IUVC ANY
END
cp "$top/samples/vm-directory" "$LFP_ROOT/etc/vselfp/vm-directory"
sed -i 's/MSGLIMIT 1024/MSGLIMIT 9/; s/IUCV ANY/OPTION MAXCONN 1/; 0,/OPTION MAXCONN 64/{//d}' \
	"$LFP_ROOT/etc/vselfp/vm-directory"
LFP_VMID=VSER05 job "$top/tests/data/jobs/lfpstart"
check "z/VM: allowed" says 'EOJ LFPSTART MAX.RETURN CODE=0000' || show
check_eq "$(info 01 'MESSAGE LIMIT IN USE') $(status LINR02 'Message limit in use')" "9 9" "z/VM: the directory's message limit is the smallest"
check "and START reports it" tells '^VLFB043I Message limit is 1024 here and 9 in the z/VM directory.$' || show
sed 's/ID = 01/ID = 02/; s/TESTV/TESTW/' "$top/tests/data/jobs/lfpstart" >"$work/second"
LFP_VMID=VSER05 job "$work/second"
check "z/VM: EAGAIN: MAXCONN" tells 'VLFB042E.*(EAGAIN): VSER05 has as many paths as its OPTION MAXCONN allows, 1' || show
log=$LFP_ROOT/run/vselfp/01/log
sed -i '/IUCV ALLOW/d; s/MAXCONN 1$/MAXCONN 64/' "$LFP_ROOT/etc/vselfp/vm-directory"
LFP_VMID=LINLFP "$bin/lfpd-ctl" restart LINR02 >/dev/null
refused() { [ "$(grep -c 'VLFB042E.*(EACCES).*the entry of VSER05 has neither' "$log")" = 1 ]; }
check "z/VM: a missing authorisation for the next path is logged once" wait_for 30 refused || cat "$log"
echo "IUCV ALLOW" >>"$LFP_ROOT/etc/vselfp/vm-directory"
check "z/VM: with it there is a path again" wait_for 30 instance_up 01
check "reported once" refused
check_exit 0 "stop" "$bin/ijblfpop" STOP 01
finish
