/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c - starting and ending engines, submitting work, varying, accounts */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/engine/pool-inner.h"

static bool fits(const struct pool_config *config)
{
	bool cp = false;

	if (!config->engines || config->engines > POOL_ENGINES_MAX || !config->classes ||
	    config->classes > POOL_CLASSES_MAX)
		return false;
	for (unsigned int i = 0; i < config->engines; i++) {
		if (!config->engine[i].share || config->engine[i].share > 100)
			return false;
		cp |= config->engine[i].kind == ENGINE_CP && !config->engine[i].offline;
	}
	return cp;
}

static void sort_classes(struct pool *pool)
{
	for (unsigned int i = 0; i < pool->config.classes; i++) {
		unsigned int at = i;

		for (; at && pool->config.class[pool->order[at - 1]].importance >
				     pool->config.class[i].importance;
		     at--)
			pool->order[at] = pool->order[at - 1];
		pool->order[at] = i;
	}
}

static int start(struct pool *pool, unsigned int nr)
{
	const struct engine_config *config = &pool->config.engine[nr];
	struct engine *engine = &pool->engine[nr];
	int rc;

	engine->pool = pool;
	engine->nr = nr;
	engine->account.kind = config->kind;
	engine->online = !config->offline;
	engine->online_since_ns = pool_clock_ns(CLOCK_MONOTONIC);
	if (engine->online)
		atomic_fetch_add(&pool->online[config->kind], 1);
	rc = pthread_create(&engine->thread, NULL, engine_main, engine);
	if (rc)
		return -rc;
	engine->started = true;
	pthread_getcpuclockid(engine->thread, &engine->clock);
	return 0;
}

void pool_drain(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->queued || pool->running)
		pthread_cond_wait(&pool->idle, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

static void end(struct pool *pool)
{
	pool_drain(pool);
	pthread_mutex_lock(&pool->lock);
	pool->ending = true;
	pthread_cond_broadcast(&pool->cp);
	pthread_cond_broadcast(&pool->ziip);
	pthread_cond_broadcast(&pool->offline);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned int i = 0; i < pool->config.engines; i++)
		if (pool->engine[i].started)
			pthread_join(pool->engine[i].thread, NULL);
}

void pool_destroy(struct pool *pool)
{
	if (!pool)
		return;
	end(pool);
	pthread_cond_destroy(&pool->cp);
	pthread_cond_destroy(&pool->ziip);
	pthread_cond_destroy(&pool->offline);
	pthread_cond_destroy(&pool->idle);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

struct pool *pool_create(const struct pool_config *config)
{
	pthread_condattr_t monotonic;
	struct pool *pool;
	int rc = 0;

	if (!fits(config)) {
		errno = EINVAL;
		return NULL;
	}
	pool = calloc(1, sizeof(*pool));
	if (!pool)
		return NULL;
	pool->config = *config;
	sort_classes(pool);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&pool->cp, &monotonic);
	pthread_cond_init(&pool->ziip, &monotonic);
	pthread_cond_init(&pool->offline, NULL);
	pthread_cond_init(&pool->idle, NULL);
	pthread_condattr_destroy(&monotonic);
	for (unsigned int i = 0; rc == 0 && i < config->engines; i++)
		rc = start(pool, i);
	if (rc == 0)
		return pool;
	pool_destroy(pool);
	errno = -rc;
	return NULL;
}

/* Caller holds the lock. */
static void wake(struct pool *pool, const struct unit *unit)
{
	if (!unit->eligible || !atomic_load(&pool->online[ENGINE_ZIIP])) {
		pthread_cond_signal(&pool->cp);
		return;
	}
	pthread_cond_signal(&pool->ziip);
	/* From now on idle CPs look from time to time whether they have to help. */
	if (pool->config.honor_priority && unit->queued_ns - pool->eligible_ns > POOL_ALERT_NS)
		pthread_cond_broadcast(&pool->cp);
	pool->eligible_ns = unit->queued_ns;
}

void pool_submit(struct pool *pool, struct unit *unit)
{
	pthread_mutex_lock(&pool->lock);
	pool_enqueue(pool, unit, pool_clock_ns(CLOCK_MONOTONIC));
	wake(pool, unit);
	pthread_mutex_unlock(&pool->lock);
}

