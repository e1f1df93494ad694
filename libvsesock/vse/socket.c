/* SPDX-License-Identifier: Apache-2.0 */
/* socket.c - sockets of the z/VSE interfaces: makes, accepts, closes, gives and takes them */
#include "libvsesock/vse/socket.h"

#include <sys/time.h>
#include <unistd.h>

#include "libvsesock/core/ctl-client.h"
#include "libvsesock/core/near.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/strict/strict.h"
#include "libvsesock/vse/absent.h"
#include "libvsesock/vse/async.h"

#define LAST_PROTOCOL 255

/* Adds the near end of a connection, with what is remembered of it. */
static int add_connected(struct vse_api *api, int fd, struct vse_past past)
{
	int s = vse_add(api, fd, -1);

	past.connected = true;
	past.connecting = false;
	if (s >= 0)
		vse_note_past(api, s, &past);
	return s;
}

int vse_socket(struct vse_api *api, int family, int type, int protocol)
{
	int fd = strict_type(type);

	if (fd < 0)
		return fd;
	/* LFP has no raw sockets for z/VSE. The kernel would check rights and the protocol first.
	 */
	if (type == SOCK_RAW)
		return -ESOCKTNOSUPPORT;
	/* Linux says EINVAL for some, and has protocols of its own above 255. */
	if (protocol < 0 || protocol > LAST_PROTOCOL)
		return -EPROTONOSUPPORT;
	fd = socket(family, type | SOCK_CLOEXEC, protocol);
	return fd < 0 ? vse_absent(api->nn, -errno) : vse_add(api, fd, -1);
}

/* Returns whether a number is free. A connection that was accepted and cannot be numbered is lost.
 */
static bool has_room(struct vse_api *api)
{
	bool given;

	for (int s = 0; s < api->max; s++)
		if (vse_fd_given(api, s, &given) < 0)
			return true;
	return false;
}

int vse_accept(struct vse_api *api, int s, struct sockaddr_storage *peer, unsigned int *len)
{
	socklen_t room = sizeof(*peer);
	int fd = vse_fd(api, s);

	if (fd < 0)
		return fd;
	if (!has_room(api))
		return -EMFILE;
	fd = accept4(fd, (struct sockaddr *)peer, peer ? &room : NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (len)
		*len = room;
	/* The sizes of the listener's buffers are inherited (tcp(7)). */
	return add_connected(api, fd, vse_past(api, s));
}

/* Sends a request on a near end. Returns its value, or a negative error. */
static int ask(struct vse_api *api, int fd, int op)
{
	struct ctl_call call = {.nn = api->nn, .op = (uint16_t)op, .fd = fd};
	int rc = ctl_call(&call);

	return rc < 0 ? rc : call.value;
}

int vse_close(struct vse_api *api, int s)
{
	bool given = false;
	int fd;

	async_forget(api, s);
	fd = vse_remove(api, s, &given);
	if (fd < 0)
		return fd;
	if (given)
		(void)ask(api, fd, LFP_CTL_DROP);
	raw_close(fd);
	return 0;
}

int vse_client_id(struct vse_api *api, struct lfp_ctl_client *id)
{
	const struct lfp_ctl_client said = *id;
	struct ctl_call call = {
		.nn = api->nn,
		.op = LFP_CTL_CLIENTID,
		.data = &said,
		.len = sizeof(said),
		.fd = -1,
		.answer = id,
		.room = sizeof(*id),
	};
	int rc = ctl_call(&call);

	if (!rc && call.answer_len != sizeof(*id))
		rc = -ENETDOWN;
	return vse_absent(api->nn, rc);
}

int vse_give(struct vse_api *api, int s, const struct lfp_ctl_client *to, int seconds)
{
	struct ctl_call call = {
		.nn = api->nn,
		.op = LFP_CTL_GIVE,
		.a = s,
		.b = seconds,
		.data = to,
		.len = sizeof(*to),
	};
	int rc;

	call.fd = vse_fd(api, s);
	if (call.fd < 0)
		return call.fd;
	/* Outstanding calls would be left with a dead near end. */
	if (async_count(api, s, NULL))
		return -vse_errno_of("EIBMCONFLICT");
	rc = ctl_call(&call);
	return rc < 0 ? rc : vse_set_given(api, s, true);
}

int vse_take(struct vse_api *api, int s, const struct lfp_ctl_client *giver)
{
	struct ctl_call call = {
		.nn = api->nn,
		.op = LFP_CTL_TAKE,
		.a = s,
		.data = giver,
		.len = sizeof(*giver),
		.fd = -1,
	};
	int fd;

	if (!has_room(api))
		return -EMFILE;
	fd = ctl_take(&call, O_CLOEXEC);
	if (fd < 0)
		return fd;
	near_note(fd, NEAR_STREAM);
	return add_connected(api, fd, (struct vse_past){.connected = true});
}

bool vse_is_taken(struct vse_api *api, int s)
{
	bool given = false;
	int fd = vse_fd_given(api, s, &given);

	/* An instance that is gone no longer has a socket to give. */
	return fd >= 0 && given && ask(api, fd, LFP_CTL_TAKEN) != 0;
}
