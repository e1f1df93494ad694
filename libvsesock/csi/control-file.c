/* SPDX-License-Identifier: Apache-2.0 */
/* control-file.c - the file in memory behind a descriptor of type CONTROL: instance and result */
#include "libvsesock/csi/control-file.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Size of the instance id at the start of the file; the result follows. */
#define INSTANCE_LEN 3

int csi_file_make(const char *nn)
{
	int fd = memfd_create("vselfp-control", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (pwrite(fd, nn, INSTANCE_LEN, 0) == INSTANCE_LEN)
		return fd;
	close(fd);
	return -EIO;
}

void csi_file_instance(int fd, char nn[3])
{
	memset(nn, 0, INSTANCE_LEN);
	if (pread(fd, nn, INSTANCE_LEN, 0) < INSTANCE_LEN)
		nn[0] = '\0';
}

int csi_file_waiting(int fd)
{
	struct stat st;

	return fstat(fd, &st) || st.st_size < INSTANCE_LEN ? 0 : (int)st.st_size - INSTANCE_LEN;
}

int csi_file_clear(int fd)
{
	return ftruncate(fd, INSTANCE_LEN) ? -errno : 0;
}

int csi_file_store(int fd, const void *data, size_t len)
{
	return pwrite(fd, data, len, INSTANCE_LEN) == (ssize_t)len ? 0 : -EIO;
}

int csi_file_read(int fd, void *data, size_t len)
{
	return pread(fd, data, len, INSTANCE_LEN) == (ssize_t)len ? 0 : -EIO;
}
