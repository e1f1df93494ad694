/* SPDX-License-Identifier: Apache-2.0 */
/* transfers.c - read and write, and calls that move data in other ways: vectors, sendfile, splice,
 * tee, io_uring */
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>

#include "tests/conformance/conform.h"

static void vectors(int af, int type)
{
	char a[4] = "", b[4] = "";
	char ab[] = "ab", cde[] = "cde", *nowhere = bad_address();
	struct iovec out[3] = {{ab, 2}, {NULL, 0}, {cde, 3}};
	struct iovec in[2] = {{a, 3}, {b, 3}};
	volatile int many = 100000;
	int fd[2];

	if (type == SOCK_STREAM)
		stream_pair(af, fd);
	else
		datagram_pair(af, fd);
	TRY("writev", writev(fd[0], out, 3));
	if (type == SOCK_STREAM)
		wait_bytes(fd[1], 5);
	else
		readable(fd[1]);
	TRY("readv", readv(fd[1], in, 2));
	say("readv: received", "%.3s|%.2s", a, b);
	TRY("writev of nothing", writev(fd[0], out, 0));
	TRY("readv of too many", readv(fd[1], in, many));
	TRY("pwritev2", pwritev2(fd[0], out, 3, -1, 0));
	readable(fd[1]);
	TRY("preadv2", preadv2(fd[1], in, 1, -1, 0));
	/* The rest of a datagram is discarded. */
	TRY("preadv2, not waiting", preadv2(fd[1], in, 2, -1, RWF_NOWAIT));
	TRY("preadv2, nothing there", preadv2(fd[1], in, 2, -1, RWF_NOWAIT));
	TRY("preadv2 at a place", preadv2(fd[1], in, 1, 3, 0));
	TRY("pwrite", pwrite(fd[0], "x", 1, 3));
	TRY("write", write(fd[0], "plain", 5));
	readable(fd[1]);
	TRY("read of a part", read(fd[1], a, 2));
	set_blocking(fd[1], false);
	TRY("read of the rest", read(fd[1], b, 4));
	TRY("read of nothing", read(fd[1], b, 0));
	TRY("write of nothing", write(fd[0], "", 0));
	if (type == SOCK_STREAM)
		say("nothing comes of it", "%s", events_text(poll_for(fd[1], POLLIN, NOTHING_MS)));
	else
		say("an empty datagram comes", "%s", received(fd[1], 0));
	TRY("bad address: write", write(fd[0], nowhere, 5));
	TRY("bad address: send", send(fd[0], nowhere, 5, 0));
	MUST(send(fd[0], "x", 1, 0));
	readable(fd[1]);
	TRY("bad address: read", read(fd[1], nowhere, 5));
	close_pair(fd);
}

static int file_with(const void *data, size_t len)
{
	int file = memfd_create("file", MFD_CLOEXEC);

	MUST(write(file, data, len));
	return file;
}

