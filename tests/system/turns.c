/* SPDX-License-Identifier: Apache-2.0 */
/* turns.c - two programs that ask and answer at random, and look at each byte
 *
 *	turns serve HOST PORT			the end that is not on LFP
 *	turns ask HOST PORT SEED CONNS ROUNDS	the one that is; CONNS connections, each after the
 *						last
 *
 * Both ends draw the same amounts from the seed. In most rounds the asker writes, and the other end
 * answers when it has all. In some there is no answer, or both write at the same time. How an end
 * cuts its bytes into calls is its own: write, writev, sendfile, waits for room, two processes. A
 * connection ends with shutdown() or with close(). For each one that has come whole to its end, the
 * server says "SEED CONN whole". The asker ends with 0 and "SEED done". An error is a line.
 */
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "tests/system/tool.h"

enum { STREAM = 1 << 16, LARGE = 300000, PATIENCE_MS = 120000 };

/* What both ends know. */
struct script {
	uint32_t seed, conn, rounds;
};

/* One direction of a connection. */
struct way {
	uint64_t at;  /* bytes moved */
	size_t to_go; /* of this round */
};

static unsigned char stream[2 * STREAM]; /* what both ends send, each from another place */
static int stream_file;
static uint64_t own; /* draws that the other end does not know */
static struct script script;
static const char *side;

static _Noreturn void wrong(const char *what, uint64_t at)
{
	printf("%s %u, connection %u, byte %llu: %s: %s\n", side, script.seed, script.conn,
	       (unsigned long long)at, what, error_name(errno));
	fflush(stdout);
	_exit(1);
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % below;
}

static size_t draw_amount(uint64_t *state)
{
	uint32_t kind = draw(state, 100);

	if (kind < 60)
		return 1 + draw(state, 300);
	if (kind < 85)
		return 1 + draw(state, 6000);
	if (kind < 97)
		return 1 + draw(state, 40000);
	return 1 + draw(state, LARGE);
}

static void make_stream(void)
{
	uint64_t state = 1;

	for (size_t i = 0; i < STREAM; i++)
		stream[i] = stream[i + STREAM] = (unsigned char)draw(&state, 256);
	stream_file = memfd_create("stream", MFD_CLOEXEC);
	if (stream_file < 0 || write(stream_file, stream, sizeof(stream)) != sizeof(stream))
		wrong("memfd", 0);
}

static const unsigned char *bytes_at(const struct way *way)
{
	return stream + way->at % STREAM;
}

static void wait_for(int fd, short events, uint64_t at)
{
	struct pollfd pfd = {.fd = fd, .events = events};

	if (poll(&pfd, 1, PATIENCE_MS) != 1)
		wrong("nothing happens", at);
}

/* Sends a piece. */
static void send_piece(int fd, struct way *out)
{
	uint32_t small = 1 + draw(&own, 200), most = draw(&own, 3) ? small : STREAM;
	size_t len = out->to_go < most ? out->to_go : most;
	struct iovec parts[] = {{(void *)(uintptr_t)bytes_at(out), len / 2},
				{(void *)(uintptr_t)(bytes_at(out) + len / 2), len - len / 2}};
	off_t from = (off_t)(out->at % STREAM);
	ssize_t n;

	switch (draw(&own, 5)) {
	case 0:
		n = writev(fd, parts, 2);
		break;
	case 1:
		n = sendfile(fd, stream_file, &from, len);
		break;
	case 2:
		wait_for(fd, POLLOUT, out->at);
		n = send(fd, bytes_at(out), len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN)
			return;
		break;
	default:
		n = write(fd, bytes_at(out), len);
		break;
	}
	if (n <= 0)
		wrong("send", out->at);
	out->at += (size_t)n;
	out->to_go -= (size_t)n;
}

static void send_round(int fd, struct way *out)
{
	while (out->to_go)
		send_piece(fd, out);
}

static void receive_piece(int fd, struct way *in, int flags)
{
	static unsigned char got[STREAM];
	size_t most = draw(&own, 4) ? sizeof(got) : 1 + draw(&own, 500);
	ssize_t n = recv(fd, got, in->to_go < most ? in->to_go : most, flags);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n == 0)
		errno = 0;
	if (n <= 0)
		wrong("recv", in->at);
	if (memcmp(got, bytes_at(in), (size_t)n))
		wrong("another byte", in->at);
	in->at += (size_t)n;
	in->to_go -= (size_t)n;
}

