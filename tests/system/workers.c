/* SPDX-License-Identifier: Apache-2.0 */
/* workers.c - a server whose workers are killed inside accept
 *
 *	workers HOST PORT KILLED
 *
 * 8 workers wait in accept() on one listener and echo one byte to each connection. KILLED of them
 * are killed by SIGKILL, at any moment, each replaced at once. Then it says "killed" and the last 8
 * go on.
 */
#include <signal.h>
#include <sys/wait.h>

#include "tests/system/tool.h"

enum { WORKERS = 8 };

static _Noreturn void work(int listener)
{
	char c;

	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			die("accept");
		if (recv(fd, &c, 1, 0) == 1)
			send(fd, &c, 1, MSG_NOSIGNAL);
		close(fd);
	}
}

static pid_t start(int listener)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid)
		work(listener);
	return pid;
}

int main(int argc, char **argv)
{
	pid_t workers[WORKERS];
	struct sockaddr_in addr;
	unsigned long killed;
	int listener, status;

	if (argc != 4)
		return 64;
	setvbuf(stdout, NULL, _IOLBF, 0);
	srand(1);
	addr = host_addr(argv[1], number(argv[2]));
	killed = number(argv[3]);
	listener = tcp_listen(&addr, 0);
	for (int i = 0; i < WORKERS; i++)
		workers[i] = start(listener);
	while (killed--) {
		/* A random pause: the worker must be killed at any point of its work. */
		struct timespec moment = {.tv_nsec = rand() % 2000000};
		int i = rand() % WORKERS;

		nanosleep(&moment, NULL);
		kill(workers[i], SIGKILL);
		if (waitpid(workers[i], &status, 0) < 0 || !WIFSIGNALED(status))
			die("a worker ended by itself");
		workers[i] = start(listener);
	}
	puts("killed");
	if (wait(&status) > 0)
		die("a worker ended by itself");
	return 1;
}
