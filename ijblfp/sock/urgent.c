/* SPDX-License-Identifier: Apache-2.0 */
/* urgent.c - urgent data on its way from a program to the path */
#include "ijblfp/sock/urgent.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/window.h"
#include "transport/path.h"

/*
 * Theory of operation
 *
 * UNIX sockets have urgent data too, but reading does not tell which byte is urgent, and a check
 * before each read would slow down all other programs. So urgent data comes by a call. Its place is
 * behind the bytes in the far end at that moment: the program has written those before.
 */

/* A program with more pending bytes sends nothing else. */
#define WAITING_MAX 4096u

unsigned int urgent_count(const struct vsock *vs)
{
	const struct urgent *at;
	unsigned int nr = 0;

	if (vs->is_datagram)
		return 0;
	lfp_list_each(at, &vs->stream.urgent, place)
		nr++;
	return nr;
}

static struct urgent *first_of(const struct vsock *vs)
{
	return lfp_list_first_entry(&vs->stream.urgent, struct urgent, place);
}

static void drop(struct urgent *urgent)
{
	lfp_list_del(&urgent->place);
	free(urgent);
}

void urgent_drop(struct vsock *vs)
{
	struct urgent *urgent;

	while ((urgent = first_of(vs)))
		drop(urgent);
}

bool urgent_send(struct instance *inst, struct vsock *vs, size_t *want)
{
	struct urgent *urgent = first_of(vs);
	uint64_t before = urgent->at - vs->stream.taken;
	uint8_t *at;

	if (before) {
		if (*want > before)
			*want = (size_t)before;
		return true;
	}
	if (!path_data_reserve(inst->link->path, 1, &at))
		return false;
	*at = urgent->byte;
	path_data_commit(inst->link->path, lfp_sock_join(vs->id, vs->epoch), vs->send.sent, 1,
			 LFP_FRAME_URGENT);
	vs->send.sent++;
	drop(urgent);
	*want = 0;
	return true;
}

/* Puts the byte behind the data that the program has written. Returns 0 or a positive errno. */
static int append(struct vsock *vs, uint8_t byte)
{
	struct urgent *urgent;

	if (lfp_list_has(&vs->stream.urgent, WAITING_MAX))
		return EAGAIN;
	urgent = malloc(sizeof(*urgent));
	if (!urgent)
		return ENOBUFS;
	*urgent = (struct urgent){.at = vs->stream.taken + stream_waiting(vs), .byte = byte};
	lfp_list_init(&urgent->place);
	lfp_list_append(&vs->stream.urgent, &urgent->place);
	return 0;
}

/* Returns true if the program has ended its direction. */
static bool is_shut(const struct vsock *vs)
{
	struct pollfd pfd = {.fd = vs->far, .events = POLLRDHUP};

	return vs->stream.out_end == OUT_SHUT || poll(&pfd, 1, 0) != 0;
}

int urgent_add(struct vsock *vs, uint8_t byte)
{
	int error = EPIPE;

	if (vs->state == VSOCK_CONNECTING && vs->far >= 0)
		error = EAGAIN;
	else if (vs->state == VSOCK_RESET || vs->state == VSOCK_OVER)
		error = vsock_take_error(vs, EPIPE);
	else if (vs->state == VSOCK_ESTABLISHED && !is_shut(vs))
		error = append(vs, byte);
	if (!error)
		stream_may_read(vs);
	return error;
}
