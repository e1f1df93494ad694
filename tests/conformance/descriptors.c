/* SPDX-License-Identifier: Apache-2.0 */
/* descriptors.c - copies of sockets, closing in bulk, flags, numbers */
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/conformance/conform.h"

static const char *copy_works(int copy, int original, int peer)
{
	const char *by_copy = exchange(copy, peer);

	if (strcmp(by_copy, "works") != 0)
		return by_copy;
	close(original);
	if (strcmp(exchange(peer, copy), "works") != 0)
		return "not after the original was closed";
	return "works";
}

enum copier { DUP, DUP2, DUP3, F_DUP, F_DUP_CLOEXEC, DUP_TO_0 };

static void copies(int af, int type)
{
	static const char *const names[] = {
		"dup", "dup2", "dup3", "F_DUPFD", "F_DUPFD_CLOEXEC", "dup2 to 0"};

	for (enum copier how = DUP; how <= DUP_TO_0; how++) {
		int fd[2], copy = -1, input = fcntl(0, F_DUPFD_CLOEXEC, 50);
		struct addr a, b;

		about("%s%d %s", type == SOCK_STREAM ? "tcp" : "udp", digit(af), names[how]);
		if (type == SOCK_STREAM)
			stream_pair(af, fd);
		else
			datagram_pair(af, fd);
		if (how == DUP)
			copy = TRY_FD("copy", dup(fd[0]));
		else if (how == DUP2)
			TRY("copy", copy = dup2(fd[0], 200));
		else if (how == DUP3)
			TRY("copy", copy = dup3(fd[0], 201, O_CLOEXEC));
		else if (how == F_DUP)
			TRY("copy", copy = fcntl(fd[0], F_DUPFD, 300));
		else if (how == F_DUP_CLOEXEC)
			TRY("copy", copy = fcntl(fd[0], F_DUPFD_CLOEXEC, 400));
		else
			TRY("copy", copy = dup2(fd[0], 0));
		TRY("close-on-exec", fcntl(copy, F_GETFD));
		a = name_of(fd[0]), b = name_of(copy);
		say("same name", "%d", same_addr(&a, &b));
		MUST(set_option(copy, SOL_SOCKET, SO_KEEPALIVE, 1));
		TRY("options are shared", get_option(fd[0], SOL_SOCKET, SO_KEEPALIVE));
		say("data", "%s", copy_works(copy, fd[0], fd[1]));
		close(copy);
		if (type == SOCK_STREAM)
			say("the last close is seen", "%s", received(fd[1], 0));
		close(fd[1]);
		MUST(dup2(input, 0));
		close(input);
	}
}

/* dup2 over a socket closes it. */
static void overwritten(int af)
{
	int fd[2], other[2];

	about("tcp%d", digit(af));
	stream_pair(af, fd);
	MUST(pipe(other));
	TRY("dup2 of a pipe over a socket", dup2(other[0], fd[0]) == fd[0]);
	say("the peer sees its end", "%s", received(fd[1], 0));
	TRY("which is no socket now", get_option(fd[0], SOL_SOCKET, SO_TYPE));
	TRY("getsockname", getsockname(fd[0], &(struct sockaddr){0}, &(socklen_t){16}));
	TRY("listen", listen(fd[0], 1));
	TRY("shutdown", shutdown(fd[0], SHUT_RD));
	close_pair(other);
	close_pair(fd);
	TRY("closed: connect", connect(fd[1], &(struct sockaddr){.sa_family = AF_INET}, 16));
	TRY("closed: bind", bind(fd[1], &(struct sockaddr){.sa_family = AF_INET}, 16));
	TRY("closed: listen", listen(fd[1], 1));
	TRY("closed: accept", accept(fd[1], NULL, NULL));
	TRY("closed: getsockname", getsockname(fd[1], NULL, NULL));
	TRY("closed: getpeername", getpeername(fd[1], NULL, NULL));
	TRY("closed: getsockopt", get_option(fd[1], SOL_SOCKET, SO_TYPE));
	TRY("closed: setsockopt", set_option(fd[1], SOL_SOCKET, SO_KEEPALIVE, 1));
	TRY("closed: shutdown", shutdown(fd[1], SHUT_WR));
	TRY("closed: send", send(fd[1], "x", 1, 0));
	TRY("closed: recv", recv(fd[1], NULL, 0, 0));
	TRY("closed: recvfrom", recvfrom(fd[1], NULL, 0, 0, NULL, NULL));
	TRY("closed: close", close(fd[1]));
}

static void in_bulk(int af)
{
	int fd[2], high[2];

	about("tcp%d", digit(af));
	for (int i = 0; i < 3; i++) {
		stream_pair(af, fd);
		high[0] = (int)MUST(fcntl(fd[0], F_DUPFD, 500));
		close(fd[0]);
		if (i == 0) {
			TRY("close_range", close_range(500, 600, 0));
			say("- the peer", "%s", received(fd[1], 0));
		} else if (i == 1) {
			TRY("close_range, close-on-exec",
			    close_range(500, 600, CLOSE_RANGE_CLOEXEC));
			TRY("- the flag", fcntl(high[0], F_GETFD));
			say("- still open", "%s", exchange(high[0], fd[1]));
			close(high[0]);
		} else {
			closefrom(500);
			say("closefrom, the peer", "%s", received(fd[1], 0));
		}
		close(fd[1]);
	}
	/* The sockets below live on, and calls on them work. */
	stream_pair(af, fd);
	closefrom((fd[0] > fd[1] ? fd[0] : fd[1]) + 1);
	say("after closefrom", "%s", exchange(fd[0], fd[1]));
	TRY("after closefrom: getsockopt", get_option(fd[0], SOL_SOCKET, SO_TYPE));
	TRY("after closefrom: setsockopt", set_option(fd[0], IPPROTO_TCP, TCP_NODELAY, 1));
	close_pair(fd);
	stream_pair(af, fd);
	say("after closefrom: new ones", "%s", exchange(fd[0], fd[1]));
	close_pair(fd);
}

