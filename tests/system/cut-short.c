/* SPDX-License-Identifier: Apache-2.0 */
/* cut-short.c - streams that end in order, are reset, or whose daemon dies; also built statically
 *
 *	cut-short send listen|connect PORT WHAT	send BYTES bytes and then: "end" the direction in
 *						order, "reset" the connection, "reply" with a reset
 *						to the first byte, "answer" with a reset to the
 *						other side's end, "stay" after that end, or "hold"
 *						the connection until the other side is gone. Says
 *						how many bytes came before a reset.
 *	cut-short read listen|connect PORT [WORD...]
 *						read to the end: how many bytes, and the error.
 *						Before that, in order: "write NR" bytes, "shut"
 *						down writing, wait until all is there and then for
 *						the file: "late FILE". "listen:FILE" accepts only
 *						when that file is there.
 *	cut-short many PORT NR FILE FILE	a connection; after the first file NR more, each
 * read to its end; end after the second file
 *	cut-short count PORT			take connections, each to its end, and answer with
 * the number of its bytes
 *	cut-short race PORT NR			NR connections to that, on which one process writes
 *						while another one shuts down writing
 */
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "tests/system/tool.h"

enum { BYTES = 20000, LOOK_MS = 10 };

static void wait_for_file(const char *path)
{
	while (access(path, F_OK) < 0)
		poll(NULL, 0, LOOK_MS);
}

/* The connection, made or accepted. */
static int meet(const char *how, unsigned long port)
{
	struct sockaddr_in addr = host_addr("127.0.0.1", port);
	int listener, fd;

	if (strcmp(how, "connect") == 0) {
		fd = tcp_connect(&addr);
	} else {
		listener = tcp_listen(&addr, 0);
		if (strncmp(how, "listen:", 7) == 0)
			wait_for_file(how + 7);
		fd = accept(listener, NULL, NULL);
		close(listener);
	}
	if (fd < 0)
		die(how);
	return fd;
}

static void send_bytes(int fd, size_t nr)
{
	char data[BYTES];
	size_t done = 0;

	memset(data, 'x', sizeof(data));
	while (done < nr) {
		ssize_t n = write(fd, data, nr - done < BYTES ? nr - done : BYTES);

		if (n < 0)
			die("write");
		done += (size_t)n;
	}
}

/* At most @most bytes, to the end or an error; all of them have been written here. */
static size_t take(int fd, size_t most)
{
	static char buf[4096];
	size_t sum = 0;
	ssize_t n;

	while (sum < most &&
	       (n = read(fd, buf, most - sum < sizeof(buf) ? most - sum : sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			if (buf[i] != 'x')
				printf("a strange byte at %zu\n", sum + (size_t)i);
		sum += (size_t)n;
	}
	return sum;
}

static int run_send(int fd, const char *what)
{
	struct linger now = {.l_onoff = 1};
	int left = 1;

	send_bytes(fd, BYTES);
	if (strcmp(what, "answer") == 0 || strcmp(what, "stay") == 0 || strcmp(what, "reply") == 0)
		printf("%zu bytes came\n", take(fd, strcmp(what, "reply") ? SIZE_MAX : 1));
	fflush(stdout);
	if (strcmp(what, "stay") == 0)
		pause();
	if (strcmp(what, "reset") == 0 || strcmp(what, "answer") == 0 ||
	    strcmp(what, "reply") == 0) {
		while (!ioctl(fd, SIOCOUTQ, &left) && left)
			poll(NULL, 0, LOOK_MS);
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		close(fd);
		return 0;
	}
	if (strcmp(what, "end") == 0 && shutdown(fd, SHUT_WR) < 0)
		die("shutdown");
	take(fd, SIZE_MAX);
	return 0;
}

/* Wait until all is there, and the end if it comes; then for the file. */
static void read_late(int fd, const char *path)
{
	static char buf[2 * BYTES];
	struct pollfd pfd = {.fd = fd, .events = POLLRDHUP};

	while (recv(fd, buf, sizeof(buf), MSG_PEEK) < BYTES)
		poll(NULL, 0, LOOK_MS);
	printf("there\n");
	fflush(stdout);
	while (access(path, F_OK) < 0)
		if (poll(&pfd, 1, LOOK_MS) > 0 && pfd.events) {
			printf("ended\n");
			fflush(stdout);
			pfd.events = 0;
			pfd.fd = -1;
		}
}

static size_t read_all(int fd, int *error)
{
	static char buf[4096];
	size_t sum = 0;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		sum += (size_t)n;
		if (sum == BYTES) {
			printf("read\n");
			fflush(stdout);
		}
	}
	*error = n < 0 ? errno : 0;
	return sum;
}

static int run_read(int fd, char **words)
{
	int error;
	size_t sum;

	for (; *words; words++) {
		if (strcmp(*words, "shut") == 0) {
			if (shutdown(fd, SHUT_WR) < 0)
				die("shutdown");
		} else if (words[1] && strcmp(*words, "write") == 0) {
			send_bytes(fd, number(*++words));
		} else if (words[1] && strcmp(*words, "late") == 0) {
			read_late(fd, *++words);
		}
	}
	sum = read_all(fd, &error);
	printf("%zu bytes, then %s\n", sum, error_name(error));
	printf("again: %s\n", read_all(fd, &error) ? "bytes" : error_name(error));
	return 0;
}

static int run_many(unsigned long port, unsigned long nr, const char *begin, const char *stop)
{
	struct sockaddr_in addr = host_addr("127.0.0.1", port);
	int fd = tcp_connect(&addr);
	char c;

	if (fd < 0 || read(fd, &c, 1) < 0)
		die("connect");
	close(fd);
	printf("ready\n");
	fflush(stdout);
	wait_for_file(begin);
	for (unsigned long i = 0; i < nr; i++) {
		fd = tcp_connect(&addr);
		if (fd < 0)
			die("connect");
		if (shutdown(fd, SHUT_WR) < 0)
			die("shutdown");
		while (read(fd, &c, 1) > 0)
			;
		close(fd);
	}
	printf("done\n");
	fflush(stdout);
	wait_for_file(stop);
	return 0;
}

static int run_count(unsigned long port)
{
	struct sockaddr_in addr = host_addr("127.0.0.1", port);
	int listener = tcp_listen(&addr, 0), fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		size_t nr = take(fd, SIZE_MAX);

		if (write(fd, &nr, sizeof(nr)) != sizeof(nr))
			die("write");
		close(fd);
		fflush(stdout);
	}
	die("accept");
}