static void files(int af)
{
	enum { LEN = 1 << 20 };
	static unsigned char sent[LEN], got[LEN];
	off_t at = 3;
	int fd[2], file, pipes[2];
	pid_t pid;

	stream_pair(af, fd);
	file = file_with("0123456789", 10);
	TRY("sendfile", sendfile(fd[0], file, &at, 4));
	say("sendfile: received", "%s", received(fd[1], 0));
	say("sendfile: the place", "%d", (int)at);
	TRY("sendfile: the file's own place", lseek(file, 0, SEEK_CUR));
	lseek(file, 8, SEEK_SET);
	TRY("sendfile to its end", sendfile(fd[0], file, NULL, 100));
	say("sendfile to its end: received", "%s", received(fd[1], 0));
	TRY("sendfile: the file's place then", lseek(file, 0, SEEK_CUR));
	TRY("sendfile from a socket", sendfile(file, fd[0], NULL, 4));
	close(file);

	MUST(pipe(pipes));
	MUST(write(pipes[1], "through a pipe", 14));
	TRY("splice to a socket", splice(pipes[0], NULL, fd[0], NULL, 100, 0));
	say("splice to a socket: received", "%s", received(fd[1], 0));
	MUST(send(fd[0], "from a socket", 13, 0));
	wait_bytes(fd[1], 13);
	TRY("splice from a socket", splice(fd[1], NULL, pipes[1], NULL, 100, 0));
	memset(got, 0, 16);
	TRY("splice from a socket: read", read(pipes[0], got, 16));
	say("splice from a socket: what", "%.16s", (char *)got);
	set_blocking(fd[1], false);
	TRY("splice, nothing there", splice(fd[1], NULL, pipes[1], NULL, 100, SPLICE_F_NONBLOCK));
	set_blocking(fd[1], true);
	TRY("splice between sockets", splice(fd[1], NULL, fd[0], NULL, 100, 0));
	TRY("tee of a socket", tee(fd[1], pipes[1], 100, 0));
	MUST(send(fd[0], "twice", 5, 0));
	wait_bytes(fd[1], 5);
	TRY("splice, then tee", splice(fd[1], NULL, pipes[1], NULL, 100, 0));
	{
		int other[2];

		MUST(pipe(other));
		TRY("tee", tee(pipes[0], other[1], 100, 0));
		TRY("splice the copy", splice(other[0], NULL, fd[0], NULL, 100, 0));
		say("the copy", "%s", received(fd[1], 0));
		TRY("splice the other", splice(pipes[0], NULL, fd[1], NULL, 100, 0));
		say("the other", "%s", received(fd[0], 0));
		close_pair(other);
	}
	shutdown(fd[0], SHUT_WR);
	readable(fd[1]);
	TRY("splice at the end", splice(fd[1], NULL, pipes[1], NULL, 100, 0));
	close_pair(pipes);
	close_pair(fd);

	pattern(sent, LEN, 3);
	stream_pair(af, fd);
	file = file_with(sent, LEN);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		for (at = 0; at < LEN;)
			if (sendfile(fd[0], file, &at, LEN) < 0)
				_exit(1);
		_exit(0);
	}
	close(fd[0]);
	TRY("sendfile of much", recv_all(fd[1], got, LEN));
	say("unchanged", "%d", !memcmp(sent, got, LEN));
	waitpid(pid, NULL, 0);
	say("then the end", "%s", received(fd[1], 0));
	close(file);
	close(fd[1]);
}

static void not_connected(int af)
{
	struct addr addr;
	int fd = new_socket(af, SOCK_STREAM), at = listener(af, 0, &addr);
	char c;

	set_blocking(at, false);
	TRY("new: read", read(fd, &c, 1));
	TRY("new: recv", recv(fd, &c, 1, 0));
	TRY("new: recvmsg", recvmsg(fd, &(struct msghdr){0}, 0));
	TRY("new: write", write(fd, "x", 1));
	TRY("new: send", send(fd, "x", 1, 0));
	TRY("new: sendto", sendto(fd, "x", 1, 0, ADDR(&addr)));
	TRY("listener: read", read(at, &c, 1));
	TRY("listener: recv", recv(at, &c, 1, 0));
	TRY("listener: send", send(at, "x", 1, 0));
	TRY("listener: write", write(at, "x", 1));
	close(fd);
	close(at);
}

/* A call without bytes does not reach the socket, except send() and write(). */
static void nothing(int af)
{
	struct iovec none[2] = {{(char[1]){0}, 0}, {NULL, 0}};
	struct addr addr;
	int fd = new_socket(af, SOCK_STREAM), at = listener(af, SOCK_NONBLOCK, &addr);

	TRY("tcp writev of nothing", writev(fd, none, 2));
	TRY("tcp readv of nothing", readv(fd, none, 2));
	TRY("listener, accept", accept(at, NULL, NULL));
	TRY("listener, read of nothing", read(at, NULL, 0));
	TRY("listener, readv of nothing", readv(at, none, 2));
	TRY("listener, writev of nothing", writev(at, none, 2));
	close(at);
	close(fd);
	fd = new_socket(af, SOCK_DGRAM);
	TRY("udp writev of nothing", writev(fd, none, 2));
	TRY("udp readv of nothing", readv(fd, none, 2));
	close(fd);
}

static void rings(void)
{
	char params[120] = "";
	int ring;

	about("io_uring");
	ring = TRY_FD("io_uring_setup", (int)syscall(SYS_io_uring_setup, 4, params));
	if (ring >= 0)
		close(ring);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		about("tcp%d", digit(af));
		vectors(af, SOCK_STREAM);
		files(af);
		not_connected(af);
		about("nothing%d", digit(af));
		nothing(af);
		about("udp%d", digit(af));
		vectors(af, SOCK_DGRAM);
	}
	rings();
	return 0;
}
