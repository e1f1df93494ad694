/* SPDX-License-Identifier: Apache-2.0 */
/* cookie.c - SO_COOKIE for programs under qemu-user, which does not know it: preloaded there */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

/* The inode stands for it: as long as a socket lives no other one has the same. */
int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	int (*real)(int, int, int, void *, socklen_t *);
	uint64_t cookie;
	struct stat st;

	if (level != SOL_SOCKET || name != SO_COOKIE) {
		*(void **)&real = dlsym(RTLD_NEXT, "getsockopt");
		return real(fd, level, name, value, len);
	}
	if (fstat(fd, &st))
		return -1;
	if (!S_ISSOCK(st.st_mode) || *len != sizeof(cookie)) {
		errno = S_ISSOCK(st.st_mode) ? EINVAL : ENOTSOCK;
		return -1;
	}
	cookie = st.st_ino;
	memcpy(value, &cookie, sizeof(cookie));
	return 0;
}
