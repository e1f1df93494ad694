/* SPDX-License-Identifier: Apache-2.0 */
/* shm.c - the transport over shared memory: a ring of packets each way, an eventfd to wake a
 * sleeper */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport/shm-inner.h"

/*
 * Theory of operation
 *
 * meet.c makes and ends the connection, shm-ring.c is the ring. Here is how it lives on the loop.
 * The hook runs before the loop sleeps, and after that of the path, which is younger. If there is
 * something to do, or it pays to look for packets a little longer (shm-poll.c), the hook asks for
 * another turn. Otherwise it tells the peer that this side sleeps. The hook also runs after each
 * wait, whatever has ended the wait: it looks at the ring and calls the owner. Nobody reads the
 * bell, because each ring of it is an edge.
 *
 * While it polls the loop goes round without waiting, so all other descriptors have their turn too.
 *
 * When the peer has gone, the packets in the ring are still delivered.
 */

static bool is_readable(struct shm_conn *conn)
{
	return (conn->meet.events & TRANSPORT_READ) &&
	       (shm_ring_has_more(&conn->in) || conn->meet.gone);
}

/* Returns true if there is room for the refused packet; else asks the peer to tell. */
static bool is_writable(struct shm_conn *conn)
{
	return (conn->meet.events & TRANSPORT_WRITE) && conn->full &&
	       (conn->meet.gone || !shm_ring_wait_room(&conn->out, conn->need));
}

/* Returns true if the loop may wait; then the peer knows. */
static bool may_sleep(struct shm_conn *conn)
{
	if (is_readable(conn) || is_writable(conn))
		return false;
	if (!(conn->meet.events & TRANSPORT_READ))
		return true;
	if (shm_poll_pays(&conn->poll, uv_now(conn->meet.timer.loop)) &&
	    shm_poll_goes_on(&conn->poll, uv_hrtime(), &conn->meet.base.counts.polls_missed)) {
		sched_yield();
		return false;
	}
	conn->sleeping = shm_ring_sleep(&conn->in);
	return conn->sleeping;
}

static void before_sleep(struct turn_hook *hook)
{
	struct shm_conn *conn = hook->data;

	turn_hook_ask(hook, !may_sleep(conn));
}

static void after_sleep(struct turn_hook *hook)
{
	struct shm_conn *conn = hook->data;

	if (conn->sleeping)
		shm_ring_awake(&conn->in);
	conn->sleeping = false;
	if (is_writable(conn)) {
		conn->full = false;
		conn->meet.base.on_writable(&conn->meet.base);
	}
	if (!is_readable(conn))
		return;
	if (conn->poll.most && !conn->poll.alone)
		shm_poll_hit(&conn->poll, uv_hrtime(), &conn->meet.base.counts.polls_hit);
	conn->meet.base.on_readable(&conn->meet.base);
}

static void shm_watch(struct transport_conn *base, unsigned int events)
{
	((struct meet_conn *)base)->events = events;
}

static uint8_t *shm_place(struct transport_conn *base, size_t size)
{
	return shm_ring_place(&((struct shm_conn *)base)->out, size);
}

static int shm_send(struct transport_conn *base, struct packet **packets, unsigned int nr)
{
	struct shm_conn *conn = (struct shm_conn *)base;
	unsigned int i;

	if (conn->meet.gone)
		return -EPIPE;
	for (i = 0; i < nr; i++) {
		struct packet *packet = packets[i];
		uint8_t *place = shm_ring_place(&conn->out, packet->len);

		if (!place && !conn->out.broken && !shm_ring_wait_room(&conn->out, packet->len))
			place = shm_ring_place(&conn->out, packet->len);
		if (!place)
			break;
		if (place != packet->buf)
			memcpy(place, packet->buf, packet->len);
		shm_ring_publish(&conn->out, packet->len);
	}
	if (conn->out.broken)
		return -EPROTO;
	base->counts.calls_out += i > 0;
	conn->full = i < nr;
	if (conn->full) {
		conn->need = packets[i]->len;
		base->counts.full++;
	}
	if (i && shm_ring_must_wake_reader(&conn->out))
		bell_ring(conn->meet.peer_bell, &conn->meet.base);
	return (int)i;
}

