/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - getsockopt, setsockopt */
#include <netinet/tcp.h>
#include <string.h>

#include "lfp/sockopt.h"
#include "libvsesock/core/early.h"
#include "libvsesock/core/known.h"
#include "libvsesock/core/low-water.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/core/near.h"
#include "libvsesock/core/place.h"
#include "libvsesock/preload/hooks.h"

#define OPTION_MAX 4096u /* the layout on the path */

/* A call on an option of the near end itself has succeeded. */
static void note_local(int level, int name, const void *value)
{
	int mark;

	if (level != SOL_SOCKET || name != SO_RCVLOWAT)
		return;
	memcpy(&mark, value, sizeof(mark));
	/* The kernel takes a negative mark as INT_MAX (net/core/sock.c, sk_setsockopt(),
	 * SO_RCVLOWAT). */
	low_water_note(mark < 0 ? INT32_MAX : mark);
}

/* A call on an option of lfpd's socket has succeeded. */
static void note_forwarded(int fd, int level, int name, const void *value, size_t len)
{
	int on;

	if (level != IPPROTO_TCP || name != TCP_INQ || len < sizeof(on))
		return;
	memcpy(&on, value, sizeof(on));
	unread_note(fd, on);
}

int hook_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	struct ctl_call call = {.op = LFP_CTL_GETSOCKOPT, .a = level, .b = name, .fd = fd};
	enum near_kind kind;
	char nn[3], nowhere[8];
	int error, rc;
	socklen_t size = sizeof(error);
	bool lost;

	kind = near_kind(fd, nn);
	if (kind == NEAR_NONE)
		return raw_getsockopt(fd, level, name, value, len);
	rc = filter_verdict(raw_getsockopt(-1, level, name, &error, &size));
	if (rc < 0)
		return rc;
	switch (lfp_opt_policy(level, name)) {
	case LFP_OPT_LOCAL:
		rc = raw_getsockopt(fd, level, name, value, len);
		if (!rc && *len == sizeof(int))
			note_local(level, name, value);
		return rc;
	case LFP_OPT_REFUSE:
		return -ENOPROTOOPT;
	case LFP_OPT_ASK:
	case LFP_OPT_FORWARD:
		break;
	}
	rc = kind == NEAR_STREAM ? early_get(fd, level, name, value, len) : EARLY_ASK;
	if (rc != EARLY_ASK)
		return rc;
	if (!len || memory_check_read(len, sizeof(*len)))
		return -EFAULT;
	if ((int)*len < 0)
		return -EINVAL;
	if (!value && *len)
		return -EFAULT;
	call.nn = nn;
	call.answer = value;
	call.room = *len < LFP_CTL_DATA ? *len : LFP_CTL_DATA;
	call.c = (int32_t)call.room;
	/* With a bad pointer the kernel may not even take the answer. */
	lost = call.room && memory_check_read(value, 1);
	if (lost) {
		call.answer = nowhere;
		call.room = sizeof(nowhere);
	}
	rc = ctl_call(&call);
	if (rc < 0)
		return rc;
	if (level == SOL_SOCKET && name == SO_ERROR) {
		size = sizeof(error);
		/* Reading SO_ERROR clears it (include/net/sock.h, sock_error()), at the near end,
		 * too, where POLLERR shows it. */
		raw_getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
	}
	if (lost && call.answer_len)
		return -EFAULT;
	*len = call.answer_len;
	if (!lost)
		note_forwarded(fd, level, name, value, call.answer_len);
	return 0;
}

/* Returns the cookie of a new connection on which this process has sent nothing, else 0. @cookie:
 * it if it is known. */
static uint64_t quiet_cookie(int fd, uint64_t cookie)
{
	if (!near_bit(near_quiet_bits, fd))
		return 0;
	return cookie ? cookie : known_cookie(fd);
}

int hook_setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	struct ctl_call call = {
		.op = LFP_CTL_SETSOCKOPT,
		.a = level,
		.b = name,
		.data = value,
		.len = len,
		.fd = fd,
	};
	enum near_kind kind;
	uint64_t cookie;
	char nn[3];
	int rc;

	kind = near_kind_cookie(fd, nn, &cookie);
	if (kind == NEAR_NONE)
		return raw_setsockopt(fd, level, name, value, len);
	/* With the value, which qemu-user reads before it looks at the descriptor. */
	rc = filter_verdict(raw_setsockopt(-1, level, name, value, len));
	if (rc < 0)
		return rc;
	switch (lfp_opt_policy(level, name)) {
	case LFP_OPT_LOCAL:
		rc = raw_setsockopt(fd, level, name, value, len);
		if (!rc)
			note_local(level, name, value);
		return rc;
	case LFP_OPT_ASK:
	case LFP_OPT_REFUSE:
		return -lfp_opt_refusal(level, name);
	case LFP_OPT_FORWARD:
		break;
	}
	rc = EARLY_ASK;
	if (kind == NEAR_STREAM)
		rc = early_set(fd, nn, level, name, value, len, quiet_cookie(fd, cookie));
	if (rc != EARLY_ASK)
		return rc;
	if ((int)len < 0)
		return -EINVAL;
	if (!value && len)
		return -EFAULT;
	/* No option is longer; the kernel reads only the bytes it knows. */
	if (len > OPTION_MAX)
		call.len = OPTION_MAX;
	call.nn = nn;
	rc = ctl_call(&call);
	if (!rc)
		note_forwarded(fd, level, name, value, len);
	if (!rc && kind == NEAR_STREAM && !strcmp(nn, place_instance()))
		early_note(nn, level, name, value, len);
	return rc;
}

EXPORT int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	return (int)give(hook_getsockopt(fd, level, name, value, len));
}

EXPORT int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	return (int)give(hook_setsockopt(fd, level, name, value, len));
}