/* Writes until another process has shut it down. Reports 0 after the first bytes, then how many
 * there were. */
static _Noreturn void write_on(int fd, int report)
{
	size_t nr = 0, begun = 0;
	ssize_t n;

	signal(SIGPIPE, SIG_IGN);
	while ((n = write(fd, "xxxxxxx", 1 + nr % 7)) > 0) {
		if (!nr)
			(void)!write(report, &begun, sizeof(begun));
		nr += (size_t)n;
	}
	if (errno != EPIPE)
		die("write");
	(void)!write(report, &nr, sizeof(nr));
	_exit(0);
}

/* One connection: have all bytes arrived, and was the end in order? */
static bool race(const struct sockaddr_in *addr)
{
	int fd = tcp_connect(addr), report[2];
	size_t wrote = 0, came = 0;
	ssize_t end = -1;
	char c;

	if (fd < 0 || pipe(report) < 0)
		die("connect");
	if (fork() == 0)
		write_on(fd, report[1]);
	if (read(report[0], &wrote, sizeof(wrote)) != sizeof(wrote))
		die("report");
	if (shutdown(fd, SHUT_WR) < 0)
		die("shutdown");
	if (read(report[0], &wrote, sizeof(wrote)) != sizeof(wrote))
		die("report");
	wait(NULL);
	if (recv(fd, &came, sizeof(came), MSG_WAITALL) == sizeof(came))
		end = read(fd, &c, 1);
	if (came != wrote || end)
		printf("%zu bytes written, %zu came, the end: %s\n", wrote, came,
		       end < 0 ? error_name(errno) : "bytes or 0");
	close(fd);
	close(report[0]);
	close(report[1]);
	return came == wrote && !end;
}

static int run_race(unsigned long port, unsigned long nr)
{
	struct sockaddr_in addr = host_addr("127.0.0.1", port);

	for (unsigned long i = 0; i < nr; i++)
		if (!race(&addr))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "send") == 0)
		return run_send(meet(argv[2], number(argv[3])), argv[4]);
	if (argc >= 4 && strcmp(argv[1], "read") == 0)
		return run_read(meet(argv[2], number(argv[3])), argv + 4);
	if (argc == 6 && strcmp(argv[1], "many") == 0)
		return run_many(number(argv[2]), number(argv[3]), argv[4], argv[5]);
	if (argc == 3 && strcmp(argv[1], "count") == 0)
		return run_count(number(argv[2]));
	if (argc == 4 && strcmp(argv[1], "race") == 0)
		return run_race(number(argv[2]), number(argv[3]));
	return 64;
}