static void flags(int af, int type)
{
	const char *proto = type == SOCK_STREAM ? "tcp" : "udp";
	int fd[2];
	struct addr addr;

	about("%s%d", proto, digit(af));
	fd[0] = socket(af, type, 0);
	TRY("plain: F_GETFL", fcntl(fd[0], F_GETFL));
	TRY("plain: F_GETFD", fcntl(fd[0], F_GETFD));
	close(fd[0]);
	fd[0] = socket(af, type | SOCK_NONBLOCK, 0);
	TRY("SOCK_NONBLOCK: F_GETFL", fcntl(fd[0], F_GETFL));
	close(fd[0]);
	fd[0] = socket(af, type | SOCK_CLOEXEC, 0);
	TRY("SOCK_CLOEXEC: F_GETFD", fcntl(fd[0], F_GETFD));
	TRY("unknown type flag", socket(af, type | 0x100000, 0));
	close(fd[0]);
	fd[0] = bound(af, type, &addr);
	TRY("FIONBIO", ioctl(fd[0], FIONBIO, &(int){1}));
	TRY("FIONBIO: F_GETFL", fcntl(fd[0], F_GETFL));
	TRY("FIOCLEX", ioctl(fd[0], FIOCLEX));
	TRY("FIOCLEX: F_GETFD", fcntl(fd[0], F_GETFD));
	TRY("F_SETOWN", fcntl(fd[0], F_SETOWN, getpid()));
	TRY("F_GETOWN", fcntl(fd[0], F_GETOWN) == getpid());
	TRY("O_ASYNC", fcntl(fd[0], F_SETFL, O_ASYNC));
	TRY("O_ASYNC: F_GETFL", fcntl(fd[0], F_GETFL));
	TRY("lseek", lseek(fd[0], 0, SEEK_SET));
	TRY("ftruncate", ftruncate(fd[0], 0));
	TRY("fsync", fsync(fd[0]));
	TRY("pread", pread(fd[0], fd, 1, 0));
	TRY("isatty", isatty(fd[0]) - 1);
	close(fd[0]);
}

/* socket() and accept() take the lowest free number, and leave nothing else behind. */
static void numbers(int af)
{
	struct addr addr;
	struct stat status;
	int at = listener(af, 0, &addr), low, fd;

	about("tcp%d", digit(af));
	low = dup(at);
	close(low);
	fd = socket(af, SOCK_STREAM, 0);
	TRY("socket takes the lowest number", fd == low);
	MUST(connect(fd, ADDR(&addr)));
	low = dup(at);
	close(low);
	TRY("accept takes the lowest number", accept(at, NULL, NULL) == low);
	TRY("nothing else is open", fcntl(low + 1, F_GETFD));
	TRY("fstat", fstat(fd, &status));
	TRY("it is a socket", S_ISSOCK(status.st_mode));
	close(fd);
	close(low);
	fd = socket(af, SOCK_DGRAM, 0);
	TRY("a datagram socket takes it, too", fd == low - 1);
	close(fd);
	close(at);
}

/* With no number left, calls that make none work. */
static void none_left(int af)
{
	struct rlimit old, few;
	struct addr addr;
	int fd[2], at = listener(af, 0, &addr), conn, filler[256], nr = 0;

	about("tcp%d no descriptor left", digit(af));
	stream_pair(af, fd);
	conn = new_socket(af, SOCK_STREAM);
	getrlimit(RLIMIT_NOFILE, &old);
	few = (struct rlimit){.rlim_cur = 64, .rlim_max = old.rlim_max};
	setrlimit(RLIMIT_NOFILE, &few);
	while (nr < 256 && (filler[nr] = dup(at)) >= 0)
		nr++;
	TRY("socket", socket(af, SOCK_STREAM, 0));
	TRY("datagram socket", socket(af, SOCK_DGRAM, 0));
	TRY("connect", connect(conn, ADDR(&addr)));
	pause_ms(NOTHING_MS);
	TRY("accept", accept(at, NULL, NULL));
	TRY("setsockopt", set_option(conn, SOL_SOCKET, SO_KEEPALIVE, 1));
	TRY("getsockopt", get_option(conn, SOL_SOCKET, SO_KEEPALIVE));
	TRY("getpeername", getpeername(conn, &addr.sa, &addr.len));
	say("data", "%s", exchange(fd[0], fd[1]));
	TRY("shutdown", shutdown(fd[0], SHUT_WR));
	while (nr)
		close(filler[--nr]);
	setrlimit(RLIMIT_NOFILE, &old);
	nr = TRY_FD("accept when there are some again", accept(at, NULL, NULL));
	say("which is the connection", "%s", exchange(conn, nr));
	close(nr);
	close(conn);
	close(at);
	close_pair(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		copies(af, SOCK_STREAM);
		copies(af, SOCK_DGRAM);
		overwritten(af);
		in_bulk(af);
		flags(af, SOCK_STREAM);
		flags(af, SOCK_DGRAM);
		numbers(af);
		none_left(af);
	}
	return 0;
}
