/* SPDX-License-Identifier: Apache-2.0 */
/* cable.c - a cable between two network namespaces, with a rate and a delay
 *
 *   cable NAMESPACE NEAR FAR DELAY_US BITS_PER_SECOND
 *
 * NEAR is a new interface of the caller's namespace, FAR one of the other. Prints "ready", and for
 * each line of standard input its counters as a line of JSON. Ends with standard input.
 *
 * Theory of operation: Both interfaces are taps. A frame of one of them waits for its turn on the
 * line, takes the time of its bits there, and reaches the other interface DELAY_US later. A frame
 * that would wait for more than 50 ms is dropped and counted. Nothing spins: the next time of a
 * frame is the timeout of ppoll(). TCP's large segments cross as one frame, as between two veths,
 * and take the time of all the frames that an adapter would make of them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
	FRAME_MAX = sizeof(struct virtio_net_hdr) + 66000,
	FRAME_MIN = 60,    /* Ethernet pads shorter ones */
	FRAME_AROUND = 24, /* preamble, check sequence, gap */
	BATCH = 64,
};

#define SECOND UINT64_C(1000000000)
#define QUEUE  UINT64_C(50000000)

/* A frame in its queue, followed by its bytes. A slot of length 0 fills the end of the ring. */
struct slot {
	uint64_t due;
	uint32_t length;
	uint32_t room; /* of the slot, with this head */
};

/* One direction. */
struct way {
	const char *name; /* of the interface that it begins at */
	int from, to;
	unsigned char *ring;
	size_t size, head, used; /* the first slot, and the bytes of all */
	uint64_t line_free;      /* when the last frame leaves the line */
	uint64_t taken, taken_bytes, given, given_bytes, dropped, refused, waiting;
};

static uint64_t delay, rate;

static uint64_t now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * SECOND + (uint64_t)at.tv_nsec;
}

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "cable: %s: %s\n", what, why);
	exit(1);
}

/* Returns the bytes of a frame on the line: an adapter makes several frames of a large segment. */
static size_t line_bytes(const unsigned char *packet, size_t length)
{
	struct virtio_net_hdr head;
	const unsigned char *frame = packet + sizeof(head);
	size_t headers, parts;

	memcpy(&head, packet, sizeof(head));
	length -= sizeof(head);
	if (head.gso_type == VIRTIO_NET_HDR_GSO_NONE || !head.gso_size ||
	    !(head.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) || head.csum_start + 20U > length)
		return (length < FRAME_MIN ? FRAME_MIN : length) + FRAME_AROUND;
	headers = head.csum_start + (size_t)(frame[head.csum_start + 12] >> 4) * 4;
	if (headers >= length)
		return length + FRAME_AROUND;
	parts = (length - headers + head.gso_size - 1) / head.gso_size;
	return length + (parts - 1) * headers + parts * FRAME_AROUND;
}

/* Returns a slot with room for so many bytes at the end of the queue, or NULL. */
static struct slot *slot_make(struct way *way, size_t length)
{
	const size_t room = (sizeof(struct slot) + length + 15) & ~(size_t)15;
	size_t tail = (way->head + way->used) % way->size, rest = way->size - tail;
	struct slot *slot;

	if (rest < room) {
		if (way->used + rest + room > way->size)
			return NULL;
		slot = (struct slot *)(way->ring + tail);
		*slot = (struct slot){.room = (uint32_t)rest};
		way->used += rest;
		tail = 0;
	} else if (way->used + room > way->size) {
		return NULL;
	}
	slot = (struct slot *)(way->ring + tail);
	*slot = (struct slot){.length = (uint32_t)length, .room = (uint32_t)room};
	way->used += room;
	return slot;
}

static struct slot *slot_first(struct way *way)
{
	struct slot *slot = (struct slot *)(way->ring + way->head);

	if (!way->used)
		return NULL;
	if (!slot->length) {
		way->used -= slot->room;
		way->head = 0;
		slot = (struct slot *)way->ring;
	}
	return slot;
}

static void take(struct way *way)
{
	static unsigned char packet[FRAME_MAX];

	for (int i = 0; i < BATCH; i++) {
		const ssize_t n = read(way->from, packet, sizeof(packet));
		const uint64_t at = now();
		struct slot *slot = NULL;

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < (ssize_t)sizeof(struct virtio_net_hdr))
			die(way->name, n < 0 ? strerror(errno) : "a short read");
		way->taken++;
		way->taken_bytes += (size_t)n - sizeof(struct virtio_net_hdr);
		if (way->line_free < at)
			way->line_free = at;
		if (way->line_free - at <= QUEUE)
			slot = slot_make(way, (size_t)n);
		if (!slot) {
			way->dropped++;
			continue;
		}
		way->line_free += line_bytes(packet, (size_t)n) * 8 * SECOND / rate;
		slot->due = way->line_free + delay;
		memcpy(slot + 1, packet, (size_t)n);
		way->waiting++;
	}
}

