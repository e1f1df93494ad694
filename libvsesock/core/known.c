/* SPDX-License-Identifier: Apache-2.0 */
/* known.c - addresses of connections and listeners, as the instance has reported them */
#include "libvsesock/core/known.h"

#include <string.h>

#include "libvsesock/core/raw.h"
#include "libvsesock/core/sandbox.h"

#define NR_ENTRIES 1024u /* the kernel counts cookies up, so neighbours do not meet */
#define NR_WORDS   (sizeof(struct known_names) / sizeof(uint64_t))

_Static_assert(NR_WORDS * sizeof(uint64_t) == sizeof(struct known_names), "names are whole words");

struct entry {
	uint64_t changes; /* odd while the entry is written */
	uint64_t cookie;
	uint64_t words[NR_WORDS]; /* struct known_names; zeros: a listener */
};

static struct entry entries[NR_ENTRIES];

uint64_t known_cookie(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	if (sandbox_kills(SANDBOX_GETSOCKOPT) ||
	    raw_getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len) < 0)
		return 0;
	return cookie;
}

static struct entry *entry_of(uint64_t cookie)
{
	return &entries[cookie % NR_ENTRIES];
}

/* What follows is not done before. */
static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* What stands before is not done later. */
static void store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static void put(uint64_t cookie, const uint64_t words[static NR_WORDS])
{
	struct entry *entry = entry_of(cookie);
	uint64_t changes = __atomic_load_n(&entry->changes, __ATOMIC_RELAXED);

	if (!cookie || (changes & 1) ||
	    !__atomic_compare_exchange_n(&entry->changes, &changes, changes + 1, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	store(&entry->cookie, cookie);
	for (size_t i = 0; i < NR_WORDS; i++)
		store(&entry->words[i], words[i]);
	store(&entry->changes, changes + 2);
}

static bool get(uint64_t cookie, uint64_t words[static NR_WORDS])
{
	const struct entry *entry = entry_of(cookie);
	uint64_t changes = load(&entry->changes);
	bool is_same = cookie && load(&entry->cookie) == cookie;

	for (size_t i = 0; i < NR_WORDS; i++)
		words[i] = load(&entry->words[i]);
	return is_same && !(changes & 1) && load(&entry->changes) == changes;
}

void known_put(uint64_t cookie, const struct known_names *names)
{
	uint64_t words[NR_WORDS];

	memcpy(words, names, sizeof(words));
	put(cookie, words);
}

bool known_get(uint64_t cookie, struct known_names *names)
{
	uint64_t words[NR_WORDS];

	if (!get(cookie, words))
		return false;
	memcpy(names, words, sizeof(words));
	return names->local.family && names->peer.family;
}

void known_forget(uint64_t cookie)
{
	struct known_names names;

	/* The place may be another connection's. Zeros would say that it is a listener. */
	if (known_get(cookie, &names))
		known_put(cookie, &(struct known_names){.peer = names.peer});
}

void known_put_listener(uint64_t cookie)
{
	static const uint64_t zeros[NR_WORDS];

	put(cookie, zeros);
}

bool known_is_listener(uint64_t cookie)
{
	static const uint64_t zeros[NR_WORDS];
	uint64_t words[NR_WORDS];

	return get(cookie, words) && !memcmp(words, zeros, sizeof(words));
}
