/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.c - leaving the terminal, and telling the one who waits there how the start went */
#include "lfpd/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/exit.h"

#define INHERITED_MAX 1024

/* Ends the process. */
static void __attribute__((noreturn)) wait_for_child(int fd)
{
	uint8_t code;
	ssize_t n;

	do
		n = read(fd, &code, 1);
	while (n < 0 && errno == EINTR);
	/* It died without a word. Nothing of ours is to be flushed or cleaned up. */
	_exit(n == 1 ? code : LFP_EXIT_FAILURE);
}

int daemon_begin(struct daemon *daemon)
{
	int fds[2];
	pid_t pid;

	daemon->tell = -1;
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0) {
		int rc = -errno;

		close(fds[0]);
		close(fds[1]);
		return rc;
	}
	if (pid) {
		close(fds[1]);
		wait_for_child(fds[0]);
	}
	close(fds[0]);
	daemon->tell = fds[1];
	setsid();
	umask(022);
	/* What was inherited: whoever reads a pipe to its end would wait for us. */
	for (int fd = STDERR_FILENO + 1; fd < INHERITED_MAX; fd++) {
		if (fd != fds[1])
			close(fd);
	}
	return 0;
}

void daemon_tell(struct daemon *daemon, int code)
{
	uint8_t byte = (uint8_t)code;
	int null;

	if (daemon->tell < 0)
		return;
	if (!code) {
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
		for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
			dup2(null, fd);
		if (null > STDERR_FILENO)
			close(null);
		/* So that no file system stays in use for it; not worth a word if it fails. */
		if (chdir("/"))
			errno = 0;
	}
	/* Whoever waited may be gone: SIGPIPE is ignored. */
	while (write(daemon->tell, &byte, 1) < 0 && errno == EINTR)
		;
	close(daemon->tell);
	daemon->tell = -1;
}
