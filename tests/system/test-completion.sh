#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Completion in shells: verbs, options and names of instances; by bash always, by zsh and fish where they are
# installed. Every option and verb of the programs' own --help is among what is completed.
. "$(dirname "$0")/lib.sh"

confs=$work/root/etc/opt/ibm/vselfpd
mkdir -p "$confs"/confs-{available,enabled} "$work/root/etc/vselfp" "$work/root/run/vselfp/07"
: >"$confs/confs-available/lfpd-LINR02.conf" >"$confs/confs-available/lfpd-LINR03.conf" >"$work/root/etc/vselfp/lfp-01.conf"
ln -s ../confs-available/lfpd-LINR03.conf "$confs/confs-enabled/"

# completes WORD...: bash's completions of the last one, in a line
completes() {
	LFP_ROOT=$work/root bash --norc -c '
		. "$1"
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
		function=$(complete -p "$1" | sed "s/.*-F \([^ ]*\) .*/\1/")
		"$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
		echo "${COMPREPLY[*]}"' bash "$top/completion/lfp.bash" "$@"
}
offers() { # WANTED WORD...
	local want=$1 got
	shift
	got=$(completes "$@")
	[ "$got" = "$want" ] || { echo "for \"$*\": \"$got\", not \"$want\""; return 1; }
}

check "a verb" offers "start stop status" lfpd-ctl st
check "the verb list" offers list lfpd-ctl li
check "the NAME of an enabled instance" offers LINR03 lfpd-ctl start ''
check "a second NAME" offers LINR03 lfpd-ctl stop LINR02 L
check "the NAMEs to enable" offers "LINR02 LINR03" lfpd-ctl enable ''
check "no NAME for list" offers "" lfpd-ctl list ''
check "lfpd-admin -i NAME" offers LINR03 lfpd-admin -i LIN
check "lfpd-admin --iucv_appname NAME" offers LINR03 lfpd-admin --iucv_appname ''
check "its commands" offers "status statistics" lfpd-admin -i LINR03 stat
check "its commands after an option with a value" offers trace lfpd-admin --interval 5 -i LINR03 tr
check "its commands after --sort" offers "sockets" lfpd-admin --sort pid soc
check "a column to sort by" offers "to_host to_host_rate" lfpd-admin --sort to_h
check "the words of trace" offers "start stop status" lfpd-admin -i LINR03 trace st
check "conditions of a trace" offers "task=" lfpd-admin -i LINR03 trace start ta
check "a file of lfpd" offers "$confs/confs-enabled/lfpd-LINR03.conf" lfpd -n -f "$confs/confs-enabled/l"
check "verbs of ijblfpop" offers "START STOP" ijblfpop ST
check "numbers of LFP instances" offers "01 07" ijblfpop STOP ''
check "a number for lfp-run" offers "01 07" lfp-run -i ''
check "its modes" offers "seccomp" lfp-run --mode = se
check "its program" offers "sha224sum" lfp-run -i 01 sha224
check "a job stream of vsejob" offers "$top/skeletons/62/EDCTCPMC" vsejob "$top/skeletons/62/E"
check "an exercise" offers "1 10 11 12" vselfp-course --system 1
check "a command of the class" offers "reset remove run" vselfp-class -1 r
check "a command of the appliance" offers "STATUS START STOP" lfp-via -t vsock:3 ST
check "words of its TRACE" offers "START STOP STATUS SHOW" lfp-via TRACE VSE1 ''
check "files for its program" offers "$top/LICENSE" lfp-run -i 01 cat "$top/LICE"

# Compares the programs' usage texts with the completed words
shells=(bash)
for program in lfpd lfpd-ctl lfpd-admin ijblfpop lfp-run lfp-via lfp-workload vsejob vselfp-course vselfp-class; do
	help=$(PATH=$bin:$top/course:$PATH "$program" --help)
	missing=
	offered=" $(completes "$program" '') $(completes "$program" -) "
	[ "$program" != ijblfpop ] || offered="$offered$(completes ijblfpop NETSTAT 07 '') "
	[ "$program" != lfpd-ctl ] || offered="$offered$(completes lfpd-ctl check '') $(completes lfpd-ctl reload '') "
	for word in $(grep -oE '(^|[ ,|<])--?[a-zA-Z][a-z_-]*' <<<"$help" | grep -oE -- '--?[a-zA-Z][a-z_-]*' | sort -u) \
		$(sed -nE 's/^  ([a-z]+)  .*/\1/p; s/^(usage:|      ) [a-z]+( \[[^]]*\])* ([A-Z]{3,}).*/\3/p' <<<"$help"); do
		case $word in -[a-z][a-z] | FILE) continue ;; esac # letters of a usage line, an operand
		case $offered in
		*" $word "* | *" $word="*) ;;
		*) missing="$missing $word" ;;
		esac
		grep -qF -- "${word#--}" "$top/completion/lfp.zsh" || missing="$missing $word(zsh)"
		case $word in
		--*) form="-l ${word#--}" ;;
		-*) form="-s ${word#-}" ;;
		*) form="$word" ;;
		esac
		grep -qE -- "$form([ ']|\$)" "$top/completion/lfp.fish" || missing="$missing $word(fish)"
	done
	check "all that $program --help has is completed" test -z "$missing"
	[ -z "$missing" ] || echo "missing:$missing"
done

for table in lfp capacity; do
	check_eq "$(completes lfp-workload "$table" - | tr ' ' '\n' | sort | tr '\n' ' ')" \
		"$("$bin/lfp-workload" "$table" --help | grep -oE '^  (-h, )?--[a-z-]+' | grep -oE -- '-h|--[a-z-]+' | sort | tr '\n' ' ')" "the options of lfp-workload $table"
done

if command -v fish >/dev/null; then
	fish_offers() { # WANTED LINE
		local got
		got=$(HOME=$work LFP_ROOT=$work/root fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
			"$top/completion/lfp.fish" "$2" | cut -f 1 | sort | tr '\n' ' ')
		[ "$got" = "$1 " ] || { echo "for \"$2\": \"$got\", not \"$1\""; return 1; }
	}
	check "fish: a verb" fish_offers "start status stop" "lfpd-ctl st"
	check "fish: a NAME" fish_offers LINR03 "lfpd-ctl start "
	check "fish: NAMEs to enable" fish_offers "LINR02 LINR03" "lfpd-ctl enable "
	check "fish: lfpd-admin -i" fish_offers LINR03 "lfpd-admin -i LI"
	check "fish: a number" fish_offers "01 07 IMMEDIATE" "ijblfpop STOP "
	shells+=(fish)
fi
if command -v zsh >/dev/null; then
	check "zsh takes its file" zsh -n "$top/completion/lfp.zsh"
	shells+=(zsh)
fi
echo "shells: ${shells[*]}"
finish
