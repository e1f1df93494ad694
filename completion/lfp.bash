# SPDX-License-Identifier: Apache-2.0
# Completion of lfpd, lfpd-ctl, lfpd-admin, ijblfpop, lfp-run, lfp-via, lfp-workload, vsejob, vselfp-course and vselfp-class for bash. Installed under the name of each.

# _lfp_words WORD...: those that begin like the word under the cursor
_lfp_words() {
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$*" -- "$cur")
}

# _lfp_files: names of files and directories
_lfp_files() {
	compopt -o filenames 2>/dev/null
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
}

# _lfp_instances enabled|available: their NAMEs
_lfp_instances() {
	local file
	for file in "${LFP_ROOT%/}"/etc/opt/ibm/vselfpd/confs-"$1"/lfpd-*.conf; do
		[ -e "$file" ] || [ -L "$file" ] || continue
		file=${file##*/lfpd-}
		_lfp_words "${file%.conf}"
	done
}

# _lfp_numbers: of LFP instances that are up, or have a file of statements
_lfp_numbers() {
	local path
	for path in "${LFP_ROOT%/}"/run/vselfp/[0-9][0-9] "${LFP_ROOT%/}"/etc/vselfp/lfp-[0-9][0-9].conf; do
		[ -e "$path" ] || continue
		path=${path##*[/-]}
		_lfp_words "${path%.conf}"
	done
	mapfile -t COMPREPLY < <(printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | sort -u)
}

_lfpd() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	COMPREPLY=()
	case $prev in
	-f | --file | --rules) _lfp_files ;;
	--vmid) ;;
	*) _lfp_words -f --file -d --foreground -n --check --rules -v --verbose --vmid -V --version -h --help ;;
	esac
}

_lfpd_ctl() {
	local cur=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		_lfp_words start stop restart status reload check enable disable leave list -V --version -h --help
		return
	fi
	case ${COMP_WORDS[1]} in
	enable) _lfp_instances available ;;
	check)
		if [ "${COMP_WORDS[COMP_CWORD - 1]}" = --rules ] || [ "${COMP_WORDS[COMP_CWORD - 1]}" = --machine ]; then
			_lfp_files
		elif [ "${COMP_WORDS[COMP_CWORD - 1]}" = --would ]; then
			_lfp_words connect listen bind lookup
		else
			_lfp_words -v --verbose --machine --rules --would
			_lfp_instances enabled
		fi ;;
	reload) _lfp_words --cut; _lfp_instances enabled ;;
	start | stop | restart | status | disable | leave) _lfp_instances enabled ;;
	esac
}

_lfpd_admin() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i command=
	COMPREPLY=()
	case $prev in
	-i | --iucv_appname) _lfp_instances enabled; return ;;
	-o | --output) _lfp_files; return ;;
	--interval | --filter | --from | --to) return ;;
	--sort) _lfp_words instance kind state local peer task partition pid uid program sockets to_host to_vse to_host_rate to_vse_rate name value rate; return ;;
	esac
	case $cur in
	-*) _lfp_words -i --iucv_appname -s --status --json -w --watch --interval --sort --filter -q --quiet -f --follow --ip --from --to -o --output \
		-V --version -h --help
		return ;;
	esac
	# The first word that is neither an option nor its value
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-i | --iucv_appname | -o | --output | --interval | --sort | --filter | --from | --to) i=$((i + 1)) ;;
		-*) ;;
		trace)
			command="$command trace" ;;
		*) command="$command ${COMP_WORDS[i]}" ;;
		esac
	done
	case $command in
	'') _lfp_words status tasks sockets users limits statistics instances log report policy trace ;;
	' report') _lfp_words FCX222 FCX112 FCX207 ;;
	' report '*) _lfp_files ;;
	' policy') _lfp_words learn ;;
	' trace') _lfp_words start stop status show export ;;
	' trace show' | ' trace export') _lfp_files ;;
	' trace start'*)
		compopt -o nospace 2>/dev/null
		_lfp_words task= pid= program= socket= kind= payload= ;;
	esac
}

_ijblfpop() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i command=
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		START | STOP | LIST | INFO | NETSTAT | CLAIM) command=${COMP_WORDS[i]} ;;
		esac
	done
	case $command:$prev in
	:--vmid) ;;
	:*) _lfp_words START STOP LIST INFO NETSTAT CLAIM -d -v --vmid -V --version -h --help ;;
	START:START)
		_lfp_numbers
		_lfp_words DD:SYSIPT
		_lfp_files ;;
	START:*) _lfp_words LOGALL ;;
	STOP:STOP | INFO:INFO | NETSTAT:NETSTAT | CLAIM:CLAIM) _lfp_numbers ;;
	STOP:*) _lfp_words IMMEDIATE ;;
	NETSTAT:*) _lfp_words -d -K -a -E ;;
	INFO:*) _lfp_words SHOWTASKS LOGALL ;;
	esac
}

