# SPDX-License-Identifier: Apache-2.0
# Completion of lfpd, lfpd-ctl, lfpd-admin, ijblfpop, lfp-run, lfp-via, lfp-workload, vsejob, vselfp-course and vselfp-class for fish. Installed under the name of each.

function __lfp_instances --argument-names which
	for file in $LFP_ROOT/etc/opt/ibm/vselfpd/confs-$which/lfpd-*.conf
		string replace -r '.*/lfpd-(.*)\.conf$' '$1' -- $file
	end
end

function __lfp_numbers
	for path in $LFP_ROOT/run/vselfp/* $LFP_ROOT/etc/vselfp/lfp-*.conf
		string match -rg '.*[/-]([0-9][0-9])(?:\.conf)?$' -- $path
	end | sort -u
end

complete -c lfpd -s f -l file -r -d 'configuration file of the instance'
complete -c lfpd -s d -l foreground -d 'stay in the foreground'
complete -c lfpd -s n -l check -d 'check the configuration and end'
complete -c lfpd -l rules -r -F -d 'with -n: check a file of rules'
complete -c lfpd -s v -l verbose -d 'also log messages for developers'
complete -c lfpd -l vmid -x -d 'z/VM user id of this side'

set -l verbs start stop restart status reload check enable disable leave list
complete -c lfpd-ctl -f
complete -c lfpd-ctl -n "not __fish_seen_subcommand_from $verbs" -a "$verbs"
complete -c lfpd-ctl -n '__fish_seen_subcommand_from check' -s v -l verbose -d 'also what is not needed'
complete -c lfpd-ctl -n '__fish_seen_subcommand_from check' -l machine -r -F -d 'check the machine that a file declares'
complete -c lfpd-ctl -n '__fish_seen_subcommand_from check' -l rules -r -F -d 'a file of rules, for --would'
complete -c lfpd-ctl -n '__fish_seen_subcommand_from check' -l would -x -a 'connect listen bind lookup' -d 'what the rules would decide'
complete -c lfpd-ctl -n '__fish_seen_subcommand_from reload' -l cut -d 'also end what the new rules forbid'
complete -c lfpd-ctl -n '__fish_seen_subcommand_from start stop restart status reload check disable leave' -a '(__lfp_instances enabled)'
complete -c lfpd-ctl -n '__fish_seen_subcommand_from enable' -a '(__lfp_instances available)'

set -l views status tasks sockets users limits statistics instances log report policy trace
complete -c lfpd-admin -f
complete -c lfpd-admin -n "not __fish_seen_subcommand_from $views" -a "$views"
complete -c lfpd-admin -n '__fish_seen_subcommand_from report' -a 'FCX222 FCX112 FCX207'
complete -c lfpd-admin -l from -x -d 'report: from this time'
complete -c lfpd-admin -l to -x -d 'report: before this time'
complete -c lfpd-admin -n '__fish_seen_subcommand_from trace' -a 'start stop status show export'
complete -c lfpd-admin -s i -l iucv_appname -x -a '(__lfp_instances enabled)' -d 'the instance'
complete -c lfpd-admin -s s -l status -d 'show its status and its configuration'
complete -c lfpd-admin -l json -d 'as JSON'
complete -c lfpd-admin -s w -l watch -d 'refresh the display'
complete -c lfpd-admin -l interval -x -d 'seconds between two samples'
complete -c lfpd-admin -l sort -x -d 'sort a table by a column'
complete -c lfpd-admin -l filter -x -d 'only rows of a table that have a text'
complete -c lfpd-admin -s q -l quiet -d 'print nothing'
complete -c lfpd-admin -s f -l follow -d 'with log: print the records to come'
complete -c lfpd-admin -l ip -d 'with trace export: packets of IP'
complete -c lfpd-admin -s o -l output -r -d 'where to write'

set -l requests check config show QUERY STATUS LIST START STOP RELOAD TRACE LOG SHUTDOWN
complete -c lfp-via -n "not __fish_seen_subcommand_from $requests" -f -a "$requests"
complete -c lfp-via -n '__fish_seen_subcommand_from QUERY' -f -a 'FILES PROCESSES'
complete -c lfp-via -n '__fish_seen_subcommand_from LIST' -f -a 'TASKS SOCKETS USERS LIMITS STATISTICS'
complete -c lfp-via -n '__fish_seen_subcommand_from TRACE' -f -a 'START STOP STATUS SHOW'
complete -c lfp-via -s t -l to -x -a 'vsock: vmm: unix: iucv:' -d 'the appliance'
complete -c lfp-via -l hsuid -x -d 'hsuid of this side'

complete -c ijblfpop -f
complete -c ijblfpop -n '__fish_seen_subcommand_from START' -F
complete -c ijblfpop -n 'not __fish_seen_subcommand_from START STOP LIST INFO NETSTAT CLAIM' -a 'START STOP LIST INFO NETSTAT CLAIM'
complete -c ijblfpop -n '__fish_seen_subcommand_from START STOP INFO NETSTAT CLAIM' -a '(__lfp_numbers)'
complete -c ijblfpop -n '__fish_seen_subcommand_from START' -a 'DD:SYSIPT LOGALL'
complete -c ijblfpop -n '__fish_seen_subcommand_from STOP' -a IMMEDIATE
complete -c ijblfpop -n '__fish_seen_subcommand_from INFO' -a 'SHOWTASKS LOGALL'
complete -c ijblfpop -n '__fish_seen_subcommand_from NETSTAT' -s d -d 'the device'
complete -c ijblfpop -n '__fish_seen_subcommand_from NETSTAT' -s K -x -d 'a link'
complete -c ijblfpop -n '__fish_seen_subcommand_from NETSTAT' -s a -d 'the connections'
complete -c ijblfpop -n '__fish_seen_subcommand_from NETSTAT' -s E -x -d 'of a job'
complete -c ijblfpop -l vmid -x -d 'z/VM user id of this side'

complete -c lfp-run -x -a '(__fish_complete_subcommand)'
complete -c lfp-run -s i -x -a '(__lfp_numbers)' -d 'the LFP instance'
complete -c lfp-run -l private -d 'an instance for this program alone'
complete -c lfp-run -s n -d 'in an empty network namespace'
complete -c lfp-run -l no-userns -d 'make no user namespace'
complete -c lfp-run -l allow -x -d 'a peer that the program may use'
complete -c lfp-run -l publish -x -d 'a port of the program at another place of this host'
complete -c lfp-run -l log -r -d 'where each call is logged'
complete -c lfp-run -l summary -d 'print what the program has reached'
complete -c lfp-run -l deny -x -d 'a peer that the program may not use'
complete -c lfp-run -l rules -r -d 'the rules in this file'
complete -c lfp-run -l upstream -x -d 'connect through the proxy at this URL'
complete -c lfp-run -l credentials -r -d 'user and password for the proxy'
complete -c lfp-run -l keep-net -d 'stay in this network namespace'
complete -c lfp-run -l no-unix -d 'close UNIX sockets with a path'
complete -c lfp-run -l unix -r -d 'a UNIX socket that stays open'
complete -c lfp-run -l mode -x -a 'preload seccomp both' -d how
complete -c lfp-run -l resolve -x -a 'lfpd program' -d 'who looks names up'
complete -c lfp-run -l strict-eof -d 'refuse a supervisor that cannot show resets'
complete -c lfp-run -s v -d 'show the program that is started'

complete -c vsejob -F

complete -c lfp-workload -f -a lfp -d 'the slide about the speed of LFP'
complete -c lfp-workload -f -a telnet -d 'the report about telnet'
complete -c lfp-workload -f -a mq -d 'the paper about MQ'
complete -c lfp-workload -f -a applications -d 'the twelve applications'
complete -c lfp-workload -l transport -x -a 'iucv hipersockets unix shm local' -d 'of the applications'
complete -c lfp-workload -l application -x -a 'connector cws soap listener db2 mq redirector vtape ldap script pnet tools' -d 'only this one'
complete -c lfp-workload -l bytes -x -d 'data of each application'
complete -c lfp-workload -l connections -x -d 'numbers of users'
complete -c lfp-workload -l commands -x -d 'commands of a user'
complete -c lfp-workload -l think -x -d 'mean time before a command'
complete -c lfp-workload -l messages -x -d 'messages of a cell'
complete -c lfp-workload -l route -x -a 'stack-osa stack hsi osa iucv hipersockets unix shm local native' -d 'only this route'
complete -c lfp-workload -l quick -d 'small transfers'
complete -c lfp-workload -l ftp -x -d 'bytes of a transfer by FTP'
complete -c lfp-workload -l transfer -x -d 'bytes of a transfer of each program'
complete -c lfp-workload -f -a telnet -d 'the report about telnet over IPv6'
complete -c lfp-workload -l connections -x -d 'numbers of users'
complete -c lfp-workload -l commands -x -d 'commands of a user'
complete -c lfp-workload -l think -x -d 'seconds before a command'
complete -c lfp-workload -f -a mq -d 'the paper about MQ over HiperSockets'
complete -c lfp-workload -l messages -x -d 'messages of 1,000 bytes'
complete -c lfp-workload -l repeat -x -d 'runs of each cell'
complete -c lfp-workload -l osa-delay -x -d 'delay of an OSA adapter in ms'
complete -c lfp-workload -l managers -x -a 'own mosquitto' -d 'the queue managers'
complete -c lfp-workload -f -a capacity -d 'CPU time of a day'
complete -c lfp-workload -l out -x -d 'MB a day from z/VSE to Linux'
complete -c lfp-workload -l in -x -d 'MB a day from Linux to z/VSE'
complete -c lfp-workload -l work -x -a 'ftp application' -d 'row of the slide'
complete -c lfp-workload -l language -x -a 'c cobol' -d 'of the application'
complete -c lfp-workload -l mode -x -a 'zvm lpar' -d 'where z/VSE runs'
complete -c lfp-workload -l speed -x -d 'of a CP, compared with a z10'
complete -c lfp-workload -l cps -x -d 'CPs that are 100 percent'
complete -c lfp-workload -l results -r -d 'results of the table lfp'
complete -c lfp-workload -l json -d 'print JSON'
complete -c lfp-workload -l plot -r -d 'draw a picture'
complete -c lfp-workload -l verdicts -r -d 'write what was measured'

complete -c vselfp-course -f -a '1 2 3 4 5 6 7 8 9 10 11 12'
complete -c vselfp-course -s s -l system -d 'run it on the system\'s own lfpd'
complete -c vselfp-course -s d -l dir -r -F -d 'take the exercises from there'
complete -c vselfp-course -s o -l out -r -F -d 'also leave the output there'
complete -c vselfp-course -s l -l list -d 'show the exercises'
complete -c vselfp-course -s h -l help -d 'print a summary'

complete -c vselfp-class -f -a 'list mark reset remove run'
complete -c vselfp-class -s d -l dir -r -F -d 'the class'
complete -c vselfp-class -s 1 -l one-user -d 'trees of one user'
complete -c vselfp-class -s h -l help -d 'print a summary'

for program in lfpd lfpd-ctl lfpd-admin ijblfpop lfp-run lfp-via lfp-workload vsejob
	complete -c $program -s V -l version -d 'print the version'
	complete -c $program -s h -l help -d 'print a summary'
end
