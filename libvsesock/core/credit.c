/* SPDX-License-Identifier: Apache-2.0 */
/* credit.c - control calls for fresh sockets */
#include "libvsesock/core/credit.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "libvsesock/core/ctl-client.h"
#include "libvsesock/core/ctl-conn.h"
#include "libvsesock/core/fresh.h"
#include "libvsesock/core/place.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/core/sandbox.h"

/* Calls of socket() before the process asks for credit: most programs make few sockets. */
#define CALLS_FIRST 4u

/* Maps the page of an answer, in the place @at of an earlier one if that is not NULL. Returns NULL
 * on failure. */
static struct lfp_credit *map(int fd, void *at)
{
	long flags = MAP_SHARED | (at ? MAP_FIXED : 0);
	long arguments[] = {(long)at, LFP_CREDIT_SIZE, PROT_READ | PROT_WRITE, flags, fd, 0};
#ifdef __s390x__ /* the kernel's sys_old_mmap(): one pointer to them */
	long got = raw_call(SYS_mmap, (long)arguments, 0, 0, 0, 0, 0);
#else
	long got = raw_call(SYS_mmap, arguments[0], arguments[1], arguments[2], arguments[3],
			    arguments[4], arguments[5]);
#endif

	return got < 0 && got > -4096 ? NULL : (struct lfp_credit *)got;
}

static void earn(const char *nn, int family, bool for_posts)
{
	struct ctl_call call = {
		.nn = nn,
		.op = LFP_CTL_CREDIT,
		.a = family,
		.c = for_posts ? LFP_CTL_FOR_POSTS : 0,
		.fd = -1,
	};
	struct lfp_credit *page;
	int fd;

	fd = ctl_take(&call, O_CLOEXEC);
	if (fd < 0)
		return;
	page = map(fd, fresh_mapped(family));
	raw_close(fd);
	if (!page)
		return;
	fresh_set_mapped(family, page);
	/* The instance uses the page only when it is mapped. */
	call.b = 1;
	if (ctl_call(&call) == 0)
		fresh_set_page(family, page);
}

static void count_call(const char *nn, int family, bool for_posts)
{
	if (!fresh_lacks_page(family) || ctl_speaker || fresh_count_call(family) != CALLS_FIRST ||
	    sandbox_kills(SANDBOX_ALL) || strcmp(nn, place_instance()) != 0 ||
	    !fresh_begin_earning(family))
		return;
	earn(nn, family, for_posts);
	fresh_end_earning(family);
}

void credit_earn(const char *nn, int family)
{
	count_call(nn, family, false);
}

void credit_earn_posts(const char *nn, int family)
{
	/* The instance decides about calls of a z/VSE task. */
	if (!ctl_task)
		count_call(nn, family, true);
}

static void settle_one(int fd)
{
	struct ctl_call call = {.nn = place_instance(), .op = LFP_CTL_IDENTIFY, .fd = fd};

	(void)ctl_call(&call);
}

void credit_settle(void)
{
	fresh_each(settle_one);
}
