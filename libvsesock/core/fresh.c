/* SPDX-License-Identifier: Apache-2.0 */
/* fresh.c - near ends that the program makes itself, within the credit of its instance */
#include "libvsesock/core/fresh.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "libvsesock/core/known.h"
#include "libvsesock/core/place.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/core/recognised.h"
#include "libvsesock/core/sandbox.h"

/* A word is 0, or has three parts: the lower bits of the cookie, the lower bits of the credit's
 * series, and the descriptor. */
#define FD_BITS     20
#define FD_MASK     ((1u << FD_BITS) - 1)
#define SERIES_MASK 0xfffu
#define COOKIE_BIT  32

static struct purse {
	struct lfp_credit *page; /* NULL: none */
	void *mapped;            /* its address; never unmapped: another thread may read it */
	long pid;                /* process that asked for it */
	unsigned int calls;      /* calls of socket() without credit */
	bool earning;            /* a thread asks for the page */
	uint64_t words[LFP_CREDIT_MAX];
} purses[2];

/* Number of words that are not 0, of both purses; too high while a word is being written. */
static unsigned int nr_words;

static struct purse *purse_of(int family)
{
	return &purses[family == AF_INET6];
}

static long own_pid(void)
{
	return raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static void on_fork(void)
{
	for (int i = 0; i < 2; i++)
		purses[i] = (struct purse){.mapped = purses[i].mapped};
	nr_words = 0;
}

static void __attribute__((constructor)) know_forks(void)
{
	(void)pthread_atfork(NULL, NULL, on_fork);
}

/* Returns the page if it is this process's, else NULL. */
static struct lfp_credit *page_of(const struct purse *purse)
{
	struct lfp_credit *page = __atomic_load_n(&purse->page, __ATOMIC_ACQUIRE);

	/* The program's own filter kills a system call that a request may need. */
	if (!page || sandbox_kills(SANDBOX_ALL))
		return NULL;
	return __atomic_load_n(&purse->pid, __ATOMIC_RELAXED) == own_pid() ? page : NULL;
}

long fresh_post_pid(void)
{
	for (int i = 0; i < 2; i++)
		if (__atomic_load_n(&purses[i].page, __ATOMIC_RELAXED))
			return __atomic_load_n(&purses[i].pid, __ATOMIC_RELAXED);
	return 0;
}

bool fresh_post_pages(struct lfp_credit *pages[static 2], long *pid)
{
	for (int i = 0; i < 2; i++) {
		struct lfp_credit *page = page_of(&purses[i]);

		pages[i] = NULL;
		if (!page || !__atomic_load_n(&page->takes_posts, __ATOMIC_ACQUIRE))
			continue;
		pages[i] = page;
		*pid = __atomic_load_n(&purses[i].pid, __ATOMIC_RELAXED);
	}
	return pages[0] || pages[1];
}

static bool change(struct lfp_credit *page, uint32_t *from, uint32_t to)
{
	return __atomic_compare_exchange_n(&page->left, from, to, true, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

/* Takes one from the credit, if there is any. Always sets @series. */
static bool take(struct lfp_credit *page, uint32_t *series)
{
	uint32_t left = __atomic_load_n(&page->left, __ATOMIC_ACQUIRE);
	bool taken = false;

	while (LFP_CREDIT_LEFT(left) && !taken)
		taken = change(page, &left, left - 1);
	*series = left >> LFP_CREDIT_SERIES;
	return taken;
}

/* Returns credit, unless the instance has taken it back in the meantime. */
static void give_back(struct lfp_credit *page, uint32_t nr, uint32_t series)
{
	uint32_t left = __atomic_load_n(&page->left, __ATOMIC_ACQUIRE);

	while (left >> LFP_CREDIT_SERIES == series && !change(page, &left, left + nr))
		;
}

static uint64_t make_word(uint64_t cookie, int fd, uint32_t series)
{
	if (!cookie)
		return 0;
	return cookie << COOKIE_BIT | (uint64_t)(series & SERIES_MASK) << FD_BITS |
	       (unsigned int)fd;
}

static uint32_t series_in(uint64_t word)
{
	return (uint32_t)(word >> FD_BITS) & SERIES_MASK;
}

static bool is_live(uint64_t word)
{
	int fd = (int)(word & FD_MASK);

	return make_word(known_cookie(fd), fd, series_in(word)) == word;
}

static bool clear(uint64_t *word, uint64_t value)
{
	if (!__atomic_compare_exchange_n(word, &value, 0, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return false;
	__atomic_fetch_sub(&nr_words, 1, __ATOMIC_RELAXED);
	return true;
}

/* Forgets the fresh sockets that were closed. Returns the number of these with credit of the
 * series, and sets @live to the number of open ones with such credit. */
static uint32_t look(struct purse *purse, uint32_t series, uint32_t *live)
{
	uint32_t closed = 0;

	*live = 0;
	for (unsigned int i = 0; i < LFP_CREDIT_MAX; i++) {
		uint64_t word = __atomic_load_n(&purse->words[i], __ATOMIC_ACQUIRE);

		if (!word)
			continue;
		if (is_live(word))
			*live += series_in(word) == (series & SERIES_MASK);
		else if (clear(&purse->words[i], word))
			closed += series_in(word) == (series & SERIES_MASK);
	}
	return closed;
}

/* Takes one from the credit. If none is left, first takes back the credit of closed sockets. */
static bool spend(struct purse *purse, struct lfp_credit *page, uint32_t *series)
{
	uint32_t closed, live;

	if (take(page, series))
		return true;
	closed = look(purse, *series, &live);
	__atomic_store_n(&page->live, live, __ATOMIC_RELEASE);
	if (!closed)
		return false;
	give_back(page, closed, *series);
	return take(page, series);
}

static void remember(struct purse *purse, const struct lfp_credit *page, const char *nn, int fd,
		     uint32_t series)
{
	uint64_t cookie = known_cookie(fd);
	uint64_t word = (unsigned int)fd <= FD_MASK ? make_word(cookie, fd, series) : 0;

	/* Posts name sockets by their cookies, too. */
	if (__atomic_load_n(&page->takes_posts, __ATOMIC_RELAXED))
		recognised_put(cookie, nn);
	if (!word)
		return;
	__atomic_fetch_add(&nr_words, 1, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < LFP_CREDIT_MAX; i++) {
		uint64_t none = 0;

		if (__atomic_load_n(&purse->words[i], __ATOMIC_RELAXED))
			continue;
		if (__atomic_compare_exchange_n(&purse->words[i], &none, word, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return;
	}
	__atomic_fetch_sub(&nr_words, 1, __ATOMIC_RELAXED);
}

/* Returns a socket with the mark, or a negative errno. */
static int make(const char *nn, int family, int flags)
{
	uint64_t mark = lfp_fresh_mark(nn, family);
	int fd = raw_socket(AF_UNIX, SOCK_STREAM | flags, 0);

	if (fd < 0)
		return fd;
	if (raw_setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &mark, sizeof(mark)) == 0)
		return fd;
	/* The program's own filter refuses the option. */
	raw_close(fd);
	return -ENETDOWN;
}

int fresh_socket(const char *nn, int family, int flags)
{
	struct purse *purse = purse_of(family);
	struct lfp_credit *page = page_of(purse);
	uint32_t series;
	int fd;

	if (!page || strcmp(nn, place_instance()) != 0 || !spend(purse, page, &series))
		return -ENETDOWN;
	fd = make(nn, family, flags);
	if (fd >= 0)
		remember(purse, page, nn, fd, series);
	else
		give_back(page, 1, series);
	return fd;
}

/* Calls @fn with each fresh socket that has the number @fd; -1: with all. */
static void each_word(int fd, void (*fn)(uint64_t *word, uint64_t value, void (*arg)(int fd)),
		      void (*arg)(int fd))
{
	for (int i = 0; i < 2; i++)
		for (unsigned int j = 0; j < LFP_CREDIT_MAX; j++) {
			uint64_t word = __atomic_load_n(&purses[i].words[j], __ATOMIC_ACQUIRE);

			if (word && (fd < 0 || (int)(word & FD_MASK) == fd))
				fn(&purses[i].words[j], word, arg);
		}
}

static void forget_one(uint64_t *word, uint64_t value, void (*arg)(int fd))
{
	int fd = (int)(value & FD_MASK);

	if (arg && is_live(value))
		arg(fd);
	(void)clear(word, value);
}

void fresh_escaped(int fd)
{
	if (__builtin_expect(__atomic_load_n(&nr_words, __ATOMIC_RELAXED), 0))
		each_word(fd, forget_one, NULL);
}

void fresh_each(void (*fn)(int fd))
{
	if (__atomic_load_n(&nr_words, __ATOMIC_RELAXED))
		each_word(-1, forget_one, fn);
}

void fresh_forget(void)
{
	for (int i = 0; i < 2; i++) {
		__atomic_store_n(&purses[i].page, NULL, __ATOMIC_RELEASE);
		__atomic_store_n(&purses[i].calls, 0, __ATOMIC_RELAXED);
	}
}

bool fresh_lacks_page(int family)
{
	return !__atomic_load_n(&purse_of(family)->page, __ATOMIC_RELAXED);
}

unsigned int fresh_count_call(int family)
{
	return __atomic_add_fetch(&purse_of(family)->calls, 1, __ATOMIC_RELAXED);
}

void *fresh_mapped(int family)
{
	return __atomic_load_n(&purse_of(family)->mapped, __ATOMIC_RELAXED);
}

void fresh_set_mapped(int family, void *at)
{
	__atomic_store_n(&purse_of(family)->mapped, at, __ATOMIC_RELAXED);
}

void fresh_set_page(int family, struct lfp_credit *page)
{
	struct purse *purse = purse_of(family);

	__atomic_store_n(&purse->pid, own_pid(), __ATOMIC_RELAXED);
	__atomic_store_n(&purse->page, page, __ATOMIC_RELEASE);
}

bool fresh_begin_earning(int family)
{
	return !__atomic_exchange_n(&purse_of(family)->earning, true, __ATOMIC_ACQUIRE);
}

void fresh_end_earning(int family)
{
	__atomic_store_n(&purse_of(family)->earning, false, __ATOMIC_RELEASE);
}
