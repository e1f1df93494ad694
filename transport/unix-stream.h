/* SPDX-License-Identifier: Apache-2.0 */
/* unix-stream.h - the transport unix by a stream socket, such as those of VMMs for a guest's
 * AF_VSOCK */
#ifndef TRANSPORT_UNIX_STREAM_H
#define TRANSPORT_UNIX_STREAM_H

#include "transport/transport.h"

/* The keys of the transport unix. */
extern const struct lfp_field unix_lfpd_keys[3], unix_vse_keys[3];
#define UNIX_STREAM_KEYS                                                                           \
	{                                                                                          \
		{unix_lfpd_keys, 3},                                                               \
		{                                                                                  \
			unix_vse_keys, 3                                                           \
		}                                                                                  \
	}
int unix_stream_check(const struct transport_settings *settings, enum transport_side side,
		      uint32_t mtu, struct transport_fault *fault);

/* Returns true if the keys name a stream socket. */
bool unix_stream_wanted(const struct transport_settings *settings);

/* As those of struct transport. */
int unix_stream_listen(uv_loop_t *loop, const struct transport_where *where,
		       struct transport_listener **out);
int unix_stream_connect(uv_loop_t *loop, const struct transport_where *where,
			transport_connected_cb cb, void *data);

#endif
