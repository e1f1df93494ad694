/* SPDX-License-Identifier: Apache-2.0 */
/* bridge.c - a HiperSockets device of devemu on one end, frames in UNIX datagrams on the other
 *
 *	bridge listen  PATH MTU OWN PEER	for a z/VSE side with Transport = hipersockets: who
 * connects to PATH finds what is behind PEER bridge connect PATH MTU OWN PEER	for lfpd with
 * TRANSPORT = hipersockets: connects to PATH when the first frame comes from PEER, and again when
 * that connection has ended
 *
 * MTU is the device's. OWN is the datagram socket that is made, PEER the one frames are sent to, as
 * QEMU's "-netdev dgram" has them: one frame with its Ethernet header a datagram. So the
 * transport's own AF_IUCV over HiperSockets meets that of the kernel in a guest. The bridge knows
 * the device, and what is said before a device is there (transport/meet.c); of AF_IUCV only
 * which frames are.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "devemu/qdio/port.h"
#include "lfp/endpoint.h"
#include "transport/greeting.h"
#include "transport/hs-frame.h"

#define FLAGS (HS_LINK + 3)

struct greeting { /* as in transport/meet.c */
	char magic[8];
	uint32_t version;
	uint32_t frame, buffers;
};

struct bridge {
	const char *path;
	uint32_t frame;
	int datagrams, listener, sock;
	int bell, peer_bell;
	struct sockaddr_un peer;
	struct qdio_segment segment;
	struct qdio_port port;
	uint8_t *kept; /* a frame from PEER that the device had no room for */
	size_t nr_kept;
	uint8_t last[HS_HEAD]; /* of the frames from the device, while its side has not said FIN */
	bool open;
};

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static void ring(void *data)
{
	struct bridge *bridge = data;
	const uint64_t one = 1;

	if (write(bridge->peer_bell, &one, sizeof(one)) < 0 && errno != EAGAIN)
		die("bell");
}

static struct sockaddr_un address(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(addr.sun_path))
		exit(64);
	strcpy(addr.sun_path, path);
	return addr;
}

static void activate(struct bridge *bridge, unsigned int side)
{
	qdio_port_init(&bridge->port, &bridge->segment, side, QDIO_BUFFERS, true);
	bridge->port.data = bridge;
	bridge->port.interrupt = ring;
	qdio_activate(&bridge->port);
}

/* A peer has connected and offers a device. */
static void take_offer(struct bridge *bridge)
{
	struct qdio_geometry geometry = {bridge->frame, QDIO_BUFFERS};
	struct greeting greeting, answer = {
					  .magic = "LFPhs1",
					  .version = 1,
					  .frame = geometry.frame,
					  .buffers = geometry.buffers,
				  };
	struct pollfd ready = {.events = POLLIN};
	int fds[GREETING_FDS];
	const char *why = "";

	bridge->sock = accept4(bridge->listener, NULL, NULL, SOCK_CLOEXEC);
	if (bridge->sock < 0)
		die("accept");
	ready.fd = bridge->sock;
	poll(&ready, 1, GREETING_MS);
	if (greeting_receive(bridge->sock, &greeting, sizeof(greeting), fds) != sizeof(greeting) ||
	    !greeting_complete(fds) || greeting.frame != bridge->frame ||
	    qdio_segment_take(&bridge->segment, fds[0], geometry, &why)) {
		fprintf(stderr, "no device was offered that fits: %s\n", why);
		greeting_drop(fds);
		close(bridge->sock);
		bridge->sock = -1;
		return;
	}
	bridge->bell = fds[1];
	bridge->peer_bell = fds[2];
	fds[1] = fds[2] = -1;
	greeting_drop(fds);
	activate(bridge, 1);
	(void)!send(bridge->sock, &answer, sizeof(answer), MSG_NOSIGNAL);
}

