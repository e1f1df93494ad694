/* SPDX-License-Identifier: Apache-2.0 */
/* ecb.c - event control blocks: posts them, and waits for them */
#include <endian.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "include/vsesock.h"
#include "libvsesock/core/export.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/vse/clock.h"
#include "libvsesock/vse/fork.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t posted = PTHREAD_COND_INITIALIZER;

/* X'40' of the first byte is z/OS's completion bit, X'80' of the third byte is z/VSE's. */
#define POSTED UINT32_C(0x40008000)

static void post(void *ecb)
{
	uint32_t *word = ecb;

	if (memory_check_result(word, sizeof(*word)))
		return;
	__atomic_store_n(word, htobe32(POSTED), __ATOMIC_RELEASE);
}

static bool is_posted(const void *ecb)
{
	return __atomic_load_n((const uint32_t *)ecb, __ATOMIC_ACQUIRE) != 0;
}

EXPORT void vse_ecb_post(void *ecb)
{
	if ((uintptr_t)ecb % sizeof(uint32_t))
		return;
	pthread_mutex_lock(&lock);
	post(ecb);
	pthread_cond_broadcast(&posted);
	pthread_mutex_unlock(&lock);
}

static int find_posted(void *const ecbs[], int nr)
{
	for (int i = 0; i < nr; i++)
		if (ecbs[i] && is_posted(ecbs[i]))
			return i;
	return -1;
}

/* Returns the time in @ms, by the clock of condition variables. */
static struct timespec after(int64_t ms)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += ms / 1000;
	ts.tv_nsec += ms % 1000 * 1000000;
	if (ts.tv_nsec >= 1000000000) {
		ts.tv_sec++;
		ts.tv_nsec -= 1000000000;
	}
	return ts;
}

EXPORT int vse_ecb_wait(void *const ecbs[], int nr, int ms)
{
	int64_t until = ms < 0 ? INT64_MAX : vse_now_ms() + ms;
	int at = -1;

	if (nr < 1)
		return (int)give(-EINVAL);
	if (memory_check_pages(ecbs, (size_t)nr * sizeof(*ecbs)))
		return (int)give(-EFAULT);
	for (int i = 0; i < nr; i++) {
		if ((uintptr_t)ecbs[i] % sizeof(uint32_t))
			return (int)give(-EINVAL);
		if (ecbs[i] && memory_check_read(ecbs[i], sizeof(uint32_t)))
			return (int)give(-EFAULT);
	}
	pthread_mutex_lock(&lock);
	while ((at = find_posted(ecbs, nr)) < 0) {
		int64_t left = until - vse_now_ms();
		struct timespec ts;

		if (left <= 0)
			break;
		/* Other posters store into the ECB without a wake-up. */
		ts = after(left < VSE_LOOK_MS ? left : VSE_LOOK_MS);
		(void)pthread_cond_timedwait(&posted, &lock, &ts);
	}
	pthread_mutex_unlock(&lock);
	return at < 0 ? (int)give(-ETIMEDOUT) : at;
}

/* The waiting threads exist in the parent only. */
static void in_child(void)
{
	pthread_cond_init(&posted, NULL);
}

static void __attribute__((constructor)) init(void)
{
	vse_fork_lock(VSE_LOCK_ECB, &lock, in_child);
}
