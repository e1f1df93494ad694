#!/usr/bin/tclsh
# SPDX-License-Identifier: Apache-2.0
# net.tcl serve HOST PORT | streams HOST PORT COUNT BYTES - an echo server with events, and its client
# with connections made in the background; exit 1 if anything differs

lassign $argv verb host port count bytes
set good 0
set left 0

proc echo {stream} {
	puts -nonewline $stream [read $stream 65536]
	if {[eof $stream]} {
		close $stream
	}
}

proc accepted {stream from port} {
	fconfigure $stream -blocking 0 -translation binary -buffersize 65536
	fileevent $stream readable [list echo $stream]
}

# connected: it is writable for the first time, or has failed
proc connected {stream data} {
	fileevent $stream writable {}
	if {[fconfigure $stream -error] ne ""} {
		finished $stream 0
		return
	}
	puts -nonewline $stream $data
	close $stream write
}

proc received {stream data} {
	append ::back($stream) [read $stream]
	if {[eof $stream]} {
		finished $stream [expr {$::back($stream) eq $data}]
	}
}

proc finished {stream result} {
	incr ::good $result
	incr ::left -1
	close $stream
}

proc start {host port seed bytes} {
	set data [string repeat "$seed," [expr {$bytes / ([string length $seed] + 1)}]]
	set stream [socket -async $host $port]
	set ::back($stream) ""
	fconfigure $stream -blocking 0 -translation binary
	fileevent $stream writable [list connected $stream $data]
	fileevent $stream readable [list received $stream $data]
	incr ::left
}

if {$verb eq "serve"} {
	socket -server accepted -myaddr $host $port
	vwait forever
}
for {set seed 1} {$seed <= $count} {incr seed} {
	start $host $port $seed $bytes
}
after 100000 {set left 0}
while {$left > 0} {
	vwait left
}
if {![catch {socket 127.0.0.1 1} error] || ![string match "*connection refused*" $error]} {
	puts "a refused port: $error"
	exit 1
}
puts "$good of $count good"
exit [expr {$good != $count}]
