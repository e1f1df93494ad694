/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - what the system grants this process */
#include "lfpd/limits.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "lfp/number.h"

#define BUFFER_MAX_DEFAULT 212992u /* of kernels since 2.6 */

unsigned long limits_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 1024;
	if (limit.rlim_cur < limit.rlim_max) {
		struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};

		if (!setrlimit(RLIMIT_NOFILE, &raised))
			limit = raised;
	}
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
