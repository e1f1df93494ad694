/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - getsockopt and setsockopt of SOL_SOCKET: values, lengths, unknown and refused options
 */
#include <linux/sockios.h>
#include <sys/wait.h>

#include "tests/conformance/conform.h"

#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif

struct option {
	const char *text;
	int name;
	int value; /* set to */
};

/* Numbers that anybody may set */
static const struct option numbers[] = {
	{"SO_REUSEADDR", SO_REUSEADDR, 1},
	{"SO_REUSEPORT", SO_REUSEPORT, 1},
	{"SO_KEEPALIVE", SO_KEEPALIVE, 1},
	{"SO_DONTROUTE", SO_DONTROUTE, 1},
	{"SO_BROADCAST", SO_BROADCAST, 1},
	{"SO_OOBINLINE", SO_OOBINLINE, 1},
	{"SO_PRIORITY", SO_PRIORITY, 5},
	{"SO_RCVLOWAT", SO_RCVLOWAT, 3},
	{"SO_SNDLOWAT", SO_SNDLOWAT, 3},
	{"SO_RCVBUF", SO_RCVBUF, 30000},
	{"SO_SNDBUF", SO_SNDBUF, 30000},
	{"SO_NO_CHECK", SO_NO_CHECK, 1},
	{"SO_BUSY_POLL", SO_BUSY_POLL, 0},
	{"SO_TIMESTAMP", SO_TIMESTAMP, 1},
	{"SO_RXQ_OVFL", SO_RXQ_OVFL, 1},
	{"SO_MAX_PACING_RATE", SO_MAX_PACING_RATE, 1000000},
	/* Read-only options */
	{"SO_TYPE", SO_TYPE, 1},
	{"SO_DOMAIN", SO_DOMAIN, 1},
	{"SO_PROTOCOL", SO_PROTOCOL, 1},
	{"SO_ERROR", SO_ERROR, 1},
	{"SO_ACCEPTCONN", SO_ACCEPTCONN, 1},
};

static void values(int af, int type)
{
	int fd = new_socket(af, type);
	char text[64];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct option *o = &numbers[i];
		int before = get_option(fd, SOL_SOCKET, o->name), set, after;
		const char *error = before < 0 && errno ? error_name(errno) : "";

		/* The buffers' own sizes are the machine's. */
		if (o->name == SO_RCVBUF || o->name == SO_SNDBUF)
			before = before > 2000;
		set = set_option(fd, SOL_SOCKET, o->name, o->value) < 0 ? errno : 0;
		after = get_option(fd, SOL_SOCKET, o->name);
		snprintf(text, sizeof(text), "%s", o->text);
		say(text, "at first %d%s, set %s, then %d", before, error, error_name(set), after);
	}
	close(fd);
}

static void lengths(int af, int type)
{
	struct {
		int value, guard;
	} box = {-1, 0x5a5a};
	char byte = 1;
	socklen_t len;
	int fd = new_socket(af, type);
	void *nowhere = bad_address();

	len = 8;
	TRY("longer than it is", getsockopt(fd, SOL_SOCKET, SO_TYPE, &box, &len));
	say("longer than it is: it", "%d, %u bytes, guard %#x", box.value, len, box.guard);
	len = 1;
	box.value = -1;
	TRY("one byte", getsockopt(fd, SOL_SOCKET, SO_TYPE, &box, &len));
	say("one byte: it", "%#x, %u bytes", box.value, len);
	len = 0;
	TRY("none", getsockopt(fd, SOL_SOCKET, SO_TYPE, &box, &len));
	say("none: it", "%u bytes", len);
	len = (socklen_t)-1;
	TRY("negative", getsockopt(fd, SOL_SOCKET, SO_TYPE, &box, &len));
	TRY("bad length", getsockopt(fd, SOL_SOCKET, SO_TYPE, &box, nowhere));
	len = 4;
	TRY("bad value", getsockopt(fd, SOL_SOCKET, SO_TYPE, nowhere, &len));
	len = 4;
	TRY("bad value of a forwarded one",
	    getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, nowhere, &len));
	TRY("set one byte", setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &byte, 1));
	TRY("set no bytes", setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &byte, 0));
	TRY("set a negative number",
	    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &byte, (socklen_t)-1));
	TRY("set more", setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &box, sizeof(box)));
	TRY("set with a bad pointer", setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, nowhere, 4));
	TRY("it is one or nothing", get_option(fd, SOL_SOCKET, SO_KEEPALIVE));
	TRY("set to 7", set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 7));
	TRY("and get", get_option(fd, SOL_SOCKET, SO_KEEPALIVE));
	TRY("unknown: get", get_option(fd, SOL_SOCKET, 9999));
	TRY("unknown: set", set_option(fd, SOL_SOCKET, 9999, 1));
	TRY("unknown level: get", get_option(fd, 9999, 1));
	TRY("unknown level: set", set_option(fd, 9999, 1, 1));
	TRY("level 0", get_option(fd, SOL_IP, 9999));
	TRY("another protocol: get",
	    get_option(fd, type == SOCK_STREAM ? IPPROTO_UDP : IPPROTO_TCP, 1));
	TRY("another protocol: set",
	    set_option(fd, type == SOCK_STREAM ? IPPROTO_UDP : IPPROTO_TCP, 1, 1));
	TRY("negative name", get_option(fd, SOL_SOCKET, -1));
	close(fd);
}