_lfp_run() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i
	COMPREPLY=()
	if [ "$prev" = -i ] && [ "${COMP_WORDS[COMP_CWORD - 2]-}" != -- ]; then
		_lfp_numbers
		return
	fi
	# All words after the program's name are its own.
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-i | --unix | --allow | --deny | --rules | --upstream | --credentials | --log | --publish | --resolve) i=$((i + 1)) ;;
		--) i=$((i + 1)); break ;;
		--mode) ;;
		=) i=$((i + 1)) ;; # bash parts words at it
		-*) ;;
		*) break ;;
		esac
	done
	if [ "$i" -lt "$COMP_CWORD" ]; then
		if declare -F _command_offset >/dev/null; then
			_command_offset "$i"
		else
			_lfp_files
		fi
		return
	fi
	case $prev:$cur in
	--mode:= | =:*)
		cur=${cur#=}
		_lfp_words preload seccomp both ;;
	--resolve:*) _lfp_words lfpd program ;;
	*:-*) _lfp_words -i -n --private --no-userns --keep-net --no-unix --unix --allow --deny --rules --upstream --credentials --publish --log --summary --resolve --mode=preload --mode=seccomp --mode=both --strict-eof -v -V --version -h --help -- ;;
	*) mapfile -t COMPREPLY < <(compgen -c -- "$cur" | sort -u) ;;
	esac
}

_vsejob() {
	local cur=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	case $cur in
	-*) _lfp_words - -V --version -h --help ;;
	*) _lfp_files ;;
	esac
}

_lfp_via() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i command='' words=0
	COMPREPLY=()
	case $prev in
	-t | --to) _lfp_words vsock: vmm: unix: iucv:; return ;;
	--hsuid) return ;;
	esac
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-t | --to | --hsuid) i=$((i + 1)) ;;
		-*) ;;
		*) words=$((words + 1)); [ -n "$command" ] || command=${COMP_WORDS[i]} ;;
		esac
	done
	case $command:$words in
	:*) _lfp_words check config show QUERY STATUS LIST START STOP RELOAD TRACE LOG SHUTDOWN -t --to --hsuid -V --version -h --help ;;
	check:* | config:* | show:*) _lfp_files ;;
	QUERY:1) _lfp_words FILES PROCESSES ;;
	LIST:2) _lfp_words TASKS SOCKETS USERS LIMITS STATISTICS ;;
	TRACE:2) _lfp_words START STOP STATUS SHOW ;;
	esac
}

_lfp_workload() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	COMPREPLY=()
	case $prev in
	--route) _lfp_words stack-osa stack hsi osa iucv hipersockets unix shm local native ;;
	--application) _lfp_words connector cws soap listener db2 mq redirector vtape ldap script pnet tools ;;
	--transport) _lfp_words iucv hipersockets unix shm local ;;
	--ftp | --transfer | --bytes | --connections | --commands | --think | --messages | --repeat | --osa-delay) ;;
	--managers) _lfp_words own mosquitto ;;
	--plot | --verdicts | --results) _lfp_files ;;
	--work) _lfp_words ftp application ;;
	--language) _lfp_words c cobol ;;
	--mode) _lfp_words zvm lpar ;;
	--out | --in | --speed | --cps) ;;
	*)
		case ${COMP_WORDS[1]}:$cur in
		lfp:-*) _lfp_words --route --quick --ftp --transfer --osa-delay --json --plot --verdicts -h --help ;;
		telnet:-*) _lfp_words --route --quick --connections --commands --think --json --plot --verdicts -h --help ;;
		mq:-*) _lfp_words --route --quick --messages --repeat --managers --osa-delay --json --plot --verdicts -h --help ;;
		applications:-*) _lfp_words --transport --application --quick --bytes --json -h --help ;;
		capacity:-*) _lfp_words --out --in --work --language --mode --speed --cps --results --json -h --help ;;
		-*) _lfp_words -V --version -h --help ;;
		*) [ "$COMP_CWORD" != 1 ] || _lfp_words lfp telnet mq applications capacity ;;
		esac
		;;
	esac
}

_vselfp_course() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	COMPREPLY=()
	case $prev in
	-o | --out | -d | --dir) _lfp_files ;;
	*) _lfp_words -s --system -d --dir -o --out -l --list -h --help 1 2 3 4 5 6 7 8 9 10 11 12 ;;
	esac
}

_vselfp_class() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	COMPREPLY=()
	case $prev in
	-d | --dir) _lfp_files ;;
	run) _lfp_words 1 2 3 4 5 6 7 8 9 10 11 12 ;;
	reset) _lfp_words all ;;
	*) _lfp_words -d --dir -1 --one-user -h --help list mark reset remove run ;;
	esac
}

complete -F _lfpd lfpd
complete -F _lfpd_ctl lfpd-ctl
complete -F _lfpd_admin lfpd-admin
complete -F _ijblfpop ijblfpop
complete -F _lfp_run lfp-run
complete -F _vsejob vsejob
complete -F _lfp_via lfp-via
complete -F _lfp_workload lfp-workload
complete -F _vselfp_course vselfp-course
complete -F _vselfp_class vselfp-class
