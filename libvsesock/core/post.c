/* SPDX-License-Identifier: Apache-2.0 */
/* post.c - options of connected streams that this process posts (lfp/post.h) */
#include "libvsesock/core/post.h"

#include <pthread.h>
#include <string.h>

#include "lfp/ctl.h"
#include "lfp/early.h"
#include "libvsesock/core/fresh.h"

/* A word is 0, or a near end's cookie and the process that may post its options. */
#define PID_BITS   22 /* Linux has no more (PID_MAX_LIMIT) */
#define COOKIE_MAX (UINT64_C(1) << (64 - PID_BITS))
#define NR_WORDS   1024u

static uint64_t words[NR_WORDS];

/* Connections of the parent are not the child's. */
static void on_fork(void)
{
	memset(words, 0, sizeof(words));
}

static void __attribute__((constructor)) know_forks(void)
{
	(void)pthread_atfork(NULL, NULL, on_fork);
}

static uint64_t *place_of(uint64_t cookie)
{
	return &words[cookie % NR_WORDS];
}

static uint64_t make_word(uint64_t cookie, long pid)
{
	return cookie << PID_BITS | (uint64_t)pid;
}

void post_allow(uint64_t cookie, int32_t pid)
{
	long own = pid ? pid : fresh_post_pid();

	if (!cookie || cookie >= COOKIE_MAX || own <= 0 || own >> PID_BITS)
		return;
	__atomic_store_n(place_of(cookie), make_word(cookie, own), __ATOMIC_RELAXED);
}

/* Returns true if an earlier post of the same option is still in a page: neither words nor pages
 * have an order. */
static bool is_pending(struct lfp_credit *const pages[static 2], uint64_t post)
{
	for (unsigned int i = 0; i < 2 * LFP_POSTS; i++) {
		const struct lfp_credit *page = pages[i / LFP_POSTS];

		if (page && __atomic_load_n(&page->posts[i % LFP_POSTS], __ATOMIC_RELAXED) >> 1 ==
				    post >> 1)
			return true;
	}
	return false;
}

static bool put(struct lfp_credit *page, uint64_t post)
{
	for (unsigned int i = 0; i < LFP_POSTS; i++) {
		uint64_t none = 0;

		if (__atomic_compare_exchange_n(&page->posts[i], &none, post, false,
						__ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

bool post_put(uint64_t cookie, bool on)
{
	struct lfp_credit *pages[2];
	uint64_t post;
	long pid;

	if (!cookie || cookie >= COOKIE_MAX || !fresh_post_pages(pages, &pid) ||
	    __atomic_load_n(place_of(cookie), __ATOMIC_RELAXED) != make_word(cookie, pid))
		return false;
	post = lfp_post_make(cookie, LFP_EARLY_NODELAY, on);
	return !is_pending(pages, post) && put(pages[0] ? pages[0] : pages[1], post);
}