static int shm_receive(struct transport_conn *base, struct iovec *packets, unsigned int max)
{
	struct shm_conn *conn = (struct shm_conn *)base;
	unsigned int n = 0;
	int rc = 0;

	for (; n < max; n++) {
		const uint8_t *packet;

		rc = shm_ring_next(&conn->in, &packet, conn->meet.where.mtu);
		if (rc < 0)
			break;
		packets[n] = (struct iovec){(void *)(uintptr_t)packet, (size_t)rc};
	}
	base->counts.calls_in += n > 0;
	if (n)
		return (int)n; /* an error comes again, after these */
	return rc == -EAGAIN && conn->meet.gone ? 0 : rc;
}

static void shm_release(struct transport_conn *base)
{
	struct shm_conn *conn = (struct shm_conn *)base;

	if (shm_ring_release(&conn->in))
		bell_ring(conn->meet.peer_bell, &conn->meet.base);
}

static int64_t shm_credit(struct transport_conn *base)
{
	(void)base;
	return -ENOTSUP; /* positions count bytes */
}

static void shm_close(struct transport_conn *base)
{
	/* A peer that sleeps has to find the last packets: the socket's end wakes it. */
	meet_close((struct meet_conn *)base);
}

static void shm_describe(struct transport_conn *base, struct transport_peer *out)
{
	socket_describe(((struct meet_conn *)base)->fd, out);
}

static void init(struct meet_conn *meet)
{
	((struct shm_conn *)meet)->poll.most = (uint64_t)shm_settings(&meet->where)->poll * 1000;
}

static int make(struct meet_conn *meet, uint32_t words[static MEET_WORDS])
{
	words[0] = shm_ring_size(shm_settings(&meet->where)->ring_size, meet->where.mtu);
	return shm_memory_make((struct shm_conn *)meet, words[0]);
}

static int take(struct meet_conn *meet, int memfd, const uint32_t words[static MEET_WORDS],
		const char **why)
{
	return shm_memory_take((struct shm_conn *)meet, memfd, words[0], why);
}

static int met(struct meet_conn *meet)
{
	meet_done(meet);
	return 0;
}

static void drop(struct meet_conn *meet)
{
	shm_memory_drop((struct shm_conn *)meet);
}

/* The word of the greeting is the size of a ring in bytes, 0 in the answer. */
static const struct meet_kind kind = {
	.transport = &transport_shm,
	.size = sizeof(struct shm_conn),
	.magic = "LFPshm1",
	.nr_words = 1,
	.late = "it did not offer shared memory within 10 seconds",
	.other_transport = "it does not use TRANSPORT = shm",
	.wrong_descriptors = "its descriptors are not those of shared memory",
	.init = init,
	.make = make,
	.take = take,
	.met = met,
	.before = before_sleep,
	.after = after_sleep,
	.drop = drop,
};

static int shm_listen(uv_loop_t *loop, const struct transport_where *where,
		      struct transport_listener **out)
{
	return meet_listen(loop, where, &kind, out);
}

static int shm_connect(uv_loop_t *loop, const struct transport_where *where,
		       transport_connected_cb cb, void *data)
{
	return meet_connect(loop, where, &kind, cb, data);
}

#define POLL(key, which)                                                                             \
	{                                                                                            \
		key, LFP_FIELD_NUMBER, offsetof(struct shm_settings, poll), 0, 1000, "200", false,   \
			"with " which                                                                \
			" = shm: longest time to poll for packets before sleeping, in microseconds", \
			LFP_FIELD_OURS, NULL, NULL                                                   \
	}

static const struct lfp_field lfpd_keys[] = {
	POLL("SHM_POLL", "TRANSPORT"),
};

static const struct lfp_field vse_keys[] = {
	{"ShmRingSize", LFP_FIELD_SIZE, offsetof(struct shm_settings, ring_size), SHM_RING_MIN,
	 SHM_RING_MAX, "256K", false,
	 "with Transport = shm: bytes of the shared ring of each direction", LFP_FIELD_OURS, NULL,
	 NULL},
	POLL("ShmPoll", "Transport"),
};

const struct transport transport_shm = {
	.name = "shm",
	.keys = {{lfpd_keys, sizeof(lfpd_keys) / sizeof(lfpd_keys[0])},
		 {vse_keys, sizeof(vse_keys) / sizeof(vse_keys[0])}},
	.pretends_iucv = true,
	.shared = true,
	.batch = 1,
	.listen = shm_listen,
	.stop = meet_stop,
	.connect = shm_connect,
	.place = shm_place,
	.send = shm_send,
	.receive = shm_receive,
	.release = shm_release,
	.watch = shm_watch,
	.credit = shm_credit,
	.close = shm_close,
	.describe = shm_describe,
};
