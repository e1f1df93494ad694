/* SPDX-License-Identifier: Apache-2.0 */
/* netns.c - a network namespace of this host, by the value of HOST_NETNS */
#include "lfp/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

void lfp_netns_path(const char *value, char path[static LFP_NETNS_PATH_MAX])
{
	snprintf(path, LFP_NETNS_PATH_MAX, "%s%s", *value == '/' ? "" : "/run/netns/", value);
}

int lfp_netns_open(const char *value)
{
	char path[LFP_NETNS_PATH_MAX];
	int fd, rc;

	lfp_netns_path(value, path);
	/* O_NONBLOCK: a FIFO must not make us wait before we refuse it. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	rc = ioctl(fd, NS_GET_NSTYPE);
	if (rc == CLONE_NEWNET)
		return fd;
	close(fd);
	return -EINVAL;
}

bool lfp_netns_is_ours(int fd)
{
	struct stat given, ours;

	return !fstat(fd, &given) && !stat("/proc/self/ns/net", &ours) &&
	       given.st_dev == ours.st_dev && given.st_ino == ours.st_ino;
}

int lfp_netns_enter(const char *value)
{
	int fd = lfp_netns_open(value), rc = 0;

	if (fd < 0)
		return fd;
	if (!lfp_netns_is_ours(fd) && setns(fd, CLONE_NEWNET))
		rc = -errno;
	close(fd);
	return rc;
}

const char *lfp_netns_strerror(int error)
{
	switch (error) {
	case -ENOENT:
	case -ENOTDIR:
		return "there is no such network namespace";
	case -EINVAL:
		return "it is not a network namespace";
	case -EPERM:
		return "only root, or systemd by NetworkNamespacePath=, can enter it";
	}
	return strerror(-error);
}
