/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - the program whose system calls are counted: one kind of operation, in windows of
 * OPERATIONS */

/*
 *	work WORK PORT
 *
 * Connects to far.c at 127.0.0.1, or listens at 0.0.0.0 for it (accept). Operations are done one at
 *a time, with a mark (mark.h) before each; those of a stream follow each other without a pause
 *within a window.
 */
#include <netinet/tcp.h>
#include <stdbool.h>

#include "tests/counts/mark.h"
#include "tests/counts/sizes.h"
#include "tests/system/tool.h"

static struct sockaddr_in far_addr;
static int sock = -1; /* connected, or a listener */
static char buf[BLOCK];

static void write_all(int fd, size_t len)
{
	if (send_all(fd, buf, len) < 0)
		die("send");
}

static void read_all(int fd, size_t len)
{
	if (recv_all(fd, buf, len) < 0)
		die("recv");
}

/* The first byte of a connection tells far.c what to do. */
static void connect_far(char order)
{
	sock = tcp_connect(&far_addr);
	if (sock < 0)
		die("connect");
	*buf = order;
	write_all(sock, 1);
	read_all(sock, 1);
}

static void nothing(void)
{
}

static void begin_sink(void)
{
	connect_far('s');
}

static void begin_pour(void)
{
	connect_far('p');
}

static void begin_echo(void)
{
	connect_far('e');
}

static void begin_accept(void)
{
	const struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = far_addr.sin_port};

	sock = tcp_listen(&addr, 0);
}

static void bulk_out(void)
{
	write_all(sock, BLOCK);
}

static void ask_blocks(void)
{
	write_all(sock, 1);
}

static void bulk_in(void)
{
	read_all(sock, BLOCK);
}

static void round_trip(void)
{
	write_all(sock, MESSAGE);
	read_all(sock, MESSAGE);
}

static void do_connect(void)
{
	connect_far('e');
	close(sock);
}

static void connect_nodelay(void)
{
	const int on = 1;

	sock = tcp_connect(&far_addr);
	if (sock < 0 || setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) < 0)
		die("connect");
	*buf = 'e';
	write_all(sock, 1);
	read_all(sock, 1);
	close(sock);
}

static void do_accept(void)
{
	int conn = accept(sock, NULL, NULL);

	if (conn < 0)
		die("accept");
	read_all(conn, 1);
	write_all(conn, 1);
	if (recv(conn, buf, 1, 0) != 0)
		die("no end of file");
	close(conn);
}

static void do_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || close(fd) < 0)
		die("socket");
}

static void set_nodelay(void)
{
	const int on = 1;

	if (setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) < 0)
		die("TCP_NODELAY");
}

static void get_name(int (*get)(int, struct sockaddr *, socklen_t *))
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);

	if (get(sock, (struct sockaddr *)&addr, &len) < 0 || addr.sin_family != AF_INET)
		die("name");
}

static void own_name(void)
{
	get_name(getsockname);
}

static void peer_name(void)
{
	get_name(getpeername);
}

static const struct work {
	const char *name;
	void (*begin)(void);        /* once */
	void (*begin_window)(void); /* before the operations of a window */
	void (*operate)(void);
	bool stream;
} works[] = {
	{"bulk-out", begin_sink, nothing, bulk_out, true},
	{"bulk-in", begin_pour, ask_blocks, bulk_in, true},
	{"round-trip", begin_echo, nothing, round_trip, false},
	{"connect", nothing, nothing, do_connect, false},
	{"connect-nodelay", nothing, nothing, connect_nodelay, false},
	{"accept", begin_accept, nothing, do_accept, false},
	{"socket", nothing, nothing, do_socket, false},
	{"nodelay", begin_echo, nothing, set_nodelay, false},
	{"getsockname", begin_echo, nothing, own_name, false},
	{"getpeername", begin_echo, nothing, peer_name, false},
};

static void do_window(const struct work *work)
{
	work->begin_window();
	for (int i = 0; i < OPERATIONS; i++) {
		work->operate();
		if (!work->stream && i + 1 < OPERATIONS)
			mark(MARK_SETTLE);
	}
}

int main(int argc, char **argv)
{
	const struct work *work = works;

	if (argc != 3)
		return 64;
	while (strcmp(work->name, argv[1]) != 0)
		if (++work == works + sizeof(works) / sizeof(works[0]))
			return 64;
	far_addr = host_addr("127.0.0.1", number(argv[2]));
	mark(MARK_SETTLE); /* far.c listens */
	work->begin();
	for (int i = 0; i < WARM_UPS + WINDOWS; i++) {
		mark(i < WARM_UPS ? MARK_SETTLE : MARK_WINDOW);
		do_window(work);
	}
	mark(MARK_WINDOW);
	return 0;
}
