/* SPDX-License-Identifier: Apache-2.0 */
/* unix-door.c - a static program that tries the UNIX sockets with a path that lfp-run has closed
 *
 *	unix-door connect PATH | bind PATH | datagram PATH | race GOOD BAD
 *
 * Prints the name of the result. "race" changes the path while it connects, and prints how it came
 * to BAD, if ever.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define TRIES 300

static struct sockaddr_un shared;
static const char *paths[2];
static int numbers[2];
static atomic_bool over;

static struct sockaddr_un addr_of(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	strncpy(addr.sun_path, path, sizeof(addr.sun_path) - 1);
	return addr;
}

/* Returns the byte that the listener says, '-' if it says none, or a negative errno. */
static int connect_and_read(const struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;
	char byte = '-';

	rc = connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0 ? -errno : 0;
	if (!rc)
		(void)!read(fd, &byte, 1);
	close(fd);
	return rc ? rc : byte;
}

static void *change_path(void *arg)
{
	(void)arg;
	while (!over) {
		strcpy(shared.sun_path, paths[1]);
		strcpy(shared.sun_path, paths[0]);
	}
	return NULL;
}

/* Puts a socket that is no UNIX socket, and one that is, behind the same number. */
static void *change_descriptor(void *arg)
{
	(void)arg;
	while (!over) {
		dup2(numbers[1], numbers[0]);
		dup2(STDIN_FILENO, numbers[0]);
	}
	return NULL;
}

static const char *race_path(void)
{
	pthread_t thread;
	bool bad = false;

	shared = addr_of(paths[0]);
	over = false;
	pthread_create(&thread, NULL, change_path, NULL);
	for (int i = 0; i < TRIES; i++)
		bad |= connect_and_read(&shared) == 'b';
	over = true;
	pthread_join(thread, NULL);
	return bad ? "by the path" : NULL;
}

static const char *race_descriptor(void)
{
	struct sockaddr_un addr = addr_of(paths[1]);
	pthread_t thread;
	bool bad = false;

	numbers[0] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	numbers[1] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	over = false;
	pthread_create(&thread, NULL, change_descriptor, NULL);
	for (int i = 0; i < TRIES; i++)
		bad |= connect(numbers[0], (struct sockaddr *)&addr, sizeof(addr)) == 0;
	over = true;
	pthread_join(thread, NULL);
	return bad ? "by the descriptor" : NULL;
}

static const char *name_of(int rc)
{
	return rc ? strerrorname_np(rc) : "OK";
}

int main(int argc, char **argv)
{
	struct sockaddr_un addr;
	const char *how;
	int fd, rc;

	if (argc < 3)
		return 2;
	addr = addr_of(argv[2]);
	if (!strcmp(argv[1], "connect")) {
		rc = connect_and_read(&addr);
		printf("%s\n", rc < 0 ? name_of(-rc) : rc == 'g' ? "good" : "bad");
	} else if (!strcmp(argv[1], "bind")) {
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		rc = bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ? errno : 0;
		printf("%s\n", name_of(rc));
	} else if (!strcmp(argv[1], "datagram")) {
		fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		printf("%s\n", fd < 0 ? name_of(errno) : "made");
	} else if (argc == 4) {
		paths[0] = argv[2];
		paths[1] = argv[3];
		how = race_path();
		if (!how)
			how = race_descriptor();
		printf("%s\n", how ? how : "never");
	}
	return 0;
}
