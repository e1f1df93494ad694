/* SPDX-License-Identifier: Apache-2.0 */
/* request.h - what was asked of lfpd and is not yet answered */
#ifndef IJBLFP_LINK_REQUEST_H
#define IJBLFP_LINK_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "ijblfp/base/list.h"
#include "lfp/frame.h"

struct instance;

/* Something asked of lfpd. */
struct request {
	struct request *hash_next;
	uint32_t number;
	uint8_t code;      /* of the request */
	bool again;        /* it was asked twice already */
	bool waits;        /* for a look (again.h), which frees it */
	int refused;       /* the error that it waits with */
	struct list place; /* among those that wait */
	uint64_t sock;
	uint32_t closes; /* closes of the table when it was sent */
	uint32_t looks;  /* and looks */
	void *data;      /* of the caller, for @done */
	/* @reply is NULL if the path has ended. The request is freed after it,
	 * unless it waits. */
	void (*done)(struct instance *inst, struct request *request, const struct lfp_frame *reply);
	struct lfp_frame frame; /* as it was sent; its text and bytes are not good any more */
};

#define REQUEST_BUCKETS 256u

struct request_table {
	struct request *buckets[REQUEST_BUCKETS];
	uint32_t last; /* number */
	uint32_t pending;
	uint32_t closes; /* CLOSE frames sent */
	uint32_t looks;  /* at all sockets, for closes, for the sake of a request: again.h */
};

/**
 * request_send() - send a request
 * @frame:	its number is filled in
 * @done:	called once, later
 *
 * Return: the request, for the caller's fields; NULL with @error set to a negative errno.
 */
struct request *request_send(struct instance *inst, struct lfp_frame *frame,
			     void (*done)(struct instance *, struct request *,
					  const struct lfp_frame *),
			     int *error);

/* The same while a session is resumed, past what waits for that: 0 or a negative errno. */
int request_send_now(struct instance *inst, struct lfp_frame *frame,
		     void (*done)(struct instance *inst, struct request *request,
				  const struct lfp_frame *reply));

/* Sends a CLOSE without memory for a request. @number is set to the number that its answer will
 * have, if it is sent. 0 or a negative errno. */
int request_send_close(struct instance *inst, struct lfp_frame *frame, uint32_t *number);

/* It cannot be asked any more: as if lfpd had answered with @error, a positive errno. */
void request_fail(struct instance *inst, uint32_t number, int error);

/* An answer came. One to no request is dropped, one that has another code or socket fails the
 * request; while a session is resumed both are -EPROTO. */
int request_on_reply(struct instance *inst, const struct lfp_frame *frame, const char **why);

/* The path has ended. */
void request_fail_all(struct instance *inst);

#endif
