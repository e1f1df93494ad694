/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-guard.c - files that get shorter, or become unreadable, while their tracks are in use
 *
 * Access to a mapped page that the file no longer has raises SIGBUS. The handler replaces this page
 * and those behind it by zeros, so that the access succeeds, and marks the image as unusable.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "devemu/device/ckd-image.h"

static _Thread_local struct ckd_image *volatile guarded;
static struct sigaction others; /* the previous handler of the signal */
static size_t page;

static bool replace(const struct ckd_part *part, const uint8_t *at)
{
	size_t from;

	if (!part->map || at < part->map || at >= part->map + part->size)
		return false;
	from = (size_t)(at - part->map) / page * page;
	return mmap((void *)(uintptr_t)(part->map + from), part->size - from, PROT_READ,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
	struct ckd_image *image = guarded;
	const int saved = errno;
	bool ours = false;

	(void)context;
	for (unsigned int i = 0; image && info->si_code > 0 && !ours && i < image->parts; i++)
		ours = replace(&image->part[i], info->si_addr);
	if (ours) {
		image->shortened = 1;
	} else {
		/* The signal comes again as soon as this returns, by the access or by the
		 * sender. */
		sigaction(number, &others, NULL);
		if (info->si_code <= 0)
			raise(number);
	}
	errno = saved;
}

void ckd_guard_install(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO}, now;

	pthread_mutex_lock(&lock);
	page = (size_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	if (sigaction(SIGBUS, NULL, &now) == 0 && now.sa_sigaction != on_bus_error) {
		others = now;
		sigaction(SIGBUS, &action, NULL);
	}
	pthread_mutex_unlock(&lock);
}

struct ckd_image *ckd_guard(struct ckd_image *image)
{
	struct ckd_image *before = guarded;

	guarded = image;
	return before;
}