/* Connect to lfpd and offer it a device. */
static void offer(struct bridge *bridge)
{
	struct greeting greeting = {
		.magic = "LFPhs1",
		.version = 1,
		.frame = bridge->frame,
		.buffers = QDIO_BUFFERS,
	};
	struct qdio_geometry geometry = {bridge->frame, QDIO_BUFFERS};
	struct sockaddr_un addr = address(bridge->path);
	int memfd, fds[GREETING_FDS];

	bridge->sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (bridge->sock < 0)
		die("socket");
	if (connect(bridge->sock, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		close(bridge->sock);
		bridge->sock = -1;
		return;
	}
	bridge->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	bridge->peer_bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	memfd = qdio_segment_make(&bridge->segment, geometry);
	if (memfd < 0 || bridge->bell < 0 || bridge->peer_bell < 0)
		die("device");
	activate(bridge, 0);
	fds[0] = memfd;
	fds[1] = bridge->peer_bell;
	fds[2] = bridge->bell;
	if (greeting_send(bridge->sock, &greeting, sizeof(greeting), fds) ||
	    recv(bridge->sock, &greeting, sizeof(greeting), 0) != sizeof(greeting))
		die("greeting");
	close(memfd);
}

/* Where AF_IUCV is in the kernel, that says FIN for a program that has died. */
static void say_fin(struct bridge *bridge)
{
	bridge->last[FLAGS] = HS_FIN;
	bridge->last[FLAGS + 1] = bridge->last[FLAGS + 2] = 0; /* the window */
	(void)sendto(bridge->datagrams, bridge->last, HS_HEAD, 0, (struct sockaddr *)&bridge->peer,
		     sizeof(bridge->peer));
	bridge->open = false;
}

static void hang_up(struct bridge *bridge)
{
	if (bridge->open)
		say_fin(bridge);
	printf("%llu frames from the device, %llu to it\n",
	       (unsigned long long)bridge->port.counts.frames_in,
	       (unsigned long long)bridge->port.counts.frames_out);
	qdio_machine_peer_gone(&bridge->port);
	qdio_segment_drop(&bridge->segment);
	close(bridge->sock);
	close(bridge->bell);
	close(bridge->peer_bell);
	bridge->sock = -1;
	bridge->nr_kept = 0;
}

/* From the device. A frame stays in it while the other end has no room. Its receiver may be gone.
 */
static void forward(struct bridge *bridge)
{
	struct iovec frame;

	while (qdio_receive(&bridge->port, &frame) == 1) {
		while (sendto(bridge->datagrams, frame.iov_base, frame.iov_len, 0,
			      (struct sockaddr *)&bridge->peer, sizeof(bridge->peer)) < 0 &&
		       (errno == ENOBUFS || errno == EINTR))
			;
		if (frame.iov_len >= HS_HEAD) {
			memcpy(bridge->last, frame.iov_base, HS_HEAD);
			bridge->open = bridge->last[FLAGS] != HS_FIN;
		}
		qdio_replenish(&bridge->port, 1);
	}
}

/* An Ethernet frame of AF_IUCV: the guest has other things to say on its network, too. */
static bool is_iucv(const struct bridge *bridge, ssize_t n)
{
	return n >= HS_HEAD && bridge->kept[12] == 0xfb && bridge->kept[13] == 0xfb;
}

/* To the device: what is kept first. True while there is room. */
static bool backward(struct bridge *bridge)
{
	for (;;) {
		ssize_t n = (ssize_t)bridge->nr_kept;
		int rc;

		if (!n)
			n = recv(bridge->datagrams, bridge->kept, bridge->frame, MSG_DONTWAIT);
		if (n <= 0)
			return true;
		if (!is_iucv(bridge, n))
			continue;
		bridge->nr_kept = (size_t)n;
		rc = qdio_send_copy(&bridge->port, bridge->kept, (size_t)n);
		if (rc == -EAGAIN)
			return false;
		bridge->nr_kept = 0;
	}
}

/* Is it a frame that is worth a connection: SYN? */
static bool begins(struct bridge *bridge)
{
	ssize_t n = recv(bridge->datagrams, bridge->kept, bridge->frame, MSG_DONTWAIT);

	if (!is_iucv(bridge, n) || bridge->kept[FLAGS] != HS_SYN)
		return false;
	bridge->nr_kept = (size_t)n;
	return true;
}

static void serve(struct bridge *bridge)
{
	bool room = true;
	uint64_t count;

	for (;;) {
		struct pollfd at[3] = {
			{.fd = bridge->sock, .events = POLLIN},
			{.fd = bridge->bell, .events = POLLIN},
			{.fd = room ? bridge->datagrams : -1, .events = POLLIN},
		};

		qdio_noticed(&bridge->port);
		(void)qdio_kick(&bridge->port);
		(void)qdio_complete(&bridge->port);
		qdio_machine_run(&bridge->port);
		forward(bridge);
		room = backward(bridge);
		if (qdio_noticed(&bridge->port))
			continue;
		if (poll(at, 3, bridge->port.primed ? 1 : -1) < 0 && errno != EINTR)
			die("poll");
		if (at[0].revents) {
			forward(bridge); /* what was sent before it went */
			return;
		}
		if (at[1].revents && read(bridge->bell, &count, sizeof(count)) < 0)
			die("bell");
	}
}

int main(int argc, char **argv)
{
	struct bridge bridge = {.listener = -1, .sock = -1};
	struct sockaddr_un own;
	bool listens = argc > 1 && !strcmp(argv[1], "listen");

	if (argc != 6 || (!listens && strcmp(argv[1], "connect") != 0))
		return 64;
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	bridge.path = argv[2];
	bridge.frame = qdio_frame_for((uint32_t)strtoul(argv[3], NULL, 10));
	bridge.kept = malloc(bridge.frame);
	own = address(argv[4]);
	bridge.peer = address(argv[5]);
	bridge.datagrams = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (!bridge.kept || bridge.datagrams < 0 ||
	    bind(bridge.datagrams, (struct sockaddr *)&own, sizeof(own)) < 0)
		die(argv[4]);
	if (listens) {
		bridge.listener = lfp_listen(bridge.path, SOCK_SEQPACKET, 0600, 4);
		if (bridge.listener < 0)
			die(bridge.path);
	}
	for (;;) {
		struct pollfd at = {.events = POLLIN};

		at.fd = listens ? bridge.listener : bridge.datagrams;
		if (poll(&at, 1, -1) < 0)
			die("poll");
		if (listens)
			take_offer(&bridge);
		else if (begins(&bridge))
			offer(&bridge);
		if (bridge.sock >= 0) {
			serve(&bridge);
			hang_up(&bridge);
		}
	}
}
