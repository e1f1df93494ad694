#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each line that compiles an example, or stands in a SYNOPSIS, works as it stands on installed files, without a warning; CMake and Meson
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs python3 pkg-config make

# Installed below $root. So all tools have to look there first, as they look in /usr by themselves.
root=$work/root
# As it was built: another compiler or other flags would build everything again, below the tests beside this one.
flags=$(cat "$O/.flags")
case $flags in *--coverage* | *-fsanitize=*) skip "a build for tests, which is not installed" ;; esac
into "$work/install" make -C "$top" --no-print-directory O="$O" CC="${flags%% -I. *}" PREFIX=/usr/local DESTDIR="$root" install-sockets ||
	die "it is not installed: $(tail -n 5 "$work/install")"
lib=$root/usr/local/lib
check_eq "$(cat "$O/.flags")" "$flags" "the build is as it was"
export PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root LIBRARY_PATH=$lib LD_LIBRARY_PATH=$lib
examples=$root/usr/local/share/vselfpd/examples
check_eq "$(pkg-config --modversion vsesock vsesock-lec | sort -u)" "$(sed -n 's/^VERSION := //p' "$top/Makefile")" "the version is the tree's"

# builds FILE LINE: in a folder with the file, with and without more warnings
builds() {
	mkdir -p "$work/built" && cp "$1" "$work/built/"
	into "$work/said" sh -c "cd '$work/built' && $2 && $2 ${3:-}"
	check_eq "$?$(cat "$work/said")" 0 "$2"
}
mapfile -t sources < <(find "$examples" -name '*.cbl' -o -name '*.c' | sort)
check_eq "${#sources[@]}" 9 "all examples are installed"
cobol=yes
command -v cobc >/dev/null || { cobol= && skip_part "cobc is not installed"; }
for source in "${sources[@]}"; do
	line=$(sed -n 's/^.*Compile: *//p' "$source")
	case $source in
	*.cbl) [ -z "$cobol" ] || builds "$source" "$line" -Wall ;;
	*) builds "$source" "$line" "-Wall -Wextra -Werror" ;;
	esac
done

# They run, with the instance that their comments name.
lfp_up VSE_HOSTID=10.0.0.1
background server env SYSPARM=01 "${empty_net[@]}" "$work/built/ezasmi-echo-server" -n 2 7000
wait_listen 7000 30 || die "the server does not listen"
check_eq "$("${empty_net[@]}" timeout 60 "$work/built/socket-macro-client" -i 01 10.0.0.1 7000 Hello 2>&1 | grep -v ^by)" Hello "a server of EZASMI and a client of SOCKET run"
[ -z "$cobol" ] || check_eq "$(SYSPARM=01 timeout 60 "${empty_net[@]}" "$work/built/echo-client" 10.0.0.1 7000 Hello 2>&1)" Hello "a COBOL client runs"
background sink python3 -c 'import socket
s, _ = socket.create_server(("10.0.0.1", 7001)).accept()
while s.recv(1 << 20): pass'
wait_listen 7001 30 || die "no sink"
check "a program of LE/C runs" into "$work/said" env LFP_ID=01 timeout 60 "${empty_net[@]}" "$work/built/bulk-sender" 10.0.0.1 7001 1

# The lines of each SYNOPSIS
if command -v mandoc >/dev/null; then
	for page in lec-sockets ezasoket ezasmi csi-socket; do
		while read -r line; do
			case $page,$line in
			*,cobc*) [ -z "$cobol" ] || { cp "$examples/cobol/echo-client.cbl" "$work/program.cbl" && builds "$work/program.cbl" "$line"; } ;;
			lec-sockets,*) cp "$examples/lec/bulk-sender.c" "$work/program.c" && builds "$work/program.c" "$line" ;;
			csi-socket,*) cp "$examples/socket-macro-client.c" "$work/program.c" && builds "$work/program.c" "$line" ;;
			*) cp "$examples/ezasmi-echo-server.c" "$work/program.c" && builds "$work/program.c" "$line" ;;
			esac
		done < <(mandoc -T ascii -O width=200 "$top/man/$page.3" | col -bx | grep -E '^ *(cc|cobc) ')
	done
fi

# The lines of libvsesock(7) for CMake and Meson, with the library of EZASMI and that of LE/C
page() { grep -E "^($1)" "$top/man/libvsesock.7"; }
for package in vsesock vsesock-lec; do
	mkdir -p "$work/$package"
	[ $package = vsesock ] && cp "$examples/ezasmi-echo-server.c" "$work/$package/program.c"
	[ $package = vsesock ] || cp "$examples/lec/bulk-sender.c" "$work/$package/program.c"
	if command -v cmake >/dev/null; then
		{
			printf '%s\n' 'cmake_minimum_required(VERSION 3.10)' 'project(program C)' 'add_executable(program program.c)'
			page 'find_package|pkg_check_modules|target_link_libraries' | sed "s/ vsesock)/ $package)/"
		} >"$work/$package/CMakeLists.txt"
		check "CMake with $package" into "$work/said" sh -c "cd '$work/$package' && cmake -S . -B cmake && cmake --build cmake"
		check "and the program uses it" into "$work/said" grep -q libvsesock.so.1 "$work/$package/cmake/program"
	else
		skip_part "CMake is not installed"
	fi
	if command -v meson >/dev/null; then
		{
			echo "project('program', 'c')"
			page 'executable' | sed "s/'vsesock'/'$package'/"
		} >"$work/$package/meson.build"
		check "Meson with $package" into "$work/said" sh -c "cd '$work/$package' && meson setup meson && meson compile -C meson"
		check "and the program uses it" into "$work/said" grep -q libvsesock.so.1 "$work/$package/meson/program"
	else
		skip_part "Meson is not installed"
	fi
done
finish
