/* SPDX-License-Identifier: Apache-2.0 */
/* request.h - requests to lfpd that are not yet answered */
#ifndef IJBLFP_LINK_REQUEST_H
#define IJBLFP_LINK_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp/frame.h"
#include "lfp/list.h"
#include "lfp/table.h"

struct instance;

/* A request to lfpd. */
struct request {
	struct lfp_table_link link; /* in table->by_number */
	uint32_t number;
	uint8_t code; /* of the request */
	bool again;   /* it was sent a second time already */
	bool waits;   /* the wait for a look (again.h), which frees the request */
	/* During that wait: */
	int refused;           /* the error of the answer */
	struct lfp_list place; /* on the list of waiting requests */
	uint64_t settled;      /* then the closers of all users have had their time: uv_hrtime() */
	uint64_t until;        /* the end of the wait for those of its own user */
	uint64_t sock;
	uint32_t closes;  /* number of closes when the request was sent */
	uint32_t looks;   /* number of looks at that time */
	uint64_t closing; /* closers_serial() at that time */
	void *data;       /* of the caller, for @done */
	/* @reply is NULL if the path has ended. The request is freed after it,
	 * unless it waits. */
	void (*done)(struct instance *inst, struct request *request, const struct lfp_frame *reply);
	struct lfp_frame
		frame; /* the frame as sent; its text and bytes pointers are no longer valid */
};

struct request_table {
	struct lfp_table by_number;
	uint32_t last;   /* number */
	uint32_t closes; /* CLOSE frames sent so far */
	uint32_t looks;  /* looks at all sockets so far, on behalf of a request: again.h */
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

/* The same while a session is resumed: it overtakes the kept frames. Returns 0 or a negative errno.
 */
int request_send_now(struct instance *inst, struct lfp_frame *frame,
		     void (*done)(struct instance *inst, struct request *request,
				  const struct lfp_frame *reply));

/* Sends a CLOSE without memory for a request. Sets @number to the number of its answer. Returns 0
 * or a negative errno. */
int request_send_close(struct instance *inst, struct lfp_frame *frame, uint32_t *number);

/* Completes a request that cannot be sent again, as if lfpd had answered with @error, a positive
 * errno. */
void request_fail(struct instance *inst, uint32_t number, int error);

/* Handles an answer. An answer without a request is dropped; one with another code or socket fails
 * the request. While a session is resumed both are -EPROTO. */
int request_on_reply(struct instance *inst, const struct lfp_frame *frame, const char **why);

/* Fails all requests: the path has ended. */
void request_fail_all(struct instance *inst);

#endif
