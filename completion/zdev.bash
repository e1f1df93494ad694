# SPDX-License-Identifier: Apache-2.0
# Completion of zdev for bash.

_zdev_words() {
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$*" -- "$cur")
}

_zdev_files() {
	compopt -o filenames 2>/dev/null
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
}

_zdev() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		_zdev_words run trace report display check plot volume fctc ipsec hsi keyserver -h --help -V --version
		return
	fi
	case $verb:$prev:$cur in
	report:--format:= | check:--format:= | report:=:* | check:=:*) # bash parts words at it
		cur=${cur#=}
		case $verb:${COMP_WORDS[COMP_CWORD - 2]}${prev#=} in
		*--table | *--measured | check:--table* | check:--measured*) _zdev_files ;;
		check:*) _zdev_words text markdown ;;
		*) _zdev_words text json csv ;;
		esac
		return ;;
	trace:-n:* | display:-t:* | fctc:-b:* | fctc:--name:* | fctc:--peer:*) return ;;
	run:*:-*) _zdev_words -q --quiet ;;
	trace:*:-*) _zdev_words -n ;;
	report:*:-*) _zdev_words -q --quiet --format=text --format=json --format=csv ;;
	check:*:-*) _zdev_words -q --quiet --analytic --format=text --format=markdown --table= --measured= ;;
	display:*:-*) _zdev_words -t ;;
	plot:*:-*) _zdev_words -o -p ;;
	fctc:*:-*) _zdev_words -l -v -x -b --key-server= --keys= --name= --peer= --required ;;
	ipsec:*:-*) _zdev_words --tun= --mtu= --mark= --cps= --ziips= --share= --help-after= --tcpip= --opt= --ziip-ports= ;;
	hsi:*:-*) _zdev_words --frame= --zos-net= --linux-net= --check ;;
	keyserver:*:-*) _zdev_words -v --new ;;
	plot:plot:*) _zdev_words iops mbs mix response distance ;;
	check:*) _zdev_words LFP MQ ZI FX TN ;;
	report:*) _zdev_words channel device sync ;;&
	fctc:*) _zdev_words send receive ;;&
	*) _zdev_files ;;
	esac
}

complete -F _zdev zdev
