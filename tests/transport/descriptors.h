/* SPDX-License-Identifier: Apache-2.0 */
/* descriptors.h - how many descriptors this process has; after cmocka.h */
#ifndef TESTS_TRANSPORT_DESCRIPTORS_H
#define TESTS_TRANSPORT_DESCRIPTORS_H

#include <dirent.h>

/* With two for "." and "..", and the one that counts. */
static inline unsigned int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

#endif
