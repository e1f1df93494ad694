/* SPDX-License-Identifier: Apache-2.0 */
/* spawn.c - run another program and wait for it */
#include "lfp/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int lfp_spawn(const char *program, char *const argv[], bool quiet)
{
	posix_spawn_file_actions_t actions;
	int status, rc;
	pid_t pid;

	rc = posix_spawn_file_actions_init(&actions);
	if (rc)
		return -rc;
	if (quiet)
		rc = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
						      O_WRONLY, 0);
	if (!rc)
		rc = posix_spawnp(&pid, program, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (rc)
		return -rc;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return status;
}

int lfp_spawn_read(const char *program, char *const argv[], char *buf, size_t size)
{
	posix_spawn_file_actions_t actions;
	int out[2], rc, status = 0;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	*buf = '\0';
	if (pipe2(out, O_CLOEXEC))
		return -errno;
	rc = -posix_spawn_file_actions_init(&actions);
	if (rc)
		goto close_both;
	rc = -posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	if (!rc)
		rc = -posix_spawnp(&pid, program, &actions, NULL, argv, environ);
	if (rc)
		goto destroy;
	close(out[1]);
	out[1] = -1;
	while (len < size - 1 && (n = read(out[0], buf + len, size - 1 - len)) != 0) {
		if (n > 0)
			len += (size_t)n;
		else if (errno != EINTR)
			break;
	}
	buf[len] = '\0';
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	rc = status;

destroy:
	posix_spawn_file_actions_destroy(&actions);
close_both:
	close(out[0]);
	if (out[1] >= 0)
		close(out[1]);
	return rc;
}