static void buffers(int af, int type)
{
	int fd = new_socket(af, type);

	TRY("SO_RCVBUF of nothing", set_option(fd, SOL_SOCKET, SO_RCVBUF, 0));
	TRY("SO_RCVBUF of nothing: it", get_option(fd, SOL_SOCKET, SO_RCVBUF));
	TRY("SO_SNDBUF of nothing", set_option(fd, SOL_SOCKET, SO_SNDBUF, 0));
	TRY("SO_SNDBUF of nothing: it", get_option(fd, SOL_SOCKET, SO_SNDBUF));
	TRY("SO_RCVBUF of too much", set_option(fd, SOL_SOCKET, SO_RCVBUF, 1 << 30));
	TRY("SO_RCVBUF of too much: it is less", get_option(fd, SOL_SOCKET, SO_RCVBUF) < 1 << 30);
	TRY("SO_SNDBUF, negative", set_option(fd, SOL_SOCKET, SO_SNDBUF, -5));
	TRY("SO_SNDBUF, negative: it is large", get_option(fd, SOL_SOCKET, SO_SNDBUF) > 100000);
	TRY("SO_RCVBUF", set_option(fd, SOL_SOCKET, SO_RCVBUF, 50000));
	TRY("SO_RCVBUF: twice as much", get_option(fd, SOL_SOCKET, SO_RCVBUF));
	close(fd);
}

static void structures(int af, int type)
{
	struct linger linger = {5, 5};
	uint32_t meminfo[9] = {0};
	uint64_t cookie[2] = {0};
	char device[16] = "";
	int fd = new_socket(af, type), other = new_socket(af, type);
	socklen_t len = sizeof(linger);

	TRY("SO_LINGER", getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &len));
	say("SO_LINGER: it", "%d %d, %u bytes", linger.l_onoff, linger.l_linger, len);
	linger = (struct linger){3, 12};
	TRY("SO_LINGER set", setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)));
	TRY("SO_LINGER get", getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &len));
	say("SO_LINGER get: it", "%d %d", linger.l_onoff, linger.l_linger);
	TRY("SO_LINGER, short", setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, 4));
	linger.l_onoff = 0;
	MUST(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)));
	len = 4;
	TRY("SO_LINGER, get a part", getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &len));
	say("SO_LINGER, get a part: it", "%d, %u bytes", linger.l_onoff, len);
	len = sizeof(cookie[0]);
	TRY("SO_COOKIE", getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie[0], &len));
	MUST(getsockopt(other, SOL_SOCKET, SO_COOKIE, &cookie[1], &len));
	say("SO_COOKIE: each has its own", "%d", cookie[0] != cookie[1]);
	len = sizeof(meminfo);
	TRY("SO_MEMINFO", getsockopt(fd, SOL_SOCKET, SO_MEMINFO, meminfo, &len));
	say("SO_MEMINFO: bytes", "%u", len);
	len = sizeof(device);
	TRY("SO_BINDTODEVICE", getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, &len));
	say("SO_BINDTODEVICE: bytes", "%u", len);
	TRY("SO_BINDTODEVICE lo", setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3));
	len = sizeof(device);
	MUST(getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, &len));
	say("SO_BINDTODEVICE: it", "'%s', %u bytes", device, len);
	TRY("SO_BINDTODEVICE nothing", setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "nothing", 8));
	TRY("SO_DETACH_FILTER", set_option(fd, SOL_SOCKET, SO_DETACH_FILTER, 0));
	TRY("SO_INCOMING_CPU", get_option(fd, SOL_SOCKET, SO_INCOMING_CPU) >= -1);
	TRY("SO_PEERCRED", getsockopt(fd, SOL_SOCKET, SO_PEERCRED, meminfo, (len = 12, &len)));
	TRY("SO_PASSCRED", set_option(fd, SOL_SOCKET, SO_PASSCRED, 1));
	close(fd);
	close(other);
}

