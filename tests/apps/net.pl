#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# net.pl serve HOST PORT | streams HOST PORT COUNT BYTES | datagrams HOST PORT COUNT - an echo server of
# TCP, a child for each connection, and of UDP; its clients; exit 1 if anything differs
use strict;
use warnings;
use IO::Select;
use IO::Socket::IP;
use POSIX ();
use Socket qw(SOCK_DGRAM SOCK_STREAM);

my ($verb, $host, $port, $count, $bytes) = @ARGV;
my @any = (GetAddrInfoFlags => 0); # by default IPv6 addresses need more of it than loopback

sub serve {
	my @at = (@any, LocalHost => $host, LocalPort => $port, ReuseAddr => 1);
	my $listener = IO::Socket::IP->new(@at, Type => SOCK_STREAM, Listen => 50) or die "listen: $@";
	my $datagrams = IO::Socket::IP->new(@at, Type => SOCK_DGRAM) or die "datagrams: $@";
	my $select = IO::Select->new($listener, $datagrams);
	$SIG{CHLD} = 'IGNORE';
	while (my @ready = $select->can_read) {
		for my $socket (@ready) {
			if ($socket == $datagrams) {
				my $data;
				$socket->send($data) if defined $socket->recv($data, 65536);
				next;
			}
			my $stream = $socket->accept or next;
			my $pid = fork // die "fork: $!";
			next if $pid;
			while (sysread $stream, my $data, 65536) {
				for (my $at = 0; $at < length $data;) {
					$at += syswrite($stream, $data, length($data) - $at, $at) // die "write: $!";
				}
			}
			POSIX::_exit(0);
		}
	}
}

# A child sends, so that neither side waits for the other.
sub stream {
	my ($seed) = @_;
	my $data = join ',', map { $seed * $_ } 1 .. $bytes / 8;
	my $stream = IO::Socket::IP->new(@any, PeerHost => $host, PeerPort => $port, Type => SOCK_STREAM) or die "connect: $@";
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		print {$stream} $data;
		$stream->flush;
		$stream->shutdown(1);
		POSIX::_exit(0);
	}
	my $back = do { local $/; <$stream> } // '';
	waitpid $pid, 0;
	return $back eq $data;
}

sub refused {
	IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => 1, Type => SOCK_STREAM) and return 0;
	return $!{ECONNREFUSED};
}

sub datagram {
	my ($socket, $seed) = @_;
	my $data = "$seed," x ($seed * 3 % 900);
	$socket->send($data) // die "send: $!";
	return 0 unless IO::Select->new($socket)->can_read(60);
	$socket->recv(my $back, 65536) // die "recv: $!";
	return $back eq $data;
}

my $good = 0;
if ($verb eq 'serve') {
	serve();
} elsif ($verb eq 'streams') {
	$good += stream($_) for 1 .. $count;
	$good = 0 unless refused();
} elsif ($verb eq 'datagrams') {
	my $socket = IO::Socket::IP->new(@any, PeerHost => $host, PeerPort => $port, Type => SOCK_DGRAM) or die "connect: $@";
	$good += datagram($socket, $_) for 1 .. $count;
}
print "$good of $count good\n";
exit($good != $count);
