/* SPDX-License-Identifier: Apache-2.0 */
/* lan.c - two TUN interfaces joined by QDIO queues */
#include "devemu/hipersockets/lan.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "devemu/qdio/port.h"

/* Frames that one direction carries before the other has its turn. */
enum { TURN = 32, QUEUE = 1000 };

/* Written by the end's thread, read by others. */
struct counts {
	_Atomic uint64_t bytes_in, packets_in, discarded_in, no_protocol;
	_Atomic uint64_t bytes_out, packets_out, discarded_out, discarded_out_bytes;
	_Atomic uint64_t taken; /* frames taken from the port */
};

struct end {
	struct lan *lan;
	enum lan_end side;
	struct qdio_port port;
	int tun, bell;
	pthread_t thread;
	bool started;
	pid_t tid;
	int rc; /* of its start */
	struct tun_error error;
	_Atomic bool held;
	struct counts counts;
};

struct lan {
	struct lan_config config;
	struct qdio_segment segment;
	int memory; /* of the segment */
	int over;   /* an event descriptor: an end has failed */
	_Atomic int failure;
	_Atomic bool ending;
	sem_t ready, go;
	struct end end[LAN_ENDS];
};

static void ring(int bell)
{
	const uint64_t one = 1;

	/* A full counter is an event that nobody has seen yet. */
	if (write(bell, &one, sizeof(one)) < 0)
		errno = 0;
}

static void interrupt(void *data)
{
	const struct end *end = data;

	ring(end->lan->end[!end->side].bell);
}

static void fail(struct end *end, int rc)
{
	int none = 0;

	atomic_compare_exchange_strong(&end->lan->failure, &none, rc);
	ring(end->lan->over);
}

