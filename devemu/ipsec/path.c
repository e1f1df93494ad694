/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - the way of packets */
#include "devemu/ipsec/path.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "devemu/ipsec/batch.h"
#include "devemu/ipsec/fragment.h"
#include "devemu/ipsec/icmp.h"

/* SPARE: packets are read only while so many batches are unused. Where they then need more, because
 * they are large or of both kinds, the thread of the path waits. */
enum { FDS = NETDEV_SOCKETS_MAX + 2, TICK_MS = 1000, SPARE = 4 };

/* A batch that is being filled. */
struct filling {
	struct stream stream;
	struct batch *batch;
	bool eligible;
};

struct ipsec_path {
	struct ipsec_path_config config;
	struct stack *stack;
	struct flows *flows;
	struct filling out, in;
	pthread_t thread;
	bool started;
	clockid_t clock;
	int wake; /* eventfd: a batch is unused again, or the end */
	atomic_bool ending, starved;
	pthread_mutex_t lock; /* of @unused */
	pthread_cond_t one_unused, all_unused;
	struct batch *unused[BATCHES], *memory[BATCHES];
	unsigned int nr_unused;
	atomic_uint_fast64_t out_packets, in_packets, eligible_out, ineligible_out;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* On an engine: the ciphers. */
static void work(void *context, struct batch *batch, unsigned int engine)
{
	struct ipsec_path *path = context;
	const uint64_t now = now_ns(CLOCK_MONOTONIC);
	size_t out = 0;

	for (unsigned int i = 0; i < batch->nr; i++) {
		struct slot *slot = &batch->slot[i];

		slot->out = out;
		slot->len = stack_do(path->stack, engine, &slot->work, batch->in + slot->in, now,
				     batch->out + out);
		if (slot->len > 0)
			out += (size_t)slot->len;
	}
}

static void refused(void *context, int reason)
{
	struct ipsec_path *path = context;

	stack_count_drop(path->stack, reason);
}

static int send_piece(void *context, const uint8_t *piece, size_t len)
{
	struct ipsec_path *path = context;
	const struct netdev_packet packet = {piece, len};

	netdev_send(path->config.device, &packet, 1, refused, path);
	return 0;
}

static void send_cut(struct ipsec_path *path, const struct slot *slot, const uint8_t *packet,
		     unsigned int mtu)
{
	uint8_t piece[IP_PACKET_MAX];
	struct ip_packet ip;
	int rc = ip_parse(&ip, packet, (size_t)slot->len);

	if (rc == 0)
		rc = fragment_cut(&ip, packet, mtu, (uint32_t)slot->work.number, piece, send_piece,
				  path);
	stack_count_drop(path->stack, rc);
}

static void send_out(void *context, struct batch *batch)
{
	struct ipsec_path *path = context;
	struct netdev_packet packet[BATCH_PACKETS];
	size_t nr = 0;

	for (unsigned int i = 0; i < batch->nr; i++) {
		const struct slot *slot = &batch->slot[i];
		const unsigned int mtu = stack_mtu(&slot->work);

		if (slot->len <= 0)
			continue;
		if ((unsigned int)slot->len <= mtu) {
			packet[nr++] =
				(struct netdev_packet){batch->out + slot->out, (size_t)slot->len};
			continue;
		}
		netdev_send(path->config.device, packet, nr, refused, path);
		atomic_fetch_add(&path->out_packets, nr + 1);
		nr = 0;
		send_cut(path, slot, batch->out + slot->out, mtu);
	}
	netdev_send(path->config.device, packet, nr, refused, path);
	atomic_fetch_add(&path->out_packets, nr);
}

static void send_in(void *context, struct batch *batch)
{
	struct ipsec_path *path = context;

	const uint64_t now = now_ns(CLOCK_MONOTONIC);

	for (unsigned int i = 0; i < batch->nr; i++) {
		const struct slot *slot = &batch->slot[i];
		const uint8_t *packet = batch->out + slot->out;
		const size_t len = (size_t)slot->len;

		if (slot->len <= 0 || stack_accept(path->stack, &slot->work, packet, len) < 0)
			continue;
		flows_received(path->flows, packet, len, now);
		if (write(path->config.device->tun, packet, len) < 0)
			stack_count_drop(path->stack,
					 errno == EAGAIN ? -DROP_NO_ROOM : -DROP_UNSENT);
		else
			atomic_fetch_add(&path->in_packets, 1);
	}
}

static void wake(struct ipsec_path *path)
{
	const uint64_t one = 1;

	while (write(path->wake, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void release(void *context, struct batch *batch)
{
	struct ipsec_path *path = context;
	bool enough;

	pthread_mutex_lock(&path->lock);
	path->unused[path->nr_unused++] = batch;
	pthread_cond_signal(&path->one_unused);
	enough = path->nr_unused >= SPARE;
	if (path->nr_unused == BATCHES)
		pthread_cond_signal(&path->all_unused);
	pthread_mutex_unlock(&path->lock);
	if (enough && atomic_exchange(&path->starved, false))
		wake(path);
}

/* Returns an empty batch. Waits until the engines are done with one, if need be: at most two
 * batches are not theirs. */
static struct batch *take_unused(struct ipsec_path *path)
{
	struct batch *batch;

	pthread_mutex_lock(&path->lock);
	while (!path->nr_unused)
		pthread_cond_wait(&path->one_unused, &path->lock);
	batch = path->unused[--path->nr_unused];
	pthread_mutex_unlock(&path->lock);
	batch->nr = 0;
	batch->in_used = 0;
	return batch;
}

/* Returns true if enough batches are unused. If not, @path->wake will be. */
static bool has_spare(struct ipsec_path *path)
{
	bool spare;

	pthread_mutex_lock(&path->lock);
	spare = path->nr_unused >= SPARE;
	if (!spare)
		atomic_store(&path->starved, true);
	pthread_mutex_unlock(&path->lock);
	return spare;
}

static const struct stream_ops out_ops = {work, send_out, release};
static const struct stream_ops in_ops = {work, send_in, release};

static void submit(struct ipsec_path *path, struct filling *filling)
{
	struct batch *batch = filling->batch;

	filling->batch = NULL;
	if (!batch)
		return;
	if (batch->nr)
		stream_submit(&filling->stream, batch,
			      filling->eligible ? path->config.class : path->config.other,
			      filling->eligible);
	else
		release(path, batch);
}

/* Sees to a batch with room for one more packet of up to @len bytes. */
static void make_room(struct ipsec_path *path, struct filling *filling, size_t len)
{
	if (filling->batch &&
	    (filling->batch->nr == BATCH_PACKETS || BATCH_IN - filling->batch->in_used < len))
		submit(path, filling);
	if (!filling->batch)
		filling->batch = take_unused(path);
}

/* Puts a packet into the batch, or into the next one if it is of the other kind. */
static void add(struct ipsec_path *path, struct filling *filling, const struct work *work,
		const uint8_t *packet, bool eligible)
{
	struct batch *batch = filling->batch;
	struct slot *slot;

	if (batch->nr && filling->eligible != eligible) {
		struct batch *next = take_unused(path);

		memcpy(next->in, packet, work->ip.len);
		packet = next->in;
		submit(path, filling);
		filling->batch = batch = next;
	}
	filling->eligible = eligible;
	slot = &batch->slot[batch->nr++];
	slot->work = *work;
	slot->in = batch->in_used;
	if (packet != batch->in + batch->in_used)
		memcpy(batch->in + batch->in_used, packet, work->ip.len);
	batch->in_used += work->ip.len;
}

static void answer_too_big(struct ipsec_path *path, const struct work *work, const uint8_t *packet,
			   unsigned int mtu)
{
	uint8_t message[ICMP_MAX];
	const size_t len = icmp_too_big(&work->ip, packet, mtu, message);

	/* Lost messages are sent again, with the next packet. */
	if (len && write(path->config.device->tun, message, len) < 0)
		stack_count_drop(path->stack, -DROP_UNSENT);
}

/* One packet of the TUN interface: false if there is none. */
static bool read_tun_once(struct ipsec_path *path, uint64_t now)
{
	struct batch *batch = path->out.batch;
	const uint8_t *packet = batch->in + batch->in_used;
	const ssize_t len =
		read(path->config.device->tun, batch->in + batch->in_used, IP_PACKET_MAX);
	unsigned int mtu = 0;
	struct work work;
	bool eligible;
	int rc;

	if (len <= 0)
		return false;
	rc = stack_out(path->stack, &packet, (size_t)len, now, &work, &mtu);
	if (rc == -DROP_TOO_BIG && mtu)
		answer_too_big(path, &work, packet, mtu);
	if (rc <= 0)
		return true;
	eligible = work.kind == WORK_SEAL && flows_outbound(path->flows, &work.ip, packet, now);
	atomic_fetch_add(eligible ? &path->eligible_out : &path->ineligible_out, 1);
	add(path, &path->out, &work, packet, eligible);
	return true;
}

static bool read_tun(struct ipsec_path *path)
{
	const uint64_t now = now_ns(CLOCK_MONOTONIC);

	bool spare = has_spare(path);

	for (unsigned int i = 0; spare && i < BATCH_PACKETS; i++) {
		make_room(path, &path->out, IP_PACKET_MAX);
		if (!read_tun_once(path, now))
			break;
		spare = path->out.batch->nr != 1 || has_spare(path);
	}
	submit(path, &path->out);
	return spare;
}

static void take_packet(void *context, const struct netdev_socket *socket, const uint8_t *packet,
			size_t len)
{
	struct ipsec_path *path = context;
	struct ip_packet ip;
	struct work work;

	if (socket->protocol == PROTO_ICMP || socket->protocol == PROTO_ICMPV6) {
		if (ip_parse(&ip, packet, len) == 0)
			stack_icmp(path->stack, &ip, packet);
		return;
	}
	if (stack_in(path->stack, packet, len, &work) <= 0)
		return;
	make_room(path, &path->in, work.ip.len);
	add(path, &path->in, &work, packet, flows_inbound(path->flows));
}

static bool read_socket(struct ipsec_path *path, const struct netdev_socket *socket)
{
	if (!has_spare(path))
		return false;
	netdev_receive(path->config.device, socket, take_packet, path);
	submit(path, &path->in);
	return true;
}

/* Fills @pfd with what is to be watched. While batches are missing that is @path->wake alone. */
static nfds_t watch(const struct ipsec_path *path, struct pollfd pfd[FDS], bool starved)
{
	const struct netdev *device = path->config.device;
	nfds_t nr = 0;

	pfd[nr++] = (struct pollfd){.fd = path->wake, .events = POLLIN};
	if (starved)
		return nr;
	pfd[nr++] = (struct pollfd){.fd = device->tun, .events = POLLIN};
	for (unsigned int i = 0; i < device->sockets; i++)
		pfd[nr++] = (struct pollfd){.fd = device->socket[i].fd, .events = POLLIN};
	return nr;
}

static void clear_wake(struct ipsec_path *path)
{
	uint64_t nr;

	while (read(path->wake, &nr, sizeof(nr)) < 0 && errno == EINTR)
		;
}

static void *path_main(void *context)
{
	struct ipsec_path *path = context;
	struct pollfd pfd[FDS];
	bool starved = false;

	while (!atomic_load(&path->ending)) {
		const nfds_t nr = watch(path, pfd, starved);

		if (poll(pfd, nr, TICK_MS) < 0)
			continue;
		starved = false;
		if (pfd[0].revents)
			clear_wake(path);
		for (nfds_t i = 1; i < nr; i++)
			if (pfd[i].revents)
				starved |=
					i == 1 ? !read_tun(path)
					       : !read_socket(path,
							      &path->config.device->socket[i - 2]);
		stack_expire(path->stack, now_ns(CLOCK_MONOTONIC));
	}
	submit(path, &path->out);
	submit(path, &path->in);
	return NULL;
}

static int make(struct ipsec_path *path)
{
	int rc;

	path->stack = stack_create(path->config.policy, pool_config_of(path->config.pool)->engines);
	path->flows = flows_create(&path->config.flow);
	path->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!path->stack || !path->flows)
		return -ENOMEM;
	if (path->wake < 0)
		return -errno;
	for (; path->nr_unused < BATCHES; path->nr_unused++) {
		struct batch *batch = malloc(sizeof(*batch));

		if (!batch)
			return -ENOMEM;
		path->memory[path->nr_unused] = path->unused[path->nr_unused] = batch;
	}
	rc = pthread_create(&path->thread, NULL, path_main, path);
	path->started = rc == 0;
	if (path->started)
		pthread_getcpuclockid(path->thread, &path->clock);
	return -rc;
}

struct ipsec_path *ipsec_path_create(const struct ipsec_path_config *config)
{
	struct ipsec_path *path = calloc(1, sizeof(*path));
	int rc;

	if (!path)
		return NULL;
	path->config = *config;
	path->wake = -1;
	pthread_mutex_init(&path->lock, NULL);
	pthread_cond_init(&path->one_unused, NULL);
	pthread_cond_init(&path->all_unused, NULL);
	stream_init(&path->out.stream, config->pool, config->class, &out_ops, path);
	stream_init(&path->in.stream, config->pool, config->class, &in_ops, path);
	rc = make(path);
	if (rc == 0)
		return path;
	ipsec_path_destroy(path);
	errno = -rc;
	return NULL;
}

static void stop(struct ipsec_path *path)
{
	atomic_store(&path->ending, true);
	wake(path);
	pthread_join(path->thread, NULL);
	pthread_mutex_lock(&path->lock);
	while (path->nr_unused < BATCHES)
		pthread_cond_wait(&path->all_unused, &path->lock);
	pthread_mutex_unlock(&path->lock);
	/* The engine that sent the last batch still has its locks. */
	pool_drain(path->config.pool);
}

void ipsec_path_destroy(struct ipsec_path *path)
{
	if (path->started)
		stop(path);
	stream_finish(&path->out.stream);
	stream_finish(&path->in.stream);
	for (unsigned int i = 0; i < BATCHES; i++)
		free(path->memory[i]);
	if (path->wake >= 0)
		close(path->wake);
	stack_destroy(path->stack);
	flows_destroy(path->flows);
	pthread_cond_destroy(&path->one_unused);
	pthread_cond_destroy(&path->all_unused);
	pthread_mutex_destroy(&path->lock);
	free(path);
}

uint64_t ipsec_path_cpu_ns(const struct ipsec_path *path)
{
	return now_ns(path->clock);
}

void ipsec_path_read(const struct ipsec_path *path, struct ipsec_path_counters *counters)
{
	counters->out_packets = atomic_load(&path->out_packets);
	counters->in_packets = atomic_load(&path->in_packets);
	counters->eligible_out = atomic_load(&path->eligible_out);
	counters->ineligible_out = atomic_load(&path->ineligible_out);
}

const struct stack *ipsec_path_stack(const struct ipsec_path *path)
{
	return path->stack;
}
