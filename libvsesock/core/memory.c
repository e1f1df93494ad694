/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - may memory of the program be read or written? As the kernel: EFAULT, no SIGSEGV */
#include "libvsesock/core/memory.h"

#include <errno.h>
#include <linux/futex.h>
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

/* An OR with 0 is atomic, so that what others write at the same time is not lost. Nobody waits for
 * the first word; who waits for the second looks at it, when waked. */
static int try_change(uintptr_t at)
{
	static const uint32_t nobody;
	long rc = raw_call(SYS_futex, (long)&nobody, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0,
			   (long)(at & ~(uintptr_t)(sizeof(nobody) - 1)),
			   FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0));

	return rc == -EFAULT ? -EFAULT : 0;
}

int memory_check_result(const void *at, size_t len)
{
	uintptr_t byte = (uintptr_t)at, last = byte + len - 1;
	int rc = len && last < byte ? -EFAULT : 0;

	/* The first, and those that begin a page. */
	for (; !rc && len && byte <= last; byte = (byte | (PAGE - 1)) + 1)
		rc = try_change(byte);
	return rc;
}

int memory_check_words(void *one, void *other)
{
	uint32_t own;

	return raw_call(SYS_getresuid, (long)one, (long)other, (long)&own, 0, 0, 0) == -EFAULT
		       ? -EFAULT
		       : 0;
}
