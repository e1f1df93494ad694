/* SPDX-License-Identifier: Apache-2.0 */
/* export.h - functions that programs call: their symbol, and their result */
#ifndef VSESOCK_CORE_EXPORT_H
#define VSESOCK_CORE_EXPORT_H

#include <errno.h>

/* Marks a function that the library shows; all other symbols are hidden. */
#define EXPORT __attribute__((visibility("default")))

/* Ends such a function: @rc is a result, or a negative errno (from -4095 to -1). */
static inline long give(long rc)
{
	if (rc >= 0 || rc < -4095)
		return rc;
	errno = (int)-rc;
	return -1;
}

#endif
