#compdef lfpd lfpd-ctl lfpd-admin ijblfpop lfp-run lfp-via lfp-workload vsejob vselfp-course vselfp-class
# SPDX-License-Identifier: Apache-2.0
# Completion of lfpd, lfpd-ctl, lfpd-admin, ijblfpop, lfp-run, lfp-via, lfp-workload, vsejob, vselfp-course and vselfp-class for zsh.

# _lfp_instances enabled|available
_lfp_instances() {
	local -a names
	names=(${LFP_ROOT%/}/etc/opt/ibm/vselfpd/confs-$1/lfpd-*.conf(N:t:r))
	compadd -- ${names#lfpd-}
}

_lfp_numbers() {
	local -a names
	names=(${LFP_ROOT%/}/run/vselfp/[0-9][0-9](N:t) ${${LFP_ROOT%/}/etc/vselfp/lfp-[0-9][0-9].conf(N:t:r)#lfp-})
	compadd -- ${(u)names#lfp-}
}

case $service in
lfpd)
	_arguments \
		'(-f --file)'{-f,--file}'[configuration file of the instance]:file:_files' \
		'(-d --foreground)'{-d,--foreground}'[stay in the foreground]' \
		'(-n --check)'{-n,--check}'[check the configuration and end]' \
		'--rules[with -n: check a file of rules]:file:_files' \
		'(-v --verbose)'{-v,--verbose}'[also log messages for developers]' \
		'--vmid[z/VM user id of this side]:id:' \
		'(- *)'{-V,--version}'[print the version]' '(- *)'{-h,--help}'[print a summary]'
	;;
lfpd-ctl)
	if ((CURRENT == 2)); then
		compadd -- start stop restart status reload check enable disable leave list -V --version -h --help
	else
		case $words[2] in
		enable) _lfp_instances available ;;
		check)
			case $words[CURRENT-1] in
			--rules | --machine) _files ;;
			--would) compadd -- connect listen bind lookup ;;
			*) compadd -- -v --verbose --machine --rules --would; _lfp_instances enabled ;;
			esac ;;
		reload) compadd -- --cut; _lfp_instances enabled ;;
		start | stop | restart | status | disable | leave) _lfp_instances enabled ;;
		esac
	fi
	;;
lfpd-admin)
	_arguments \
		'(-i --iucv_appname)'{-i,--iucv_appname}'[the instance]:instance:_lfp_instances enabled' \
		'(-s --status)'{-s,--status}'[show its status and its configuration]' \
		'--json[as JSON]' '(-w --watch)'{-w,--watch}'[refresh the display]' \
		'--interval[between two looks]:seconds:' \
		'--sort[sort a table by a column]:column:' '--filter[only rows of a table that have a text]:text:' \
		'--from[report: from this time]:time:' '--to[report: before this time]:time:' \
		'(-q --quiet)'{-q,--quiet}'[print nothing]' '--ip[trace export: packets of IP]' '(-f --follow)'{-f,--follow}'[log: print the records to come]' \
		'(-o --output)'{-o,--output}'[where to write]:file:_files' \
		'(- *)'{-V,--version}'[print the version]' '(- *)'{-h,--help}'[print a summary]' \
		'1:command:(status tasks sockets users limits statistics instances log report policy trace)' \
		'2:action:(learn FCX222 FCX112 FCX207 start stop status show export)' \
		'*:condition or file:_files'
	;;
ijblfpop)
	case $words[CURRENT-1] in
	STOP | INFO | NETSTAT | CLAIM) _lfp_numbers ;;
	START) _lfp_numbers; compadd -- DD:SYSIPT; _files ;;
	*)
		if ((${words[(I)STOP]})); then compadd -- IMMEDIATE
		elif ((${words[(I)INFO]})); then compadd -- SHOWTASKS LOGALL
		elif ((${words[(I)NETSTAT]})); then compadd -- -d -K -a -E
		elif ((${words[(I)START]})); then compadd -- LOGALL
		else compadd -- START STOP LIST INFO NETSTAT CLAIM -d -v --vmid -V --version -h --help
		fi
		;;
	esac
	;;
