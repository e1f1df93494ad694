/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - characters of a program, whose memory may be unusable */
#include "libvsesock/vse/values.h"

#include <errno.h>
#include <stdint.h>

#include "libvsesock/core/memory.h"

#define PAGE 4096u /* the smallest page size */

int vse_text(char *out, size_t most, const char *from)
{
	size_t len = 0;

	for (; len < most; len++) {
		if ((!len || (uintptr_t)(from + len) % PAGE == 0) &&
		    memory_check_read(from + len, 1))
			return -EFAULT;
		if (!from[len])
			break;
		if (out)
			out[len] = from[len];
	}
	return (int)len;
}