void pool_promote(struct pool *pool, struct unit *unit)
{
	pthread_mutex_lock(&pool->lock);
	if (unit->queued && unit->eligible && !unit->holds) {
		unit->holds = true;
		pthread_cond_signal(&pool->cp);
	}
	pthread_mutex_unlock(&pool->lock);
}

static int vary(struct pool *pool, struct engine *engine, bool online)
{
	const enum engine_kind kind = engine->account.kind;
	const uint64_t now = pool_clock_ns(CLOCK_MONOTONIC);

	if (engine->online == online)
		return -EALREADY;
	if (!online && kind == ENGINE_CP && atomic_load(&pool->online[kind]) == 1)
		return -EBUSY;
	if (!online)
		engine->account.online_ns += now - engine->online_since_ns;
	engine->online_since_ns = now;
	engine->online = online;
	if (online)
		atomic_fetch_add(&pool->online[kind], 1);
	else
		atomic_fetch_sub(&pool->online[kind], 1);
	pthread_cond_broadcast(&pool->cp);
	pthread_cond_broadcast(&pool->ziip);
	pthread_cond_broadcast(&pool->offline);
	return 0;
}

int pool_vary(struct pool *pool, unsigned int engine, bool online)
{
	int rc;

	if (engine >= pool->config.engines)
		return -ENODEV;
	pthread_mutex_lock(&pool->lock);
	rc = vary(pool, &pool->engine[engine], online);
	pthread_mutex_unlock(&pool->lock);
	return rc;
}

bool pool_may(const struct pool *pool, unsigned int engine, bool eligible)
{
	if (pool->config.engine[engine].kind == ENGINE_ZIIP)
		return eligible;
	return !eligible || pool->config.honor_priority || !atomic_load(&pool->online[ENGINE_ZIIP]);
}

void pool_read(struct pool *pool, struct pool_account *account)
{
	memset(account, 0, sizeof(*account));
	pthread_mutex_lock(&pool->lock);
	account->now_ns = pool_clock_ns(CLOCK_MONOTONIC);
	memcpy(account->class, pool->class, sizeof(pool->class));
	for (unsigned int i = 0; i < pool->config.engines; i++) {
		const struct engine *engine = &pool->engine[i];
		struct engine_account *to = &account->engine[i];

		*to = engine->account;
		to->online = engine->online;
		to->thread_ns = pool_clock_ns(engine->clock);
		if (engine->online)
			to->online_ns += account->now_ns - engine->online_since_ns;
	}
	account->promoted = pool->promoted;
	account->helped = pool->helped;
	pthread_mutex_unlock(&pool->lock);
}

void pool_account_between(const struct pool_account *earlier, const struct pool_account *later,
			  struct pool_account *result)
{
	*result = *later;
	result->now_ns -= earlier->now_ns;
	result->promoted -= earlier->promoted;
	result->helped -= earlier->helped;
	for (unsigned int i = 0; i < POOL_CLASSES_MAX; i++) {
		const struct class_account *from = &earlier->class[i];
		struct class_account *to = &result->class[i];

		to->cp_ns -= from->cp_ns;
		to->iipcp_ns -= from->iipcp_ns;
		to->iip_ns -= from->iip_ns;
		to->units -= from->units;
		to->using_ns -= from->using_ns;
		to->delay_ns -= from->delay_ns;
	}
	for (unsigned int i = 0; i < POOL_ENGINES_MAX; i++) {
		const struct engine_account *from = &earlier->engine[i];
		struct engine_account *to = &result->engine[i];

		to->thread_ns -= from->thread_ns;
		to->eligible_ns -= from->eligible_ns;
		to->charged_ns -= from->charged_ns;
		to->waiting_ns -= from->waiting_ns;
		to->online_ns -= from->online_ns;
	}
}

const struct pool_config *pool_config_of(const struct pool *pool)
{
	return &pool->config;
}

unsigned int pool_online(const struct pool *pool, enum engine_kind kind)
{
	return atomic_load(&pool->online[kind]);
}
