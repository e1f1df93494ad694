#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# z/VSE jobs: those of the presentation, the skeletons, and what vsejob makes of wrong ones
# Time limit: 120 s
. "$(dirname "$0")/lib.sh"

export LFP_VMID=LINLFP
job() { "$bin/vsejob" "$@" >"$work/out" 2>"$work/err" </dev/null; }
says() { grep -q -- "$1" "$work/out"; }
tells() { grep -q -- "$1" "$work/err"; }
# what is on standard input, as a job
run_text() {
	cat >"$work/job"
	job "$work/job"
}
show() { cat "$work/out" "$work/err"; }

lfpd_conf LINR02
cp "$top/tests/data/lfpd-LINR02.conf" "$conf"
"$bin/lfpd-ctl" start LINR02 >/dev/null || die "lfpd does not start"

# --- the presentation's jobs, as they stand there ---
export LFP_VMID=VSER05
check_exit 0 "LFPSTART of the presentation" job "$top/tests/data/jobs/lfpstart" || show
check "ends as a job" says '^EOJ LFPSTART MAX.RETURN CODE=0000$'
check "instance 01 is up" grep -q 'INSTANCE 01 HAS' <("$bin/ijblfpop" LIST)
check_exit 0 "EDCTCPMC of the presentation" job "$top/tests/data/jobs/edctcpmc" || show
check_eq "$(cat "$LFP_ROOT/etc/vselfp/edctcpmc")" "00 \$EDTCPV
01 IJBLFPLE
02 BSTTTCP6" "installs the three system ids"
export LFP_VMID=LINLFP

# --- skeletons ---
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

# --- conditions ---
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
check "GOTO passes statements over" eval '! says PARM=.-c.false'
check "IF passes an EXEC over with its data" eval '! tells NONSENSE && ! tells "is no statement"'
check "ON goes to its label" eval 'says "the end" && tells "77" && ! tells "78" && ! tells NEVER'
check "the greatest return code counts" says 'EOJ COND MAX.RETURN CODE=0069'

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

# --- which instance a step uses: the statements of SKLFPACT move an unchanged program to LFP ---
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
	tells 'System id 00 (default) is no LFP instance: its interface phase is that of a stack' || show
step "// OPTION SYSPARM='77'"
check "nor does an id that the table lacks" \
	tells "System id 77 (// OPTION SYSPARM) is no LFP instance: the multiplexer's table has no entry" || show
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

# --- wrong ones: message with line and reason, return code, the next job runs ---
wrong() { # TEXT REASON, the job on standard input
	local rc
	run_text
	rc=$?
	check_eq $rc 16 "$1: return code"
	check "$1: says '$2'" tells "$2" || show
}
wrong "an unknown statement" ':2: .FOO. is no statement of job control' <<'END'
// JOB A
// FOO
/&
END
wrong "no end" ':1: the stream ends, and /& is missing' <<'END'
// JOB A
END
wrong "no end of POWER's" ':3: the stream ends, and \* \$\$ EOJ is missing' <<'END'
* $$ JOB JNM=A
// JOB A
/&
END
wrong "a quote that is open" ':2: EXEC: a quote is not closed' <<'END'
// JOB A
// EXEC IJBLFPOP,PARM='LIST
/&
END
wrong "another source for the assembler" "'LR *1,2' is no statement of the source EDCTCPMC" <<'END'
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
    r = subprocess.run([sys.argv[2], "-"], input=bytes(data), capture_output=True, timeout=20)
    wrong = r.returncode < 0 or r.returncode > 69 or (r.returncode != 0 and b"VLFB" not in r.stderr + r.stdout)
    if wrong:
        bad += 1
        print(r.returncode, bytes(data), r.stderr, file=sys.stderr)
sys.exit(bad != 0)
END
}
check "100 mutated jobs end, and what is wrong is told" mutations

# --- the pretend z/VM ---
"$bin/ijblfpop" STOP 01 >/dev/null 2>&1
vm() { # ERRNO REASON, the directory on standard input
	cat >"$LFP_ROOT/etc/vselfp/vm-directory"
	LFP_VMID=VSER05 job "$top/tests/data/jobs/lfpstart"
	check "z/VM: $1: $2" tells "VLFB042E.*from VSER05 to LINLFP ($1).*$2" || show
	check "and the job fails" says 'EOJ LFPSTART MAX.RETURN CODE=0069'
}
vm ENETUNREACH "USER LINLFP is missing" <<'END'
USER VSER05
IUCV ANY
END
vm EACCES "the entry of VSER05 has neither IUCV ANY nor IUCV LINLFP" <<'END'
USER VSER05
USER LINLFP
END
vm EINVAL "vm-directory:2: 'IUVC' is none of" <<'END'
USER VSER05
IUVC ANY
END
cp "$top/etc/vselfp/vm-directory.sample" "$LFP_ROOT/etc/vselfp/vm-directory"
sed -i 's/MSGLIMIT 1024/MSGLIMIT 9/; s/IUCV ANY/OPTION MAXCONN 1/; 0,/OPTION MAXCONN 64/{//d}' \
	"$LFP_ROOT/etc/vselfp/vm-directory"
LFP_VMID=VSER05 job "$top/tests/data/jobs/lfpstart"
check "z/VM: allowed, with its message limit" says 'EOJ LFPSTART MAX.RETURN CODE=0000' || show
sed 's/ID = 01/ID = 02/; s/TESTV/TESTW/' "$top/tests/data/jobs/lfpstart" >"$work/second"
LFP_VMID=VSER05 job "$work/second"
check "z/VM: EAGAIN: MAXCONN" tells 'VLFB042E.*(EAGAIN): VSER05 has as many paths as its OPTION MAXCONN allows, 1' || show
check_exit 0 "stop" "$bin/ijblfpop" STOP 01
finish
