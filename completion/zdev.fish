# SPDX-License-Identifier: Apache-2.0
# Completion of zdev for fish.

set -l verbs run trace report display plot volume fctc ipsec keyserver
complete -c zdev -n "not __fish_seen_subcommand_from $verbs" -f -a "$verbs"
complete -c zdev -n "not __fish_seen_subcommand_from $verbs" -s h -l help -d 'print a summary'
complete -c zdev -n "not __fish_seen_subcommand_from $verbs" -s V -l version -d 'print the version'
complete -c zdev -n '__fish_seen_subcommand_from run report' -s q -l quiet -d 'no progress'
complete -c zdev -n '__fish_seen_subcommand_from trace' -s n -x -d 'how many records'
complete -c zdev -n '__fish_seen_subcommand_from report' -l format -x -a 'text json csv'
complete -c zdev -n '__fish_seen_subcommand_from report' -a 'channel device sync'
complete -c zdev -n '__fish_seen_subcommand_from display' -s t -x -d when
complete -c zdev -n '__fish_seen_subcommand_from plot' -a 'iops mbs mix response distance'
complete -c zdev -n '__fish_seen_subcommand_from plot' -s o -r -d 'where to write'
complete -c zdev -n '__fish_seen_subcommand_from plot' -s p -r -F -d 'published values'
complete -c zdev -n '__fish_seen_subcommand_from fctc' -a 'send receive'
complete -c zdev -n '__fish_seen_subcommand_from fctc' -s l -d listen
complete -c zdev -n '__fish_seen_subcommand_from fctc keyserver' -s v -d 'say what happens'
complete -c zdev -n '__fish_seen_subcommand_from fctc' -s x -d 'extended mode'
complete -c zdev -n '__fish_seen_subcommand_from fctc' -s b -x -d 'bytes of a block'
complete -c zdev -n '__fish_seen_subcommand_from fctc' -l key-server -r -d 'its address'
complete -c zdev -n '__fish_seen_subcommand_from fctc' -l keys -r -d 'file of secrets'
complete -c zdev -n '__fish_seen_subcommand_from fctc' -l name -x -d 'of this end'
complete -c zdev -n '__fish_seen_subcommand_from fctc' -l peer -x -d 'name of the other end'
complete -c zdev -n '__fish_seen_subcommand_from fctc' -l required -d 'end it in the clear'
complete -c zdev -n '__fish_seen_subcommand_from ipsec' -l tun -x -d 'name of the interface'
complete -c zdev -n '__fish_seen_subcommand_from ipsec' -l mtu -x -d 'bytes of its packets'
complete -c zdev -n '__fish_seen_subcommand_from ipsec' -l mark -x -d 'mark of sent packets'
complete -c zdev -n '__fish_seen_subcommand_from ipsec' -l cps -x -d 'how many CPs'
complete -c zdev -n '__fish_seen_subcommand_from ipsec' -l ziips -x -d 'how many zIIPs'
complete -c zdev -n '__fish_seen_subcommand_from ipsec' -l share -x -d 'percent of a CPU'
complete -c zdev -n '__fish_seen_subcommand_from ipsec' -l help-after -x -d 'microseconds'
complete -c zdev -n '__fish_seen_subcommand_from ipsec' -l tcpip -r -d 'TCP/IP profile'
complete -c zdev -n '__fish_seen_subcommand_from ipsec' -l opt -r -d 'member IEAOPTxx'
complete -c zdev -n '__fish_seen_subcommand_from ipsec' -l ziip-ports -x -d 'ports of programs on zIIPs'
complete -c zdev -n '__fish_seen_subcommand_from keyserver' -l new -d 'print new secrets'