static void states(int af)
{
	struct addr addr;
	int fd[2], at = listener(af, 0, &addr);

	about("tcp%d states", digit(af));
	stream_pair(af, fd);
	TRY("SO_TYPE", get_option(fd[1], SOL_SOCKET, SO_TYPE));
	TRY("SO_DOMAIN", get_option(fd[1], SOL_SOCKET, SO_DOMAIN) == af);
	TRY("SO_PROTOCOL", get_option(fd[1], SOL_SOCKET, SO_PROTOCOL));
	TRY("SO_PROTOCOL of a listener", get_option(at, SOL_SOCKET, SO_PROTOCOL));
	TRY("SO_ERROR", get_option(fd[1], SOL_SOCKET, SO_ERROR));
	TRY("SO_REUSEADDR of a connection", set_option(fd[0], SOL_SOCKET, SO_REUSEADDR, 1));
	TRY("SO_REUSEADDR: it", get_option(fd[0], SOL_SOCKET, SO_REUSEADDR));
	TRY("SO_REUSEPORT of a connection", set_option(fd[0], SOL_SOCKET, SO_REUSEPORT, 1));
	close(fd[1]);
	WAIT(all_events(fd[0]) & POLLRDHUP);
	TRY("peer gone: SO_TYPE", get_option(fd[0], SOL_SOCKET, SO_TYPE));
	TRY("peer gone: SO_KEEPALIVE", set_option(fd[0], SOL_SOCKET, SO_KEEPALIVE, 1));
	TRY("peer gone: SO_ERROR", get_option(fd[0], SOL_SOCKET, SO_ERROR));
	close(fd[0]);
	close(at);
}

/* Sets options in another process, which shares the socket. */
static void set_elsewhere(int fd, int nodelay, int keepalive)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(set_option(fd, IPPROTO_TCP, TCP_NODELAY, nodelay) ||
		      set_option(fd, SOL_SOCKET, SO_KEEPALIVE, keepalive));
	MUST(waitpid(pid, NULL, 0));
}

static void show_two(const char *when, int fd)
{
	say(when, "TCP_NODELAY %d, SO_KEEPALIVE %d", get_option(fd, IPPROTO_TCP, TCP_NODELAY),
	    get_option(fd, SOL_SOCKET, SO_KEEPALIVE));
}

/* Options stay with the socket: before and after connect() and listen(), for all processes. */
static void stay(int af)
{
	struct addr addr;
	int at = new_socket(af, SOCK_STREAM), fd = new_socket(af, SOCK_STREAM), conn;

	about("tcp%d options that stay", digit(af));
	addr = loopback(af, 0);
	set_elsewhere(at, 1, 0);
	MUST(bind(at, ADDR(&addr)));
	MUST(listen(at, 1));
	addr = name_of(at);
	show_two("the listener's", at);
	show_two("new", fd);
	set_elsewhere(fd, 1, 1);
	show_two("before connect()", fd);
	MUST(connect(fd, ADDR(&addr)));
	show_two("after connect()", fd);
	set_elsewhere(fd, 0, 1);
	show_two("changed", fd);
	MUST(set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1));
	MUST(set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 0));
	show_two("changed again", fd);
	conn = accept(at, NULL, NULL);
	show_two("the accepted one's", conn);
	set_elsewhere(conn, 0, 0);
	show_two("the accepted one's, changed", conn);
	addr = unspec();
	MUST(connect(fd, ADDR(&addr)));
	show_two("after AF_UNSPEC", fd);
	close(conn);
	close(fd);
	close(at);
}

