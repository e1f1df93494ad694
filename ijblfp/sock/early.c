/* SPDX-License-Identifier: Apache-2.0 */
/* early.c - options that programs set without a call (lfp/early.h), on their way to lfpd */
#include "ijblfp/sock/early.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "ijblfp/link/request.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/early.h"
#include "lfp/sockopt.h"

#define ALL_FLAGS   ((1u << LFP_EARLY_FLAGS) - 1)
#define VALUES_MASK 0xffff

static void put_int(int near, int name, int value)
{
	(void)setsockopt(near, SOL_SOCKET, name, &value, sizeof(value));
}

static uint64_t control_place(int near)
{
	uint64_t place = UINT64_MAX;
	socklen_t len = sizeof(place);

	(void)getsockopt(near, SOL_SOCKET, lfp_early_at(LFP_EARLY_CONGESTION)->place, &place, &len);
	return place;
}

static void forget_control(int near)
{
	uint64_t place = lfp_early_put_control(control_place(near), -1);

	(void)setsockopt(near, SOL_SOCKET, lfp_early_at(LFP_EARLY_CONGESTION)->place, &place,
			 sizeof(place));
}

/* The program has gone on. */
static void on_certain(struct instance *inst, struct request *request,
		       const struct lfp_frame *reply)
{
	(void)inst;
	(void)request;
	(void)reply;
}

/* Returns 0 if the option is on its way, or a negative errno. */
static int send_option(struct instance *inst, const struct vsock *vs, int option, const void *value,
		       size_t len)
{
	const struct lfp_early_option *at = lfp_early_at(option);
	struct lfp_frame frame = {
		.code = LFP_SETSOCKOPT,
		.sock = vs->id,
		.setsockopt = {at->level, at->name, .value = {value, (uint32_t)len}},
	};
	int error;

	return request_send(inst, &frame, on_certain, &error) ? 0 : error;
}

static void note_flag(struct vsock *vs, int option, bool on)
{
	uint8_t bit = (uint8_t)(1u << option);

	vs->early.unsure &= (uint8_t)~bit;
	vs->early.on = (uint8_t)((vs->early.on & ~bit) | (on ? bit : 0));
}

/* Returns 0, or a negative errno if the value could not be sent. */
static int send_flag(struct instance *inst, struct vsock *vs, int option, bool on)
{
	const struct lfp_early_option *at = lfp_early_at(option);
	unsigned int bit = 1u << option;
	int value = on, rc;

	if (!(vs->early.unsure & bit) && on == !!(vs->early.on & bit))
		return 0;
	lfp_opt_to_wire(at->level, at->name, &value, sizeof(value));
	rc = send_option(inst, vs, option, &value, sizeof(value));
	if (!rc)
		note_flag(vs, option, on);
	return rc;
}

static int send_control(struct instance *inst, struct vsock *vs, int number)
{
	const char *name = lfp_early_control(number);
	int rc;

	if (!name || vs->early.control == number + 1)
		return 0;
	rc = send_option(inst, vs, LFP_EARLY_CONGESTION, name, strlen(name));
	if (!rc)
		vs->early.control = (uint8_t)(number + 1);
	return rc;
}

int early_send(struct instance *inst, struct vsock *vs, int near)
{
	int option, rc = 0;

	if (near_option_of(near, LFP_EARLY_MARK) != 1)
		return 0;
	/* Before the places: what the program sets from now on has a mark again. */
	put_int(near, LFP_EARLY_MARK, 0);
	for (option = 0; option < LFP_EARLY_FLAGS && !rc; option++)
		rc = send_flag(inst, vs, option,
			       near_option_of(near, lfp_early_at(option)->place) == 1);
	if (!rc)
		rc = send_control(inst, vs, lfp_early_get_control(control_place(near)));
	/* The next call sends the rest. */
	if (rc)
		put_int(near, LFP_EARLY_MARK, 1);
	return rc;
}

int early_take(struct instance *inst, struct vsock *vs, int option, bool on)
{
	/* lfpd may have another value: that of a listener whose options were set later. */
	vs->early.unsure |= (uint8_t)(1u << option);
	return send_flag(inst, vs, option, on);
}

void early_note(struct vsock *vs, int near, int level, int name, const void *value, size_t len)
{
	int option = lfp_early_find(level, name), number, word;

	if (option == LFP_EARLY_CONGESTION) {
		/* lfpd may refuse it. */
		vs->early.control = 0;
		forget_control(near);
	}
	if (option < 0 || option >= LFP_EARLY_FLAGS || len < sizeof(number))
		return;
	memcpy(&number, value, sizeof(number));
	note_flag(vs, option, number);
	put_int(near, lfp_early_at(option)->place, !!number);
	if (!vs->paired)
		return;
	word = near_option_of(near, LFP_EARLY_WORD);
	word = (word < 0 ? 0 : word & VALUES_MASK) & ~LFP_EARLY_VALUE(option, true);
	put_int(near, LFP_EARLY_WORD,
		word | LFP_EARLY_KNOWN(option) | LFP_EARLY_VALUE(option, number));
}

void early_show(const struct vsock *vs, int near)
{
	for (int option = 0; option < LFP_EARLY_FLAGS; option++)
		if (vs->early.on & 1u << option)
			put_int(near, lfp_early_at(option)->place, 1);
}

void early_inherit(struct vsock *conn, const struct vsock *vs)
{
	conn->early.on = vs->early.on;
	conn->early.unsure = ALL_FLAGS;
}
