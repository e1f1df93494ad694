/* SPDX-License-Identifier: Apache-2.0 */
/* unix-stream.c - the transport unix by a stream socket, such as those of VMMs for a guest's
 * AF_VSOCK */
#include "transport/unix-stream.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/endpoint.h"
#include "lfp/places.h"
#include "transport/choice.h"
#include "transport/stream-ends.h"

/*
 * Theory of operation
 *
 * A VMM shows the AF_VSOCK of its guest on the host as UNIX sockets (docs/vm.md). When the guest
 * connects to port N, the VMM connects to PATH_N. When a program of the host connects to PATH and
 * sends "CONNECT N", the VMM connects to port N of the guest. VMMs with one socket for each port
 * use a PATH as it is: then the port is 0.
 */

#define BACKLOG 16

struct unix_settings {
	char stream[LFP_FIELD_PLACE_MAX]; /* "": SOCK_SEQPACKET in the run-time directory */
	unsigned int port;
	bool dials;
};

_Static_assert(sizeof(struct unix_settings) <= TRANSPORT_SETTINGS_EACH, "they fit");

#define KEYS(which, stream_key, port_key, dial_key, initial)                                       \
	{                                                                                          \
		{stream_key,                                                                       \
		 LFP_FIELD_PLACE,                                                                  \
		 offsetof(struct unix_settings, stream),                                           \
		 0,                                                                                \
		 0,                                                                                \
		 NULL,                                                                             \
		 false,                                                                            \
		 "with " which " = unix: stream socket of the path, such as a VMM's",              \
		 LFP_FIELD_OURS,                                                                   \
		 NULL,                                                                             \
		 NULL},                                                                            \
			{port_key,                                                                 \
			 LFP_FIELD_NUMBER,                                                         \
			 offsetof(struct unix_settings, port),                                     \
			 0,                                                                        \
			 4294967294u,                                                              \
			 "0",                                                                      \
			 false,                                                                    \
			 "with " stream_key ": port of the guest's AF_VSOCK (0: none)",            \
			 LFP_FIELD_OURS,                                                           \
			 NULL,                                                                     \
			 NULL},                                                                    \
			{dial_key,                                                                 \
			 LFP_FIELD_YESNO,                                                          \
			 offsetof(struct unix_settings, dials),                                    \
			 0,                                                                        \
			 0,                                                                        \
			 initial,                                                                  \
			 false,                                                                    \
			 "with " stream_key ": connect to the socket, or listen at it",            \
			 LFP_FIELD_OURS,                                                           \
			 NULL,                                                                     \
			 NULL},                                                                    \
	}

const struct lfp_field unix_lfpd_keys[3] =
	KEYS("TRANSPORT", "UNIX_STREAM", "UNIX_PORT", "UNIX_DIAL", "no");
const struct lfp_field unix_vse_keys[3] =
	KEYS("Transport", "UnixStream", "UnixPort", "UnixDial", "yes");

static const struct unix_settings *settings_of(const struct transport_settings *settings)
{
	return transport_settings_of(settings, &transport_unix);
}

bool unix_stream_wanted(const struct transport_settings *settings)
{
	return *settings_of(settings)->stream;
}

/* Returns the place to listen at; -ENAMETOOLONG. */
static int listening_place(const struct unix_settings *own,
			   char path[static sizeof(((struct sockaddr_un *)0)->sun_path)])
{
	const size_t size = sizeof(((struct sockaddr_un *)0)->sun_path);
	int len = own->port ? snprintf(path, size, "%s_%u", own->stream, own->port)
			    : snprintf(path, size, "%s", own->stream);

	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

int unix_stream_check(const struct transport_settings *settings, enum transport_side side,
		      uint32_t mtu, struct transport_fault *fault)
{
	static const struct lfp_field *const keys[TRANSPORT_SIDES] = {unix_lfpd_keys,
								      unix_vse_keys};
	const struct unix_settings *own = settings_of(settings);
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];

	(void)mtu;
	if (!*own->stream && own->port) {
		fault->key = keys[side][1].key;
		snprintf(fault->text, sizeof(fault->text), "has no meaning without %s",
			 keys[side][0].key);
		return -EINVAL;
	}
	if (!own->dials && listening_place(own, path)) {
		fault->key = keys[side][0].key;
		snprintf(fault->text, sizeof(fault->text),
			 "with _%u behind it, it is longer than 107 bytes", own->port);
		return -EINVAL;
	}
	return 0;
}

static int open_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

/* Connects to @path. Returns a socket or a negative errno. */
static int open_dial(const char *path)
{
	struct sockaddr_un addr;
	int fd, rc = lfp_unix_addr(&addr, path);

	fd = rc ? rc : open_socket();
	if (fd < 0 || !connect(fd, (const struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

/* The file at the place may be a socket that nothing listens at any more; nothing else is removed.
 */
static int check_place(const char *path, char *why)
{
	struct stat st;
	int fd;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode)) {
		snprintf(why, TRANSPORT_WHY, "%.100s is not a socket", path);
		return -EEXIST;
	}
	fd = open_dial(path);
	if (fd == -ECONNREFUSED || fd == -ENOENT)
		return 0;
	/* Others say nothing about a listener, such as EAGAIN of a full queue. */
	if (fd >= 0)
		close(fd);
	snprintf(why, TRANSPORT_WHY, "another process listens at %.100s", path);
	return -EADDRINUSE;
}

static int listen_at(const struct transport_where *where,
		     char path[static sizeof(((struct sockaddr_un *)0)->sun_path)], char *why)
{
	int rc = listening_place(settings_of(&where->settings), path);

	if (!rc)
		rc = check_place(path, why);
	if (!rc)
		rc = lfp_listen(path, SOCK_STREAM, 0660, BACKLOG);
	if (rc < 0 && !*why)
		snprintf(why, TRANSPORT_WHY, "%.100s: %s", path, strerror(-rc));
	return rc;
}

static int dial(const struct transport_where *where, char line[static DIAL_LINE], char *why)
{
	const struct unix_settings *own = settings_of(&where->settings);
	int rc = open_dial(own->stream);

	dial_line(line, own->port);
	if (rc < 0)
		snprintf(why, TRANSPORT_WHY, "%.100s: %s", own->stream, strerror(-rc));
	return rc;
}

static void describe(struct transport_conn *base, struct transport_peer *out)
{
	socket_describe(((struct streamsock_conn *)base)->fd, out);
}

/* Connections and listeners have these functions instead of those of transport_unix. */
static const struct transport by_stream = {
	.name = "unix",
	.pretends_iucv = true,
	.batch = 8,
	.stop = streamsock_stop,
	.send = streamsock_send,
	.receive = streamsock_receive,
	.release = streamsock_release,
	.watch = streamsock_watch,
	.credit = streamsock_credit,
	.close = streamsock_close,
	.describe = describe,
};

static const struct stream_kind kind = {.transport = &by_stream, .listen = listen_at, .dial = dial};

int unix_stream_listen(uv_loop_t *loop, const struct transport_where *where,
		       struct transport_listener **out)
{
	return streamsock_listen(loop, where, &kind, settings_of(&where->settings)->dials, out);
}

int unix_stream_connect(uv_loop_t *loop, const struct transport_where *where,
			transport_connected_cb cb, void *data)
{
	return streamsock_connect(loop, where, &kind, settings_of(&where->settings)->dials, cb,
				  data);
}