static int get_elsewhere(int fd, int level, int name)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(get_option(fd, level, name));
	MUST(waitpid(pid, &status, 0));
	return WEXITSTATUS(status);
}

static void show_new(const char *when, int fd)
{
	say(when, "in a child: TCP_NODELAY %d, SO_KEEPALIVE %d; here: %d, %d",
	    get_elsewhere(fd, IPPROTO_TCP, TCP_NODELAY),
	    get_elsewhere(fd, SOL_SOCKET, SO_KEEPALIVE), get_option(fd, IPPROTO_TCP, TCP_NODELAY),
	    get_option(fd, SOL_SOCKET, SO_KEEPALIVE));
}

/* Sets options of a connection on which nothing was sent. */
static void set_new(int af, const char *whose, int fd, int round)
{
	about("tcp%d options of a new connection, %s, %d", digit(af), whose, round);
	MUST(set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1));
	if (round & 1)
		show_new("TCP_NODELAY", fd);
	MUST(set_option(fd, IPPROTO_TCP, TCP_NODELAY, 0));
	MUST(set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1));
	if (round & 2)
		MUST(send(fd, "x", 1, 0));
	MUST(set_option(fd, IPPROTO_TCP, TCP_NODELAY, round & 4));
	show_new("changed", fd);
	MUST(send(fd, "y", 1, 0));
	show_new("with data sent", fd);
}

/* Options are set before a call or data that follows, and all processes see them. LFP learns in the
 * first rounds that the program makes many sockets. */
static void new_connections(int af)
{
	struct addr addr = loopback(af, 0);
	int at = new_socket(af, SOCK_STREAM);

	MUST(bind(at, ADDR(&addr)));
	MUST(listen(at, 1));
	addr = name_of(at);
	for (int round = 0; round < 12; round++) {
		int fd = new_socket(af, SOCK_STREAM), conn;

		MUST(connect(fd, ADDR(&addr)));
		conn = accept(at, NULL, NULL);
		MUST(conn);
		set_new(af, "connect()", fd, round);
		set_new(af, "accept()", conn, round);
		close(conn);
		close(fd);
	}
	close(at);
}

/* The last of two values counts, also where a program that has made many IPv6 sockets makes its
 * first IPv4 sockets between the two. */
static void two_families(void)
{
	struct addr addr = loopback(AF_INET6, 0);
	int at = new_socket(AF_INET6, SOCK_STREAM), fd = -1;

	about("an option set twice, sockets of another family between");
	MUST(bind(at, ADDR(&addr)));
	MUST(listen(at, 8));
	addr = name_of(at);
	for (int i = 0; i < 8; i++) {
		close(fd);
		fd = new_socket(AF_INET6, SOCK_STREAM);
		MUST(connect(fd, ADDR(&addr)));
	}
	MUST(set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1));
	for (int i = 0; i < 8; i++)
		close(new_socket(AF_INET, SOCK_STREAM));
	MUST(set_option(fd, IPPROTO_TCP, TCP_NODELAY, 0));
	say("it", "%d", get_option(fd, IPPROTO_TCP, TCP_NODELAY));
	close(fd);
	close(at);
}

/* The child has made no sockets yet, as LFP sees it. */
static void in_a_child(void (*what)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		what();
		fflush(stdout);
		_exit(0);
	}
	MUST(waitpid(pid, NULL, 0));
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		for (int type = SOCK_STREAM; type <= SOCK_DGRAM; type++) {
			about("%s%d", type == SOCK_STREAM ? "tcp" : "udp", digit(af));
			values(af, type);
			lengths(af, type);
			buffers(af, type);
			structures(af, type);
		}
		states(af);
		stay(af);
		new_connections(af);
	}
	in_a_child(two_families);
	return 0;
}
