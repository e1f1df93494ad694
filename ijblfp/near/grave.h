/* SPDX-License-Identifier: Apache-2.0 */
/* grave.h - graves: the errors and addresses of sockets whose connection is over */
#ifndef IJBLFP_NEAR_GRAVE_H
#define IJBLFP_NEAR_GRAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "ijblfp/near/near.h"
#include "lfp/frame.h"
#include "lfp/table.h"

/*
 * A program may hold a near end long after its connection has failed. The instance then keeps no
 * descriptor and no socket, only a grave: at most GRAVES_MAX, and the oldest go first.
 */
#define GRAVES_MAX 16384u

struct grave {
	struct lfp_table_link link; /* in graves->by_name */
	struct near_id id;
	uint16_t error; /* positive errno, reported once; then 0 */
	bool eof;       /* reading had ended in order before */
	bool no_path;   /* the path broke: control calls always fail with ENETDOWN */
	bool listener;
	uint16_t family;       /* wire number, for getsockname() */
	struct lfp_addr local; /* family 0 if unknown */
};

struct graves {
	struct grave *ring;
	struct lfp_table by_name;
	uint32_t at; /* the next one to be used */
	uint32_t used;
};

/* Returns 0 or -ENOMEM. The memory is not touched before it is needed. */
int graves_init(struct graves *graves);
void graves_finish(struct graves *graves);

/* Adds a copy of @grave. */
void graves_add(struct graves *graves, const struct grave *grave);

/* Returns the grave of a socket, valid until the next graves_add(), or NULL. */
struct grave *graves_find(struct graves *graves, const struct near_id *id);

/* Returns the pending error: the first time the errno, later 0. */
int grave_take_error(struct grave *grave);

#endif
