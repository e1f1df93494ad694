/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.c - leaving the terminal, and reporting the result of the start there */
#include "lfp/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#define INHERITED_MAX 1024

static int wait_for_child(int fd)
{
	uint8_t code;
	ssize_t n;

	do
		n = read(fd, &code, 1);
	while (n < 0 && errno == EINTR);
	close(fd);
	return n == 1 ? code : -1;
}

int lfp_daemon_fork(struct lfp_daemon *daemon, int *code)
{
	int fds[2], rc;
	pid_t pid;

	daemon->tell = -1;
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0) {
		rc = -errno;
		close(fds[0]);
		close(fds[1]);
		return rc;
	}
	if (pid) {
		close(fds[1]);
		*code = wait_for_child(fds[0]);
		return 1;
	}
	daemon->tell = fds[1];
	setsid();
	umask(022);
	for (int fd = STDERR_FILENO + 1; fd < INHERITED_MAX; fd++) {
		if (fd != fds[1])
			close(fd);
	}
	return 0;
}

static void leave_terminal(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; fd >= 0 && i <= STDERR_FILENO; i++)
		dup2(fd, i);
	if (fd > STDERR_FILENO)
		close(fd);
	/* Keeps no file system busy. A failure does no harm and needs no message. */
	if (chdir("/"))
		errno = 0;
}

void lfp_daemon_tell(struct lfp_daemon *daemon, int code)
{
	uint8_t byte = (uint8_t)code;

	if (daemon->tell < 0)
		return;
	if (!code)
		leave_terminal();
	/* The parent may be gone: SIGPIPE is ignored. */
	while (write(daemon->tell, &byte, 1) < 0 && errno == EINTR)
		;
	close(daemon->tell);
	daemon->tell = -1;
}