lfp-run)
	_arguments \
		'-i[the LFP instance]:number:_lfp_numbers' '-n[in an empty network namespace]' \
		'--private[an instance for this program alone]' '--no-userns[make no user namespace]' \
		'*--publish=[a port of the program at another place of this host]:mapping:' '--log=[where each call is logged]:file:_files' '--summary[print what the program has reached]' \
		'*--allow=[a peer that the program may use]:rule:' '*--deny=[a peer that the program may not use]:rule:' \
		'--rules=[the rules in this file]:file:_files' \
		'--upstream=[connect through the proxy at this URL]:url:' \
		'--credentials=[user and password for the proxy]:file:_files' \
		'--keep-net[stay in this network namespace]' \
		'--no-unix[close UNIX sockets with a path]' '*--unix=[a UNIX socket that stays open]:file:_files' \
		'--resolve[who looks names up]:who:(lfpd program)' '--mode=[how]:mode:(preload seccomp both)' '--strict-eof[refuse a supervisor that cannot show resets]' '-v[show the program that is started]' \
		'(- *)'{-V,--version}'[print the version]' '(- *)'{-h,--help}'[print a summary]' \
		'(-):program: _command_names -e' '*::arguments: _normal'
	;;
vsejob)
	_arguments \
		'(- *)'{-V,--version}'[print the version]' '(- *)'{-h,--help}'[print a summary]' \
		'1:job stream:_files'
	;;
lfp-via)
	_arguments \
		'(-t --to)'{-t,--to}'[the appliance]:where:(vsock\: vmm\: unix\: iucv\:)' \
		'--hsuid[hsuid of this side]:hsuid:' \
		'(- *)'{-V,--version}'[print the version]' '(- *)'{-h,--help}'[print a summary]' \
		'1:command:(check config show QUERY STATUS LIST START STOP RELOAD TRACE LOG SHUTDOWN)' \
		'*:word or file:_files'
	;;
lfp-workload)
	_arguments \
		'*--route[only this route]:route:(stack-osa stack hsi osa iucv hipersockets unix shm local native)' \
		'*--transport[of the applications]:transport:(iucv hipersockets unix shm local)' '*--application[only this one]:name:(connector cws soap listener db2 mq redirector vtape ldap script pnet tools)' '--bytes[data of each application]:size:' \
		'--quick[small transfers]' '--ftp[bytes of a transfer by FTP]:size:' '--transfer[bytes of a transfer of each program]:size:' \
		'--connections[numbers of users]:numbers:' '--commands[commands of a user]:count:' '--think[seconds before a command]:seconds:' \
		'--messages[messages of 1,000 bytes]:count:' '--repeat[runs of each cell]:count:' '--osa-delay[delay of an OSA adapter in ms]:ms:' '--managers[the queue managers]:kind:(own mosquitto)' \
		'--json[print JSON]' '--plot[draw a picture]:file:_files' '--verdicts[write what was measured]:file:_files' \
		'--out[MB a day from z/VSE to Linux]:MB:' '--in[MB a day from Linux to z/VSE]:MB:' '--work[row of the slide]:row:(ftp application)' \
		'--language[of the application]:language:(c cobol)' '--mode[where z/VSE runs]:mode:(zvm lpar)' \
		'--speed[of a CP, compared with a z10]:factor:' '--cps[CPs that are 100 percent]:count:' '--results[results of the table lfp]:file:_files' \
		'(- *)'{-V,--version}'[print the version]' '(- *)'{-h,--help}'[print a summary]' \
		'1:table:(lfp telnet mq applications capacity)'
	;;
vselfp-course)
	_arguments \
		'(-s --system)'{-s,--system}"[run it on the system's own lfpd]" \
		'(-d --dir)'{-d,--dir}'[take the exercises from there]:directory:_files -/' \
		'(-o --out)'{-o,--out}'[also leave the output there]:directory:_files -/' \
		'(- *)'{-l,--list}'[show the exercises]' '(- *)'{-h,--help}'[print a summary]' \
		'1:exercise:(1 2 3 4 5 6 7 8 9 10 11 12)'
	;;
vselfp-class)
	_arguments \
		'(-d --dir)'{-d,--dir}'[the class]:directory:_files -/' \
		'(-1 --one-user)'{-1,--one-user}'[trees of one user]' '(- *)'{-h,--help}'[print a summary]' \
		'1:command:(list mark reset remove run)' '*:student or exercise:(all 1 2 3 4 5 6 7 8 9 10 11 12)'
	;;
esac
