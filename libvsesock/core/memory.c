/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - tests access to the program's memory, as the kernel does: EFAULT, no SIGSEGV */
#include "libvsesock/core/memory.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "libvsesock/core/raw.h"

#define WORD 8u    /* size of a signal mask of the kernel */
#define PAGE 4096u /* the smallest page size */

/* No valid value of "how". The kernel reads the mask before it checks this (kernel/signal.c,
 * sys_rt_sigprocmask()). */
#define NO_WAY 0x7ead

/* The kernel maps at least so much of the first thread's stack at the start (fs/exec.c,
 * setup_arg_pages()). */
#define STACK_SURE 65536u

/* An address above all frames of the first thread. */
static uintptr_t stack_top;

static void __attribute__((constructor)) find_stack_top(void)
{
	stack_top = (uintptr_t)getauxval(AT_RANDOM);
}

/* Returns true for memory of the callers' frames on the first thread's stack, which can be read and
 * written. No test is needed, and most addresses and options of programs lie there. */
static inline bool is_in_callers(uintptr_t first, uintptr_t last)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return first >= here && last >= first && last < stack_top && here < stack_top &&
	       stack_top - here < STACK_SURE;
}

/* An aligned word does not cross the end of a page. */
static int try_read(uintptr_t at)
{
	long rc = raw_call(SYS_rt_sigprocmask, NO_WAY, (long)(at & ~(uintptr_t)(WORD - 1)), 0, WORD,
			   0, 0);

	/* The kernel does not read a mask at NULL. */
	if (at < WORD)
		return -EFAULT;
	return rc == -EFAULT ? -EFAULT : 0;
}

int memory_check_read(const void *at, size_t len)
{
	uintptr_t first = (uintptr_t)at, last = first + len - 1;
	int rc;

	if (!len || is_in_callers(first, last))
		return 0;
	/* Memory is mapped and protected in pages. */
	rc = try_read(first);
	return rc || first / PAGE == last / PAGE ? rc : try_read(last);
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
	uintptr_t first = (uintptr_t)at, last = first + len - 1;
	int rc;

	if (len < WORD || is_in_callers(first, last))
		return 0;
	rc = try_write(first);
	return rc || first / PAGE == last / PAGE ? rc : try_write(last - WORD + 1);
}

/* An OR with 0 is atomic, so that concurrent writes are not lost (FUTEX_WAKE_OP). No thread waits
 * for the first word; a waiter on the second one wakes and looks again. */
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

	/* The first byte, and the first of each page. */
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
