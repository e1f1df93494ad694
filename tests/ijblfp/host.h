/* SPDX-License-Identifier: Apache-2.0 */
/* host.h - an instance hosted in the test, a scripted lfpd, and a program's calls */
#ifndef TESTS_IJBLFP_HOST_H
#define TESTS_IJBLFP_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "ijblfp/base/instance.h"
#include "lfp/ctl.h"
#include "transport/path.h"

#define LOG_MAX 512

/* What lfpd has got, without HELLO and TASK_BEGIN and TASK_END. */
struct got {
	uint8_t code;
	uint32_t request;
	uint64_t sock;
	uint16_t epoch;
	uint8_t how;                  /* SHUTDOWN, CLOSE */
	uint32_t count;               /* ACCEPT; bytes of DATA */
	uint8_t flags;                /* of DATA */
	uint8_t first;                /* byte of DATA */
	uint64_t consumed;            /* WINDOW; position of DATAGRAM */
	struct lfp_addr addr;         /* CONNECT, DATAGRAM */
	struct lfp_datagram datagram; /* its payload is not good */
	struct lfp_resume resume;
};

struct host {
	uv_loop_t loop; /* the instance's */
	uv_loop_t peer; /* the scripted lfpd's */
	char root[64];
	struct instance *inst;
	int started; /* 1: not yet, else what on_started said */
	bool gone, stop_wanted;

	/* The scripted lfpd. It answers HELLO, TASK_BEGIN and CLOSE by itself. */
	struct transport_listener *listener;
	struct path *path; /* NULL if there is none */
	const char *vmid;  /* that it claims */
	uint16_t hello_status;
	uint32_t features;      /* that it has, too */
	uint64_t session;       /* that it gives out */
	uint64_t asked_for;     /* session of the last HELLO */
	unsigned int hold_time; /* HoldTime, seconds */
	struct got got[LOG_MAX];
	unsigned int nr_got, seen;
	uint64_t bytes; /* of DATA */
	char bye[300];
};

struct host *host_create(void);
void host_destroy(struct host *host);
/* lfpd listens, which host_create() does already; it does no more, so that a path that is lost does
 * not come back. */
void host_listen(struct host *host);
void host_deafen(struct host *host);
/* Start the instance and wait for on_started. */
void host_start(struct host *host);

/* Run the loop until lfpd gets a frame with @code; frames before it are skipped. */
struct got host_expect(struct host *host, uint8_t code);
/* lfpd sends. */
void host_send(struct host *host, struct lfp_frame frame);
void host_answer(struct host *host, struct got got, uint16_t status);
void host_data(struct host *host, uint64_t sock, uint64_t position, const char *text);
/* For cmocka: a host that has started; and its end. */
int host_set_up(void **state);
int host_tear_down(void **state);

/* Run the loop for a few turns; until something. */
#define HOST_PATIENCE UINT64_C(60000000000) /* ns */
void host_turn(struct host *host);
/* Called before and after each turn of the instance's loop, if it is not NULL. */
extern void (*host_on_turn)(bool begins);
#define host_until(host, condition)                                                                \
	do {                                                                                       \
		uint64_t limit_ = uv_hrtime() + HOST_PATIENCE;                                     \
		while (!(condition)) {                                                             \
			if (uv_hrtime() > limit_)                                                  \
				fail_msg("never: %s", #condition);                                 \
			host_turn(host);                                                           \
		}                                                                                  \
	} while (0)

/* A connection of the control channel. */
int call_connect(void);

/* A program's call: sent, and answered later. @fd is the near end or -1. */
int call_send(struct host *host, int op, unsigned int flags, int a, int b, int c, const void *data,
	      size_t len, int fd);
/* The key of the CICS-style task that calls; 0 for none. */
extern uint64_t host_as;
/* The process for which this one calls, as a supervisor; 0 for none. */
extern int32_t host_task;
/* A request on a connection that is there. */
void request_put(int conn, int op, unsigned int flags, int a, int b, int c, const void *data,
		 size_t len, int fd);
/* Wait for the answer on what call_send() returned; returns the error. */
int call_wait(struct host *host, int conn, struct lfp_ctl_reply *reply, int *fd);
/* Both, for calls that need no answer of lfpd. */
int call(struct host *host, int op, int a, int b, int fd);

/* socket(): the near end and its id. */
int new_socket(struct host *host, uint64_t *id);
/* A connected socket, by way of a non-blocking connect(); one that listens. */
int connected_socket(struct host *host, uint64_t *id);
int listening_socket(struct host *host, uint64_t *id, int backlog);
struct lfp_addr some_addr(uint16_t port);
short poll_now(int fd);
/* Zeros to a near end, of which they may be more than it takes at once. */
void write_block(struct host *host, int fd, size_t len);

#endif
