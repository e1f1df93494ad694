/* SPDX-License-Identifier: Apache-2.0 */
/* sa.c - security associations: life, sequence numbers, replay */
#include "devemu/ipsec/sa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/rand.h>

#define SECOND_NS UINT64_C(1000000000)

static int transforms(struct sa *sa, unsigned int threads)
{
	for (; sa->threads < threads; sa->threads++) {
		sa->transform[sa->threads] = transform_create(&sa->config.algorithms);
		if (!sa->transform[sa->threads])
			return -errno;
	}
	return 0;
}

struct sa *sa_create(const struct sa_config *config, unsigned int threads, unsigned int mtu)
{
	struct sa *sa;
	int rc = -EINVAL;

	if (!threads || threads > SA_THREADS_MAX || !config->spi) {
		errno = EINVAL;
		return NULL;
	}
	sa = calloc(1, sizeof(*sa));
	if (!sa)
		return NULL;
	sa->config = *config;
	sa->sequence_last = config->extended ? UINT64_MAX : UINT32_MAX;
	atomic_store(&sa->mtu, mtu);
	replay_init(&sa->replay, config->window);
	pthread_mutex_init(&sa->lock, NULL);
	if (config->ah
		    ? config->algorithms.encr == ENCR_NONE && config->algorithms.auth != AUTH_NONE
		    : algorithms_fit(&config->algorithms, config->in_ah))
		rc = RAND_bytes(sa->iv_base, sizeof(sa->iv_base)) == 1 ? transforms(sa, threads)
								       : -ENOMEM;
	if (rc == 0)
		return sa;
	sa_destroy(sa);
	errno = -rc;
	return NULL;
}

void sa_destroy(struct sa *sa)
{
	if (!sa)
		return;
	for (unsigned int i = 0; i < sa->threads; i++)
		transform_destroy(sa->transform[i]);
	pthread_mutex_destroy(&sa->lock);
	explicit_bzero(&sa->config, sizeof(sa->config));
	free(sa);
}

void sa_set_sequence(struct sa *sa, uint64_t sequence)
{
	atomic_store(&sa->sequence, sequence);
}

/* Returns whether the SA has not reached its age. */
static bool young(const struct sa *sa, uint64_t now_ns)
{
	const uint64_t first = atomic_load(&sa->first_ns);

	const uint64_t grace = sa->config.inbound ? SA_GRACE_SECONDS : 0;

	return !sa->config.life_seconds || !first ||
	       (now_ns - first) / SECOND_NS < sa->config.life_seconds + grace;
}

bool sa_alive(const struct sa *sa, uint64_t now_ns)
{
	if (sa->config.life_bytes && atomic_load(&sa->taken) >= sa->config.life_bytes)
		return false;
	if (!sa->config.inbound && atomic_load(&sa->sequence) >= sa->sequence_last)
		return false;
	return young(sa, now_ns);
}

static void begin(struct sa *sa, uint64_t now_ns)
{
	uint_fast64_t none = 0;

	if (!atomic_load_explicit(&sa->first_ns, memory_order_relaxed))
		atomic_compare_exchange_strong(&sa->first_ns, &none, now_ns ? now_ns : 1);
}

uint64_t sa_number(struct sa *sa, size_t len, uint64_t now_ns)
{
	uint_fast64_t last = atomic_load(&sa->sequence);

	begin(sa, now_ns);
	if (!young(sa, now_ns) ||
	    (sa->config.life_bytes && atomic_load(&sa->taken) + len > sa->config.life_bytes))
		return 0;
	do
		if (last >= sa->sequence_last)
			return 0;
	while (!atomic_compare_exchange_weak(&sa->sequence, &last, last + 1));
	atomic_fetch_add(&sa->taken, len);
	return last + 1;
}

uint64_t sa_sequence(const struct sa *sa, uint32_t low)
{
	const uint64_t highest = sa->replay.highest;
	const uint32_t top = (uint32_t)highest, reach = sa->replay.size - 1;
	uint32_t high = (uint32_t)(highest >> 32);

	if (!sa->config.extended)
		return low;
	if (top >= reach) {
		if (low < top - reach)
			high++;
	} else if (high && low >= top - reach) {
		/* The window reaches back across a multiple of 2^32. */
		high--;
	}
	return (uint64_t)high << 32 | low;
}

uint64_t sa_highest(struct sa *sa)
{
	uint64_t highest;

	pthread_mutex_lock(&sa->lock);
	highest = sa->replay.highest;
	pthread_mutex_unlock(&sa->lock);
	return highest;
}

void sa_count_drop(struct sa *sa, int reason)
{
	if (reason < 0)
		atomic_fetch_add(&sa->counters.drop[-reason], 1);
}

/* 0 if the number has not been had. Caller holds the lock. */
static int check_replay(const struct sa *sa, uint64_t sequence)
{
	if (!sequence)
		return -DROP_SEQUENCE_ZERO;
	if (!sa->config.window || !replay_had(&sa->replay, sequence))
		return 0;
	return sa->replay.highest - sequence >= sa->replay.size ? -DROP_OLD : -DROP_REPLAYED;
}

int sa_receive_begin(struct sa *sa, uint32_t low, uint64_t now_ns, struct esp_number *number)
{
	int rc;

	begin(sa, now_ns);
	/* The sender counts the same bytes and at least as many, so its end comes first. */
	if (!young(sa, now_ns) ||
	    (sa->config.life_bytes && atomic_load(&sa->taken) >= sa->config.life_bytes))
		return -DROP_EXPIRED;
	pthread_mutex_lock(&sa->lock);
	*number = (struct esp_number){.spi = sa->config.spi,
				      .sequence = sa_sequence(sa, low),
				      .extended = sa->config.extended};
	rc = check_replay(sa, number->sequence);
	pthread_mutex_unlock(&sa->lock);
	return rc;
}

int sa_receive_end(struct sa *sa, uint64_t sequence, size_t len)
{
	int rc;

	pthread_mutex_lock(&sa->lock);
	rc = check_replay(sa, sequence);
	if (rc == 0)
		replay_remember(&sa->replay, sequence);
	pthread_mutex_unlock(&sa->lock);
	if (rc == 0)
		atomic_fetch_add(&sa->taken, len);
	return rc;
}
