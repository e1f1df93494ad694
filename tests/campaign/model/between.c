/* SPDX-License-Identifier: Apache-2.0 */
/* between.c - the packets under way, held until a step delivers them */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lfp/frame.h"
#include "lfp/places.h"
#include "tests/campaign/model/model.h"

enum { PACKETS = 256, LONGEST = 8192 };

struct packet {
	size_t len; /* 0: the path's end */
	uint8_t bytes[LONGEST];
};

static struct {
	struct packet all[PACKETS];
	unsigned int first, nr;
	bool ended; /* no more is read from its sender */
} queues[2];

static int listener, ends[2] = {-1, -1}; /* indexed by the way to them */
static unsigned int path_ends;
static bool may_end; /* lfpd suspends, or has suspended, the session of this path */
static struct sockaddr_un at_lfpd;

static int open_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		die("no socket");
	return fd;
}

void between_begin(const char *root)
{
	char place[LFP_PLACE_MAX], mine[LFP_PLACE_MAX];
	struct sockaddr_un addr;

	setenv("LFP_ROOT", root, 1);
	snprintf(mine, sizeof(mine), "%s/between", root);
	if (lfp_place_lfpd(place, LINUX_NAME, "path") || lfp_unix_addr(&at_lfpd, place))
		die("no place of lfpd");
	setenv("LFP_ROOT", mine, 1);
	if (lfp_place_lfpd(place, LINUX_NAME, "path") || lfp_place_make_parent(place) ||
	    lfp_unix_addr(&addr, place))
		die("no place between");
	listener = open_socket();
	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr)) || listen(listener, 1))
		die("no listener between");
}

static void drop_path(void)
{
	for (int i = 0; i < 2; i++) {
		if (ends[i] >= 0)
			close(ends[i]);
		ends[i] = -1;
		queues[i].first = queues[i].nr = 0;
		queues[i].ended = false;
	}
}

void between_end(void)
{
	drop_path();
	close(listener);
}

static bool take_path(void)
{
	int fd = ends[TO_VSE] >= 0 ? -1
				   : accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0)
		return false;
	ends[TO_VSE] = fd;
	may_end = false;
	ends[TO_LFPD] = open_socket();
	if (connect(ends[TO_LFPD], (struct sockaddr *)&at_lfpd, sizeof(at_lfpd)))
		die("lfpd does not listen");
	return true;
}

static bool take_packet(enum way way)
{
	struct packet *packet = &queues[way].all[(queues[way].first + queues[way].nr) % PACKETS];
	int from = ends[way == TO_VSE ? TO_LFPD : TO_VSE];
	ssize_t n;

	if (from < 0 || queues[way].ended)
		return false;
	n = recv(from, packet->bytes, LONGEST, MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return false;
	if (queues[way].nr == PACKETS)
		die("too many packets");
	queues[way].ended = n <= 0;
	packet->len = n > 0 ? (size_t)n : 0;
	queues[way].nr++;
	return true;
}

bool between_turn(void)
{
	bool some = take_path();

	may_end |= linux_is_suspending();
	some |= take_packet(TO_LFPD);
	return take_packet(TO_VSE) || some;
}

bool between_has(enum way way)
{
	return queues[way].nr > 0;
}

void between_deliver(enum way way)
{
	const struct packet *packet = &queues[way].all[queues[way].first];

	queues[way].first = (queues[way].first + 1) % PACKETS;
	queues[way].nr--;
	if (!packet->len) {
		path_ends += !may_end;
		drop_path();
	} else if (send(ends[way], packet->bytes, packet->len, MSG_NOSIGNAL) < 0 &&
		   errno != EPIPE) {
		die("a packet cannot be delivered");
	}
}

unsigned int between_ends(void)
{
	return path_ends;
}

static int describe_frames(const struct packet *packet, enum way way, char *out, size_t room)
{
	size_t at = LFP_PACKET_HEADER;
	struct lfp_frame frame;
	const char *why;
	int len, n = 0;

	if (!packet->len)
		return snprintf(out, room, " end");
	while (at < packet->len) {
		len = lfp_frame_decode(packet->bytes + at, packet->len - at,
				       way == TO_VSE ? LFP_FROM_LFPD : LFP_FROM_VSE, &frame, &why);
		if (len < 0)
			die("a frame under way is wrong");
		at += (size_t)len;
		n += snprintf(out + n, room - (size_t)n, " %s", lfp_message_name(frame.code));
		if (frame.status)
			n += snprintf(out + n, room - (size_t)n, "=%u", frame.status);
		if (frame.code == LFP_DATA)
			n += snprintf(out + n, room - (size_t)n, "(%zu)",
				      (size_t)frame.data.payload.len);
	}
	return n;
}

size_t between_describe(char *out, size_t room)
{
	int n = 0;

	for (int way = TO_LFPD; way <= TO_VSE; way++) {
		n += snprintf(out + n, room - (size_t)n, "%s", way ? " <" : ">");
		for (unsigned int i = 0; i < queues[way].nr; i++)
			n += describe_frames(&queues[way].all[(queues[way].first + i) % PACKETS],
					     (enum way)way, out + n, room - (size_t)n);
	}
	return (size_t)n;
}
