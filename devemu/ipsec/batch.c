/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c - batches leave in the order in which they came */
#include "devemu/ipsec/batch.h"

#include <string.h>

static struct batch *due(const struct stream *stream)
{
	return stream->ring[stream->due % BATCHES];
}

/* Returns true if a finished batch that is not eligible waits for others. */
static bool others_wait(const struct stream *stream)
{
	for (unsigned int i = 0; i < BATCHES; i++)
		if (stream->ring[i] && stream->ring[i]->done && !stream->ring[i]->unit.eligible)
			return true;
	return false;
}

/* Sends all that is due and finished. The lock is held before and after; @stream->sending is this
 * engine's, and stays set if another engine continues. @holds: the unit of this engine was
 * promoted, so an engine of any kind may send eligible batches. */
static void send_due(struct stream *stream, unsigned int engine, bool holds)
{
	struct batch *batch;

	while ((batch = due(stream)) && batch->done) {
		const unsigned int class = batch->unit.class;
		const bool eligible = batch->unit.eligible;

		if (!pool_may(stream->pool, engine, eligible) && !(holds && eligible)) {
			stream->sender.class = class;
			stream->sender.eligible = eligible;
			pool_submit(stream->pool, &stream->sender);
			if (eligible && others_wait(stream))
				pool_promote(stream->pool, &stream->sender);
			return;
		}
		pthread_mutex_unlock(&stream->lock);
		stream->ops->send(stream->context, batch);
		/* Each batch is charged by itself, whichever unit this engine has. */
		pool_charge(stream->pool, engine, class, eligible);
		pthread_mutex_lock(&stream->lock);
		stream->ring[stream->due % BATCHES] = NULL;
		stream->due++;
		stream->ops->release(stream->context, batch);
	}
	stream->sending = false;
}

static void run_sender(struct unit *unit, unsigned int engine)
{
	struct stream *stream = (struct stream *)unit;

	pthread_mutex_lock(&stream->lock);
	send_due(stream, engine, unit->holds);
	pthread_mutex_unlock(&stream->lock);
}

static void run_batch(struct unit *unit, unsigned int engine)
{
	struct batch *batch = (struct batch *)unit;
	struct stream *stream = batch->stream;
	const bool holds = unit->holds;
	struct batch *first;

	stream->ops->work(stream->context, batch, engine);
	pool_charge(stream->pool, engine, unit->class, unit->eligible);
	pthread_mutex_lock(&stream->lock);
	batch->done = true;
	first = due(stream);
	if (!stream->sending && first->done) {
		stream->sending = true;
		send_due(stream, engine, holds);
	} else if (!batch->unit.eligible && !first->done) {
		pool_promote(stream->pool, &first->unit);
	} else if (!batch->unit.eligible) {
		pool_promote(stream->pool, &stream->sender);
	}
	pthread_mutex_unlock(&stream->lock);
}

void stream_init(struct stream *stream, struct pool *pool, unsigned int class,
		 const struct stream_ops *ops, void *context)
{
	memset(stream, 0, sizeof(*stream));
	stream->sender = (struct unit){.run = run_sender, .class = class};
	stream->pool = pool;
	stream->ops = ops;
	stream->context = context;
	pthread_mutex_init(&stream->lock, NULL);
}

void stream_finish(struct stream *stream)
{
	pthread_mutex_destroy(&stream->lock);
}

void stream_submit(struct stream *stream, struct batch *batch, unsigned int class, bool eligible)
{
	batch->unit.run = run_batch;
	batch->unit.class = class;
	batch->unit.eligible = eligible;
	batch->stream = stream;
	batch->done = false;
	pthread_mutex_lock(&stream->lock);
	batch->ticket = stream->next++;
	stream->ring[batch->ticket % BATCHES] = batch;
	pthread_mutex_unlock(&stream->lock);
	pool_submit(stream->pool, &batch->unit);
}
