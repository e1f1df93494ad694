/* SPDX-License-Identifier: Apache-2.0 */
/* stuck-file.c - a file of a file system in user space, of which each close() waits for its server
 */
#include "tests/transport/lingering.h"

#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t server;

static void reply(int fuse, uint64_t unique, int error, const void *body, size_t len)
{
	struct {
		struct fuse_out_header head;
		char body[256];
	} out = {.head = {.len = (uint32_t)(sizeof(struct fuse_out_header) + len),
			  .error = -error,
			  .unique = unique}};

	memcpy(out.body, body, len);
	if (write(fuse, &out, out.head.len) < 0)
		_exit(0);
}

/* Answers what opening a file asks, and nothing else. */
static void serve(int fuse)
{
	static union {
		struct fuse_in_header head;
		char bytes[FUSE_MIN_READ_BUFFER + 65536];
	} in;
	const struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096, .max_background = 1};
	const struct fuse_attr_out attr = {.attr_valid = 3600,
					   .attr = {.ino = 1, .mode = S_IFREG | 0644, .nlink = 1}};
	const struct fuse_open_out opened = {.fh = 1};

	while (read(fuse, &in, sizeof(in)) > 0) {
		if (in.head.opcode == FUSE_INIT)
			reply(fuse, in.head.unique, 0, &init, sizeof(init));
		else if (in.head.opcode == FUSE_GETATTR)
			reply(fuse, in.head.unique, 0, &attr, sizeof(attr));
		else if (in.head.opcode == FUSE_OPEN)
			reply(fuse, in.head.unique, 0, &opened, sizeof(opened));
	}
	_exit(0);
}

int stuck_file_open(void)
{
	char path[] = "/tmp/stuck-file-XXXXXX", options[64];
	int at = mkstemp(path), fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC), fd = -1;
	bool mounted;

	close(at);
	snprintf(options, sizeof(options), "fd=%d,rootmode=100644,user_id=0,group_id=0", fuse);
	mounted = at >= 0 && fuse >= 0 &&
		  !mount("stuck", path, "fuse", MS_NOSUID | MS_NODEV, options);
	if (mounted) {
		server = fork();
		if (!server) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			serve(fuse);
		}
	}
	if (fuse >= 0)
		close(fuse);
	if (mounted) {
		fd = server > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
		(void)umount2(path, MNT_DETACH);
	}
	unlink(path);
	return fd;
}

void stuck_file_end(int fd)
{
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	close(fd);
}
