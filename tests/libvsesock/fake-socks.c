/* SPDX-License-Identifier: Apache-2.0 */
/* fake-socks.c - near and far ends of the fake instance */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/libvsesock/fake-parts.h"

#define MAX_SOCKS 256

static struct fake_sock socks[MAX_SOCKS];
static int pair_listener;
static struct sockaddr_un pair_addr;
static unsigned int last_id;

void fake_die(const char *what)
{
	perror(what);
	exit(1);
}

void fake_pairs(int listener, const struct sockaddr_un *addr)
{
	char dir[sizeof(addr->sun_path)], name[64];

	pair_listener = listener;
	pair_addr = *addr;
	/* Where near ends have their paths. */
	snprintf(dir, sizeof(dir), "%s", addr->sun_path);
	*strrchr(dir, '/') = '\0';
	snprintf(name, sizeof(name), LFP_NEAR_PREFIX "00/%016x", (unsigned int)getpid());
	if (chdir(dir) || mkdir("near", 0700) || chdir("near") || mkdir("vselfp", 0700) ||
	    mkdir(LFP_NEAR_PREFIX "00", 0700) || mkdir(name, 0700))
		fake_die(dir);
}

struct fake_sock *fake_find(int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	for (int i = 0; i < MAX_SOCKS; i++)
		if (socks[i].ino == st.st_ino)
			return &socks[i];
	return NULL;
}

void fake_name(int fd, struct fake_sock **out)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct stat st;

	snprintf(addr.sun_path, sizeof(addr.sun_path), LFP_NEAR_PREFIX "00/%016x/%016x",
		 (unsigned int)getpid(), ++last_id);
	/* Its directory is where this process is. */
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 || fstat(fd, &st) < 0)
		fake_die("near end");
	for (int i = 0; i < MAX_SOCKS; i++) {
		/* Inodes of closed ones come again. */
		if (socks[i].ino && socks[i].ino != st.st_ino)
			continue;
		if (socks[i].ino && socks[i].far >= 0)
			close(socks[i].far);
		socks[i] = (struct fake_sock){.ino = st.st_ino, .far = -1};
		*out = &socks[i];
		return;
	}
	fputs("fake: too many sockets\n", stderr);
	exit(1);
}

int fake_make(struct fake_sock **out)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	fake_name(fd, out);
	return fd;
}

void fake_pair(struct fake_sock *sock, int near)
{
	int flags = fcntl(near, F_GETFL);

	fcntl(near, F_SETFL, flags & ~O_NONBLOCK);
	if (connect(near, (struct sockaddr *)&pair_addr, sizeof(pair_addr)) < 0)
		fake_die("pair");
	fcntl(near, F_SETFL, flags);
	sock->far = accept4(pair_listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (sock->far < 0)
		fake_die("accept");
}

void fake_fill(int near)
{
	char zeros[4096] = {0};

	while (send(near, zeros, sizeof(zeros), MSG_DONTWAIT) > 0)
		;
	while (send(near, zeros, 1, MSG_DONTWAIT) > 0)
		;
}

void fake_send(int conn, const void *buf, size_t len, int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} rights;
	struct iovec iov = {.iov_base = (void *)(uintptr_t)buf, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd >= 0) {
		memset(&rights, 0, sizeof(rights));
		rights.align.cmsg_level = SOL_SOCKET;
		rights.align.cmsg_type = SCM_RIGHTS;
		rights.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&rights.align), &fd, sizeof(int));
		msg.msg_control = &rights;
		msg.msg_controllen = sizeof(rights.buf);
	}
	sendmsg(conn, &msg, MSG_NOSIGNAL);
}
