/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - may memory of the program be read or written? As the kernel: EFAULT, no SIGSEGV */
#include "libvsesock/core/memory.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>

#include "libvsesock/core/raw.h"

#define WORD 8u    /* a signal mask of the kernel's */
#define PAGE 4096u /* the smallest there are */

/* There is no such way to change the mask, but the kernel reads it before it says so. */
#define NO_WAY 0x7ead

/* An aligned word does not cross the end of a page. */
static int try_read(uintptr_t at)
{
	long rc = raw_call(SYS_rt_sigprocmask, NO_WAY, (long)(at & ~(uintptr_t)(WORD - 1)), 0, WORD,
			   0, 0);

	/* No mask at all is one that is not read. */
	if (at < WORD)
		return -EFAULT;
	return rc == -EFAULT ? -EFAULT : 0;
}

int memory_check_read(const void *at, size_t len)
{
	uintptr_t first = (uintptr_t)at, last = first + len - 1;
	int rc;

	if (!len)
		return 0;
	rc = try_read(first);
	return rc || first / WORD == last / WORD ? rc : try_read(last);
}

int memory_check_pages(const void *at, size_t len)
{
	uintptr_t first = (uintptr_t)at, page = (first | (PAGE - 1)) + 1;
	int rc = memory_check_read(at, len);

	for (; !rc && len && page - first < len; page += PAGE)
		rc = try_read(page);
	return rc;
}

static int try_write(uintptr_t at)
{
	long rc = raw_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)at, WORD, 0, 0);

	if (!at)
		return -EFAULT;
	return rc == -EFAULT ? -EFAULT : 0;
}

int memory_check_write(void *at, size_t len)
{
	int rc;

	if (len < WORD)
		return 0;
	rc = try_write((uintptr_t)at);
	return rc ? rc : try_write((uintptr_t)at + len - WORD);
}
