/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.c - leaving a process behind that tells its parent when it is ready */
#include "ijblfp/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

int daemon_fork(struct daemon *daemon, int *code)
{
	unsigned char byte;
	int fds[2];
	ssize_t n;
	pid_t pid;

	daemon->pipe = -1;
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0) {
		int rc = -errno;

		close(fds[0]);
		close(fds[1]);
		return rc;
	}
	if (!pid) {
		close(fds[0]);
		daemon->pipe = fds[1];
		setsid();
		return 0;
	}
	close(fds[1]);
	do
		n = read(fds[0], &byte, 1);
	while (n < 0 && errno == EINTR);
	close(fds[0]);
	*code = n == 1 ? byte : -1;
	return 1;
}

static void leave_terminal(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* Where it cannot go there it keeps a file system from being unmounted, and that is all. */
	(void)!chdir("/");
	if (fd < 0)
		return;
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
}

void daemon_ready(struct daemon *daemon, int code)
{
	unsigned char byte = (unsigned char)code;
	ssize_t n;

	if (daemon->pipe < 0)
		return;
	if (!code)
		leave_terminal();
	do
		n = write(daemon->pipe, &byte, 1);
	while (n < 0 && errno == EINTR);
	close(daemon->pipe);
	daemon->pipe = -1;
}