/* Delivers all frames whose time has come. Returns the time of the next one, or UINT64_MAX. */
static uint64_t give(struct way *way)
{
	for (struct slot *slot; (slot = slot_first(way));) {
		if (slot->due > now())
			return slot->due;
		/* An interface that is down refuses frames. */
		if (write(way->to, slot + 1, slot->length) == (ssize_t)slot->length) {
			way->given++;
			way->given_bytes += slot->length - sizeof(struct virtio_net_hdr);
		} else {
			way->refused++;
		}
		way->waiting--;
		way->used -= slot->room;
		way->head = (way->head + slot->room) % way->size;
	}
	return UINT64_MAX;
}

static int tap(const char *name)
{
	const int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	struct ifreq of = {.ifr_flags = (short)(IFF_TAP | IFF_NO_PI | IFF_VNET_HDR | IFF_TUN_EXCL)};

	if (strlen(name) >= sizeof(of.ifr_name))
		die(name, "the name is too long");
	strcpy(of.ifr_name, name);
	if (fd < 0)
		die("/dev/net/tun", strerror(errno));
	if (ioctl(fd, TUNSETIFF, &of) < 0 ||
	    ioctl(fd, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6) < 0)
		die(name, strerror(errno));
	return fd;
}

static uint64_t number(const char *text, uint64_t least, uint64_t most)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < least || value > most)
		die(text, "not a number in range");
	return value;
}

static void way_init(struct way *way, const char *name, int from, int to)
{
	/* A short frame has more bytes in its slot than on the line, but not twice as many. */
	way->size = 2 * ((QUEUE + delay) * (rate / 8) / SECOND + 2 * FRAME_MAX);
	way->size &= ~(size_t)15;
	way->name = name;
	way->from = from;
	way->to = to;
	way->ring = malloc(way->size);
	if (!way->ring)
		die(name, strerror(ENOMEM));
}

static void print_counters(const struct way *ways)
{
	for (int i = 0; i < 2; i++) {
		const struct way *way = &ways[i];

		printf("%s\"%s\": {\"taken\": %" PRIu64 ", \"taken_bytes\": %" PRIu64
		       ", \"given\": %" PRIu64 ", \"given_bytes\": %" PRIu64
		       ", \"dropped\": %" PRIu64 ", \"refused\": %" PRIu64 ", \"waiting\": %" PRIu64
		       "}",
		       i ? ", " : "{", way->name, way->taken, way->taken_bytes, way->given,
		       way->given_bytes, way->dropped, way->refused, way->waiting);
	}
	puts("}");
	fflush(stdout);
}

/* Answers each line of standard input. Returns false at its end. */
static bool answer(const struct way *ways)
{
	char text[64];
	const ssize_t n = read(STDIN_FILENO, text, sizeof(text));

	for (ssize_t i = 0; i < n; i++)
		if (text[i] == '\n')
			print_counters(ways);
	return n > 0;
}

int main(int argc, char **argv)
{
	struct way way[2] = {0};
	int near, far, space;

	if (argc != 6) {
		fprintf(stderr, "usage: cable NAMESPACE NEAR FAR DELAY_US BITS_PER_SECOND\n");
		return 64;
	}
	delay = number(argv[4], 0, 100000) * 1000;
	rate = number(argv[5], 1000000, UINT64_C(10000000000));
	/* The kernel may delay each timeout by this, and the default is 50 us. */
	prctl(PR_SET_TIMERSLACK, 1UL);
	near = tap(argv[2]);
	space = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (space < 0 || setns(space, CLONE_NEWNET) < 0)
		die(argv[1], strerror(errno));
	close(space);
	far = tap(argv[3]);
	way_init(&way[0], argv[2], near, far);
	way_init(&way[1], argv[3], far, near);
	puts("ready");
	fflush(stdout);

	for (;;) {
		struct pollfd fds[] = {{.fd = near, .events = POLLIN},
				       {.fd = far, .events = POLLIN},
				       {.fd = STDIN_FILENO, .events = POLLIN}};
		const uint64_t one = give(&way[0]), other = give(&way[1]), at = now();
		const uint64_t next = one < other ? one : other, left = next > at ? next - at : 0;
		const struct timespec timeout = {(time_t)(left / SECOND), (long)(left % SECOND)};

		if (ppoll(fds, 3, next == UINT64_MAX ? NULL : &timeout, NULL) < 0 && errno != EINTR)
			die("ppoll", strerror(errno));
		for (int i = 0; i < 2; i++)
			if (fds[i].revents)
				take(&way[i]);
		if (fds[2].revents && !answer(way))
			return 0;
	}
}
