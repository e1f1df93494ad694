/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - what the system grants this process */
#include "lfpd/policy/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lfp/number.h"
#include "transport/closers.h"
#include "transport/passed.h"

#define BUFFER_MAX_DEFAULT 212992u /* of kernels since 2.6 */

/* An LFP instance in the same process keeps the same numbers free (ijblfp/base/descriptors.c). */
#define KEPT_FOR_CALLS NUMBERS_KEPT

static unsigned long descriptors = ULONG_MAX; /* not known yet */

bool limits_is_short(int fd, bool hosts)
{
	unsigned long keep = hosts ? KEPT_FOR_CALLS : LIMITS_OWN_FDS;

	numbers_note(fd);
	if (descriptors / 4 < keep)
		keep = descriptors / 4;
	return (unsigned long)fd + keep >= descriptors;
}

int limits_lowest_free(void)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	close(fd);
	return fd;
}

unsigned long limits_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 1024;
	if (limit.rlim_cur < limit.rlim_max || limit.rlim_cur > CLOSERS_NUMBERS) {
		struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};

		if (raised.rlim_cur > CLOSERS_NUMBERS)
			raised.rlim_cur = CLOSERS_NUMBERS;

		if (!setrlimit(RLIMIT_NOFILE, &raised))
			limit = raised;
	}
	descriptors = limit.rlim_cur;
	numbers_start();
	return limit.rlim_cur;
}

static unsigned int read_max(const char *path)
{
	unsigned long value = BUFFER_MAX_DEFAULT;
	FILE *file = fopen(path, "re");
	char line[32];

	if (!file)
		return BUFFER_MAX_DEFAULT;
	if (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		(void)lfp_number(line, 1, INT_MAX / 2, &value);
	}
	fclose(file);
	return (unsigned int)value;
}

unsigned int limits_wmem_max(void)
{
	return read_max("/proc/sys/net/core/wmem_max");
}

unsigned int limits_rmem_max(void)
{
	return read_max("/proc/sys/net/core/rmem_max");
}
