/* SPDX-License-Identifier: Apache-2.0 */
/* grave.h - what is still to be said about sockets whose connection is over */
#ifndef IJBLFP_NEAR_GRAVE_H
#define IJBLFP_NEAR_GRAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "ijblfp/near/near.h"
#include "lfp/frame.h"

/*
 * A program may hold a near end long after its connection has failed. The instance then keeps
 * no descriptor and no socket any more, only a grave: at most GRAVES_MAX, the oldest go first.
 */
#define GRAVES_MAX 16384u

struct grave {
	struct near_id id;
	uint16_t error; /* positive errno, told once; 0 if told */
	bool eof;       /* reading had ended in order before */
	bool no_path;   /* the path broke: control calls say ENETDOWN, always */
	bool listener;
	uint16_t family;       /* wire number, for getsockname() */
	struct lfp_addr local; /* family 0 if unknown */
	uint32_t next;         /* in its bucket, index plus 1 */
};

struct graves {
	struct grave *ring;
	uint32_t *buckets;
	uint32_t at; /* the next one to be used */
	uint32_t used;
};

/* 0 or -ENOMEM; the memory is not touched before it is needed. */
int graves_init(struct graves *graves);
void graves_finish(struct graves *graves);

/* Bury: @grave is copied. */
void graves_add(struct graves *graves, const struct grave *grave);

/* The grave of a socket, good until the next graves_add(); NULL if there is none. */
struct grave *graves_find(struct graves *graves, const struct near_id *id);

/* The error to tell now: the first time the errno, later 0. */
int grave_take_error(struct grave *grave);

#endif
