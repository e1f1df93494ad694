#compdef zdev
# SPDX-License-Identifier: Apache-2.0
# Completion of zdev for zsh.

_zdev() {
	local -a verbs
	verbs=(
		'run:run a scenario' 'trace:print its events' 'report:print its reports' 'display:answer operator commands'
		'check:compare published figures'
		'plot:draw a figure' 'volume:make a volume' 'fctc:carry a stream by an FCTC pair' 'ipsec:protect packets by ESP or AH'
		'hsi:join two networks by HiperSockets'
		'keyserver:serve keys of ends'
	)
	if ((CURRENT == 2)); then
		_describe verb verbs
		_arguments '(-h --help)'{-h,--help}'[print a summary]' '(-V --version)'{-V,--version}'[print the version]'
		return
	fi
	case $words[2] in
	run) _arguments '(-q --quiet)'{-q,--quiet}'[no progress]' '*:scenario:_files' ;;
	trace) _arguments '-n[how many records]:records:' '*:scenario:_files' ;;
	report)
		_arguments '(-q --quiet)'{-q,--quiet}'[no progress]' '--format=[form]:form:(text json csv)' \
			'2:scenario:_files' '*:report:(channel device sync)' ;;
	display) _arguments '-t[when]:time:' '*:scenario:_files' ;;
	check)
		_arguments '(-q --quiet)'{-q,--quiet}'[no progress]' '--analytic[closed forms]' '--format=[form]:form:(text markdown)' \
			'--table=[published figures]:file:_files' '--measured=[measured values]:file:_files' '*:row:(LFP MQ ZI FX TN)' ;;
	plot) _arguments '-o[where to write]:file:_files' '-p[published values]:file:_files' '2:figure:(iops mbs mix response distance)' ;;
	volume) _arguments '2:file:_files' ;;
	fctc)
		_arguments '-l[listen]' '-v[say what happens]' '-x[extended mode]' '-b[bytes of a block]:size:' \
			'--key-server=[its address]:address:_files' '--keys=[file of secrets]:file:_files' '--name=[of this end]:name:' \
			'--peer=[name of the other end]:name:' '--required[end it in the clear]' '2:direction:(send receive)' '3:socket:_files' ;;
	ipsec)
		_arguments '--tun=[name of the interface]:name:' '--mtu=[bytes of its packets]:bytes:' '--mark=[mark of sent packets]:number:' \
			'--cps=[how many CPs]:number:' '--ziips=[how many zIIPs]:number:' '--share=[percent of a CPU]:percent:' \
			'--help-after=[microseconds until CPs help]:time:' '--tcpip=[TCP/IP profile]:file:_files' \
			'--opt=[member IEAOPTxx]:file:_files' '--ziip-ports=[ports of programs on zIIPs]:ports:' '2:rules:_files' ;;
	hsi)
		_arguments '--frame=[bytes of a frame]:bytes:(16K 24K 40K 64K)' '--zos-net=[namespace of z/OS]:file:_files' \
			'--linux-net=[namespace of Linux]:file:_files' '--check[read the definitions only]' '*:definitions:_files' ;;
	keyserver) _arguments '-v[say what happens]' '--new[print new secrets]' '*:file:_files' ;;
	esac
}

_zdev "$@"
