/* SPDX-License-Identifier: Apache-2.0 */
/* saved-memory.c - the memory file that saved state is kept in */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfpd/saved/saved.h"

#define SEALS (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

int saved_memory_create(void)
{
	int fd = memfd_create("lfpd-saved", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	return fd < 0 ? -errno : fd;
}

int saved_memory_seal(int fd)
{
	return fcntl(fd, F_ADD_SEALS, SEALS) ? -errno : 0;
}

int saved_memory_map(int fd, const uint8_t **bytes, size_t *len)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;
	void *at;

	if (seals < 0 || fstat(fd, &st))
		return -errno;
	/* Reading a mapped file that shrinks ends the process with SIGBUS. */
	if ((seals & SEALS) != SEALS)
		return -EPERM;
	if (!st.st_size)
		return -ENODATA;
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	*bytes = at;
	*len = (size_t)st.st_size;
	return 0;
}
