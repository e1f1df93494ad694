#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# slapd on LFP; ldapadd, ldapsearch, ldapmodify, ldapdelete on LFP
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
PATH=$PATH:/usr/sbin
needs slapd ldapadd ldapsearch

conf() { # NAME
	mkdir "$work/$1"
	cat <<-END
		include /etc/ldap/schema/core.schema
		modulepath /usr/lib/ldap
		moduleload back_mdb
		pidfile $work/$1.pid
		database mdb
		maxsize 50000000
		suffix "dc=lfp"
		rootdn "cn=root,dc=lfp"
		rootpw secret
		directory $work/$1
		dbnosync
		sizelimit unlimited
	END
}
conf lfp >"$work/conf-lfp"
conf native >"$work/conf-native"
entries() {
	printf 'dn: dc=lfp\nobjectClass: organization\nobjectClass: dcObject\no: test\ndc: lfp\n\n'
	for i in {1..300}; do
		printf 'dn: cn=p%d,dc=lfp\nobjectClass: person\ncn: p%d\nsn: s%d\ndescription: %0400d\n\n' "$i" "$i" "$((i % 3))" "$i"
	done
}
entries >"$work/entries"

# session TEXT URL PREFIX...
session() {
	local text=$1 url=$2 as=(-x -H "$2" -D cn=root,dc=lfp -w secret)
	shift 2
	ldap() { timeout 120 "${prefix[@]}" "$@"; }
	local prefix=("$@")
	check "$text: 301 entries" into "$work/add.log" ldap ldapadd "${as[@]}" -f "$work/entries"
	check_eq "$(ldap ldapsearch -LLL "${as[@]}" -b dc=lfp '(sn=s1)' cn | grep -c '^cn: p')" 100 "$text: a search"
	check_eq "$(ldap ldapsearch -LLL -x -H "$url" -b dc=lfp -o ldif-wrap=no objectClass=person description |
		sed -n 's/^description: //p' | sort | md5sum)" "$(for i in {1..300}; do printf '%0400d\n' "$i"; done | md5sum)" "$text: all of it"
	check_eq "$(ldap ldapsearch -LLL "${as[@]}" -b dc=lfp -E pr=50/noprompt objectClass=person dn | grep -c '^dn: ')" 300 "$text: by pages"
	check "$text: a change" into "$work/modify.log" ldap ldapmodify "${as[@]}" \
		< <(printf 'dn: cn=p7,dc=lfp\nchangetype: modify\nreplace: sn\nsn: changed\n')
	check_eq "$(ldap ldapsearch -LLL "${as[@]}" -b dc=lfp '(sn=changed)' dn)" "dn: cn=p7,dc=lfp" "$text: is seen"
	check "$text: delete" ldap ldapdelete "${as[@]}" -r dc=lfp
	check_exit 32 "$text: nothing is left" into "$work/none.log" ldap ldapsearch "${as[@]}" -b dc=lfp
	check_exit 49 "$text: a wrong password" into "$work/wrong.log" ldap ldapsearch -x -H "$url" -D cn=root,dc=lfp -w wrong -b dc=lfp
}

lfp_up
background_on_lfp slapd-lfp slapd -d 0 -f "$work/conf-lfp" -h 'ldap://127.0.0.1:3891/ ldap://[::1]:3891/'
server=$!
background slapd-native slapd -d 0 -f "$work/conf-native" -h 'ldap://127.0.0.1:3892/ ldap://[::1]:3892/'
wait_listen_both 3891 && wait_listen_both 3892 || die "slapd does not listen"
session "slapd on LFP" ldap://127.0.0.1:3891
session "slapd on LFP, IPv6" 'ldap://[::1]:3891'
session "tools on LFP" ldap://127.0.0.1:3892 "${lfp_prefix[@]}"
[ -n "${NATIVE:-}" ] || session "both on LFP" ldap://localhost:3891 "${lfp_prefix[@]}"
check_exit 255 "a refused port" into "$work/refused" timeout 120 "${lfp_prefix[@]}" ldapsearch -x -H ldap://127.0.0.1:1 -b dc=lfp
check "slapd ends when it is told" stop_pid $server
finish
