#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Completion of zdev: completes all words of the usage texts of the program and its verbs.
. "$(dirname "$0")/lib.sh"

# completes WORD...: bash's completions of the last one, in a line
completes() {
	bash --norc -c '
		. "$1"
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
		_zdev zdev 2>/dev/null
		printf "%s\n" "${COMPREPLY[*]}"' bash "$top/completion/zdev.bash" "$@"
}
offers() { # WANTED WORD...
	local want=$1 got
	shift
	got=$(completes "$@")
	[ "$got" = "$want" ] || { echo "for \"$*\": \"$got\", not \"$want\""; return 1; }
}

mkdir "$work/here" && cd "$work/here" || exit 1
: >small.zdev
check "a verb" offers "run report" zdev r
check "a scenario" offers small.zdev zdev run sm
check "its reports" offers "channel device sync small.zdev" zdev report small.zdev ''
check "a form" offers json zdev report --format = j
check "a figure" offers "mbs mix" zdev plot m
check "a direction" offers send zdev fctc se
check "no word where a number stands" offers "" zdev trace -n ''

# Every verb, option and word of the usage lines
help=$("$daemons/zdev" --help)
verbs=$(sed -nE 's/^.* zdev ([a-z]+).*/\1/p' <<<"$help" | sort -u)
check "bash: all verbs" test "$(completes zdev '' | tr ' ' '\n' | grep -v '^-' | sort)" = "$verbs"
missing=
for verb in $verbs; do
	said=$(grep "zdev $verb" <<<"$help"; "$daemons/zdev" "$verb" --no-such-option 2>&1)
	offered=" $(completes zdev "$verb" -) "
	for word in $(grep -oE -- '(^|[][ |(])--?[a-z][a-z-]*' <<<"$said" | grep -oE -- '--?[a-z-]+' | sort -u); do
		[ "$word" != --no-such-option ] || continue
		case $word in
		--*) all=$word form="-l ${word#--}" ;;
		*) all=$(grep -o '[a-z]' <<<"$word" | sed 's/^/-/') form= ;; # several letters
		esac
		for option in $all; do
			case $offered in
			*" $option "* | *" $option="*) ;;
			*) missing="$missing $verb:$option" ;;
			esac
			grep -qE -- "subcommand_from[a-z ]* $verb[a-z ]*' ${form:--s ${option#-}}( |\$)" "$top/completion/zdev.fish" ||
				missing="$missing $verb:$option(fish)"
			sed -n "/^	$verb)/,/;;\$/p" "$top/completion/zdev.zsh" | grep -qF -- "$option" ||
				missing="$missing $verb:$option(zsh)"
		done
	done
	grep -qE "^set -l verbs .*\b$verb\b" "$top/completion/zdev.fish" || missing="$missing $verb(fish)"
done
check "all options of all verbs are completed" test -z "$missing"
[ -z "$missing" ] || echo "missing:$missing"
if command -v fish >/dev/null; then
	check "fish takes its file" fish --no-execute "$top/completion/zdev.fish"
fi
if command -v zsh >/dev/null; then
	check "zsh takes its file" zsh -n "$top/completion/zdev.zsh"
fi
finish