static void receive_round(int fd, struct way *in)
{
	while (in->to_go)
		receive_piece(fd, in, 0);
}

/* Another process sends: a descriptor of the same near end. */
static void send_by_child(int fd, struct way *out)
{
	pid_t child = fork();
	int status;

	if (!child) {
		send_round(fd, out);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		wrong("a child", out->at);
	out->at += out->to_go;
	out->to_go = 0;
}

static void both_at_once(int fd, struct way *out, struct way *in)
{
	while (out->to_go || in->to_go) {
		struct pollfd pfd = {
			.fd = fd,
			.events = (short)((out->to_go ? POLLOUT : 0) | (in->to_go ? POLLIN : 0)),
		};
		size_t len = 1 + draw(&own, 3000);
		ssize_t n;

		if (poll(&pfd, 1, PATIENCE_MS) != 1)
			wrong("nothing happens", out->at);
		if (in->to_go && (pfd.revents & ~POLLOUT))
			receive_piece(fd, in, MSG_DONTWAIT);
		if (!out->to_go || !(pfd.revents & POLLOUT))
			continue;
		n = send(fd, bytes_at(out), len < out->to_go ? len : out->to_go,
			 MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN)
			wrong("send", out->at);
		out->at += n < 0 ? 0 : (size_t)n;
		out->to_go -= n < 0 ? 0 : (size_t)n;
	}
}

static void talk(int fd, bool asks)
{
	uint64_t common = ((uint64_t)script.seed << 32) + script.conn;
	struct way asked = {.at = script.seed}, answered = {.at = 7};
	struct way *out = asks ? &asked : &answered, *in = asks ? &answered : &asked;
	bool ends;
	char c;

	for (uint32_t i = 0; i < script.rounds; i++) {
		uint32_t kind = draw(&common, 20);

		asked.to_go = draw_amount(&common);
		answered.to_go = draw_amount(&common);
		if (kind == 0)
			answered.to_go = 0;
		if (kind == 1) {
			both_at_once(fd, out, in);
		} else if (asks) {
			if (draw(&own, 30))
				send_round(fd, out);
			else
				send_by_child(fd, out);
			receive_round(fd, in);
		} else {
			receive_round(fd, in);
			send_round(fd, out);
		}
	}
	asked.to_go = draw_amount(&common);
	ends = draw(&common, 2);
	if (asks) {
		send_round(fd, &asked);
		if (ends && (shutdown(fd, SHUT_WR) || recv(fd, &c, 1, 0) != 0))
			wrong("the end", answered.at);
	} else {
		receive_round(fd, &asked);
		if (recv(fd, &c, 1, 0) != 0)
			wrong("the end", asked.at);
	}
	close(fd);
}

static int reach(const struct sockaddr_in *addr)
{
	int fd = tcp_connect(addr), yes = 1;

	if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)))
		wrong("connect", 0);
	return fd;
}

static void ask(const struct sockaddr_in *addr, uint32_t conns)
{
	for (script.conn = 0; script.conn < conns; script.conn++) {
		int fd = reach(addr);

		if (send_all(fd, &script, sizeof(script)))
			wrong("the script", 0);
		talk(fd, true);
	}
}

static void serve(const struct sockaddr_in *addr)
{
	int listener = tcp_listen(addr, 0);

	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			die("accept");
		if (!fork()) {
			signal(SIGCHLD, SIG_DFL);
			if (recv_all(fd, &script, sizeof(script)))
				wrong("the script", 0);
			own = ((uint64_t)script.conn << 32) + script.seed;
			talk(fd, false);
			printf("%u %u whole\n", script.seed, script.conn);
			return;
		}
		close(fd);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in addr;

	if (argc < 4)
		return 64;
	side = argv[1];
	addr = host_addr(argv[2], number(argv[3]));
	make_stream();
	if (!strcmp(side, "serve")) {
		serve(&addr);
		return 0;
	}
	if (argc != 7)
		return 64;
	script.seed = (uint32_t)number(argv[4]);
	script.rounds = (uint32_t)number(argv[6]);
	own = script.seed;
	ask(&addr, (uint32_t)number(argv[5]));
	printf("%u done\n", script.seed);
	return 0;
}