static void count(_Atomic uint64_t *counter, uint64_t more)
{
	atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

/* z/OS's link has IPv4 alone: IPv6 needs an INTERFACE statement there. */
static bool has_protocol(const struct end *end, const struct iovec *frame)
{
	return end->side != LAN_ZOS || *(const uint8_t *)frame->iov_base >> 4 == 4;
}

static void deliver(struct end *end, const struct iovec *frame)
{
	if (!has_protocol(end, frame)) {
		count(&end->counts.no_protocol, 1);
	} else if (write(end->tun, frame->iov_base, frame->iov_len) == (ssize_t)frame->iov_len) {
		count(&end->counts.bytes_in, frame->iov_len);
		count(&end->counts.packets_in, 1);
	} else {
		/* The interface is down, or the stack has no memory. */
		count(&end->counts.discarded_in, 1);
	}
}

/* Returns how many frames were taken, or a negative errno. */
static int receive(struct end *end)
{
	struct iovec frame;
	int nr = 0, rc = 0;

	if (atomic_load(&end->held))
		return 0;
	while (nr < TURN && (rc = qdio_receive(&end->port, &frame)) > 0) {
		deliver(end, &frame);
		nr++;
	}
	if (nr) {
		count(&end->counts.taken, (uint64_t)nr);
		qdio_replenish(&end->port, (uint32_t)nr);
	}
	return rc < 0 ? rc : nr;
}

static int forward(struct end *end, size_t len)
{
	const int rc = qdio_send(&end->port, len);

	count(&end->counts.bytes_out, len);
	count(&end->counts.packets_out, 1);
	if (rc != -ENOBUFS)
		return rc < 0 ? rc : 0;
	count(&end->counts.discarded_out, 1);
	count(&end->counts.discarded_out_bytes, len);
	return 0;
}

/* Returns how many packets the stack had, or a negative errno. */
static int transmit(struct end *end)
{
	int nr = 0, rc = 0;

	while (nr < TURN && rc == 0) {
		uint8_t *place = qdio_place(&end->port);
		ssize_t len;

		/* Without completion queue every frame is done when qdio_send() returns. */
		if (!place)
			return -EPROTO;
		len = read(end->tun, place, end->lan->segment.geometry.frame);
		if (len < 0)
			return errno == EAGAIN || errno == EINTR ? nr : -errno;
		if (len > 0)
			rc = forward(end, (size_t)len);
		nr++;
	}
	return rc < 0 ? rc : nr;
}

static int sleep_until_event(const struct end *end)
{
	struct pollfd pfd[] = {{.fd = end->tun, .events = POLLIN},
			       {.fd = end->bell, .events = POLLIN}};
	uint64_t rings;

	if (poll(pfd, 2, -1) < 0)
		return errno == EINTR ? 0 : -errno;
	if (pfd[0].revents & (POLLERR | POLLHUP | POLLNVAL))
		return -ENODEV; /* the interface was deleted */
	if (pfd[1].revents && read(end->bell, &rings, sizeof(rings)) < 0 && errno != EAGAIN)
		return -errno;
	return 0;
}

static void carry(struct end *end)
{
	int rc = 0;

	while (rc == 0 && !atomic_load(&end->lan->ending)) {
		int in, out;

		qdio_noticed(&end->port);
		in = receive(end);
		out = transmit(end);
		rc = in < 0 ? in : out < 0 ? out : in || out ? 0 : sleep_until_event(end);
	}
	if (rc < 0)
		fail(end, rc);
}

static int open_zos(struct end *end)
{
	const struct hsi_pair *pair = end->lan->config.pair;
	const struct tun_config config = {.name = pair->link->name,
					  .address = pair->home->address,
					  .mask = UINT32_MAX,
					  .mtu = pair->mtu,
					  .queue = QUEUE};
	int rc = 0;

	end->tun = tun_open(&config, &end->error);
	if (end->tun < 0)
		return end->tun;
	/* Routes of other links and to other hops need networks that are not emulated. */
	for (unsigned int i = 0; rc == 0 && i < pair->profile->routes; i++) {
		const struct profile_route *from = &pair->profile->route[i];
		const struct tun_route route = {.interface = config.name,
						.destination = from->destination,
						.mask = from->mask,
						.hop = from->hop,
						.mtu = from->mtu};

		if (&pair->profile->link[from->link] == pair->link)
			rc = tun_add_route(&route, &end->error);
	}
	return rc;
}

void lan_linux_values(const struct lan *lan, struct linux_interface *interface)
{
	if (!interface->mtu.at.line)
		interface->mtu.value = lan->config.pair->mtu;
	if (!interface->queue.at.line)
		interface->queue.value = QUEUE;
}

static int open_linux(struct end *end)
{
	const struct hsi_pair *pair = end->lan->config.pair;
	struct linux_interface interface = *pair->interface;
	struct tun_config config = {.name = pair->interface->name,
				    .address = interface.address.value,
				    .mask = interface.mask.value,
				    .ipv6 = true};
	int rc = 0;

	lan_linux_values(end->lan, &interface);
	config.mtu = interface.mtu.value;
	config.queue = interface.queue.value;

	end->tun = tun_open(&config, &end->error);
	if (end->tun < 0)
		return end->tun;
	for (unsigned int i = 0; rc == 0 && i < pair->side->routes; i++) {
		const struct linux_route *from = &pair->side->route[i];
		const struct tun_route route = {.interface = config.name,
						.destination = from->destination,
						.mask = from->mask,
						.hop = from->gateway,
						.metric = from->metric};

		if (!strcmp(from->interface, interface.name))
			rc = tun_add_route(&route, &end->error);
	}
	return rc;
}

static void *run(void *data)
{
	struct end *end = data;
	struct lan *lan = end->lan;

	end->tid = gettid();
	end->rc = tun_enter(lan->config.namespace[end->side], &end -> error);
	if (end->rc == 0)
		end->rc = end->side == LAN_ZOS ? open_zos(end) : open_linux(end);
	sem_post(&lan->ready);
	while (sem_wait(&lan->go) < 0)
		;
	if (!atomic_load(&lan->ending))
		carry(end);
	return NULL;
}

static int start(struct lan *lan, enum lan_end side)
{
	struct end *end = &lan->end[side];
	int rc;

	end->lan = lan;
	end->side = side;
	end->tun = -1;
	end->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (end->bell < 0)
		return -errno;
	qdio_port_init(&end->port, &lan->segment, side, lan->config.pair->buffers, false);
	end->port.data = end;
	end->port.interrupt = interrupt;
	qdio_activate(&end->port);
	rc = -pthread_create(&end->thread, NULL, run, end);
	end->started = rc == 0;
	while (rc == 0 && sem_wait(&lan->ready) < 0)
		;
	return rc < 0 ? rc : end->rc;
}

/* Packets between two addresses of one namespace do not leave it. */
static bool is_one_namespace(const struct lan *lan)
{
	struct stat st[LAN_ENDS];
	char path[64];

	for (int i = 0; i < LAN_ENDS; i++) {
		snprintf(path, sizeof(path), "/proc/self/task/%d/ns/net", lan->end[i].tid);
		if (stat(path, &st[i]) < 0)
			return false;
	}
	return st[LAN_ZOS].st_ino == st[LAN_LINUX].st_ino;
}

int lan_create(struct lan **to, const struct lan_config *config, struct tun_error *error)
{
	const struct qdio_geometry geometry = {.frame = config->pair->frame,
					       .buffers = QDIO_BUFFERS};
	struct lan *lan = calloc(1, sizeof(*lan));
	int rc;

	snprintf(error->what, sizeof(error->what), "memory for the queues");
	if (!lan)
		return -ENOMEM;
	lan->config = *config;
	for (int i = 0; i < LAN_ENDS; i++)
		lan->end[i].tun = lan->end[i].bell = -1;
	sem_init(&lan->ready, 0, 0);
	sem_init(&lan->go, 0, 0);
	lan->over = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = lan->over < 0 ? -errno : 0;
	lan->memory = rc < 0 ? rc : qdio_segment_make(&lan->segment, geometry);
	if (rc == 0 && lan->memory < 0)
		rc = lan->memory;
	for (int i = 0; rc == 0 && i < LAN_ENDS; i++) {
		snprintf(error->what, sizeof(error->what), "a thread");
		rc = start(lan, (enum lan_end)i);
		if (rc < 0 && lan->end[i].error.what[0])
			*error = lan->end[i].error;
	}
	if (rc == 0 && is_one_namespace(lan)) {
		snprintf(error->what, sizeof(error->what), "both ends in one network namespace");
		rc = -EINVAL;
	}
	if (rc < 0) {
		lan_destroy(lan);
		return rc;
	}
	sem_post(&lan->go);
	sem_post(&lan->go);
	*to = lan;
	return 0;
}

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

void lan_destroy(struct lan *lan)
{
	atomic_store(&lan->ending, true);
	for (int i = 0; i < LAN_ENDS; i++) {
		sem_post(&lan->go);
		if (lan->end[i].bell >= 0)
			ring(lan->end[i].bell);
	}
	for (int i = 0; i < LAN_ENDS; i++)
		if (lan->end[i].started)
			pthread_join(lan->end[i].thread, NULL);
	for (int i = 0; i < LAN_ENDS; i++) {
		close_one(lan->end[i].tun);
		close_one(lan->end[i].bell);
	}
	if (lan->memory >= 0) {
		qdio_segment_drop(&lan->segment);
		close(lan->memory);
	}
	close_one(lan->over);
	sem_destroy(&lan->ready);
	sem_destroy(&lan->go);
	free(lan);
}

int lan_watch(const struct lan *lan)
{
	return lan->over;
}

int lan_failure(const struct lan *lan)
{
	return atomic_load(&lan->failure);
}

int lan_thread(const struct lan *lan, enum lan_end end)
{
	return lan->end[end].tid;
}

void lan_counters(const struct lan *lan, enum lan_end end, struct netstat_counters *counters)
{
	const struct counts *from = &lan->end[end].counts;

	*counters = (struct netstat_counters){
		.bytes_in = atomic_load(&from->bytes_in),
		.packets_in = atomic_load(&from->packets_in),
		.discarded_in = atomic_load(&from->discarded_in),
		.no_protocol = atomic_load(&from->no_protocol),
		.bytes_out = atomic_load(&from->bytes_out),
		.packets_out = atomic_load(&from->packets_out),
		.discarded_out = atomic_load(&from->discarded_out),
		.discarded_out_bytes = atomic_load(&from->discarded_out_bytes),
	};
}

void lan_hold(struct lan *lan, enum lan_end end, bool hold)
{
	atomic_store(&lan->end[end].held, hold);
	ring(lan->end[end].bell);
}

uint64_t lan_waiting(const struct lan *lan, enum lan_end end)
{
	const struct counts *from = &lan->end[!end].counts;
	const uint64_t taken = atomic_load(&lan->end[end].counts.taken);
	const uint64_t lost = atomic_load(&from->discarded_out);
	const uint64_t sent = atomic_load(&from->packets_out);
	const uint64_t waiting = sent > lost + taken ? sent - lost - taken : 0;
	const uint64_t most = lan->config.pair->buffers;

	/* A frame that has no buffer is counted as sent a moment before it is counted as lost. */
	return waiting < most ? waiting : most;
}
