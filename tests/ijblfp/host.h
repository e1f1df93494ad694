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

/* A frame that lfpd got, except HELLO, TASK_BEGIN and TASK_END. */
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
	int level, name;              /* SETSOCKOPT */
	uint32_t number;              /* its value, if that is a number */
	char text[16];                /* its value as a text */
	struct lfp_addr addr;         /* CONNECT, DATAGRAM */
	struct lfp_datagram datagram; /* its payload is wrong */
	struct lfp_resume resume;
	struct got_who { /* TASK_WHO */
		unsigned int known, nr_groups;
		uint32_t uid, group; /* of the groups, the last one */
		char program[256];
	} who;
};

struct host {
	uv_loop_t loop; /* the instance's */
	uv_loop_t peer; /* the scripted lfpd's */
	char root[64];
	struct instance *inst;
	int started; /* 1: not yet, else the result of on_started */
	bool gone, stop_wanted;

	/* The scripted lfpd. It answers HELLO, TASK_BEGIN and CLOSE by itself. */
	struct transport_listener *listener;
	struct path *path; /* NULL without a path */
	const char *vmid;  /* that lfpd claims */
	uint16_t hello_status;
	uint32_t features;      /* further codes that it has */
	uint64_t session;       /* that lfpd gives out */
	uint64_t asked_for;     /* session of the last HELLO */
	unsigned int hold_time; /* HoldTime, seconds */
	struct got got[LOG_MAX];
	unsigned int nr_got, seen;
	uint64_t bytes; /* of DATA */
	char bye[300];
};

struct host *host_create(void);
void host_destroy(struct host *host);
/* Starts to listen, which host_create() also does; stops to listen, so that a lost path does not
 * come back.
 */
void host_listen(struct host *host);
void host_deafen(struct host *host);
/* Starts the instance and waits for on_started. */
void host_start(struct host *host);

/* Runs the loop until lfpd gets a frame with @code. Skips frames before it. */
struct got host_expect(struct host *host, uint8_t code);
/* Makes lfpd send. */
void host_send(struct host *host, struct lfp_frame frame);
void host_answer(struct host *host, struct got got, uint16_t status);
void host_data(struct host *host, uint64_t sock, uint64_t position, const char *text);
/* For cmocka: starts a host; ends it. */
int host_set_up(void **state);
int host_tear_down(void **state);

/* Runs the loop for a few turns; until a condition holds. */
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

/* Sends a program's call, which is answered later. @fd is the near end or -1. */
int call_send(struct host *host, int op, unsigned int flags, int a, int b, int c, const void *data,
	      size_t len, int fd);
/* The key of the CICS-style task that calls; 0 for none. */
extern uint64_t host_as;
/* The process for which this one calls as a supervisor; 0 for none. */
extern int32_t host_task;
/* Sends a request on an existing connection. */
void request_put(int conn, int op, unsigned int flags, int a, int b, int c, const void *data,
		 size_t len, int fd);
/* Waits for the answer on a connection of call_send(). Returns the error. */
int call_wait(struct host *host, int conn, struct lfp_ctl_reply *reply, int *fd);
/* Sends and waits, for calls that need no answer of lfpd. */
int call(struct host *host, int op, int a, int b, int fd);

/* Calls socket(): the near end and its id. */
int new_socket(struct host *host, uint64_t *id);
/* Makes a connected socket by a non-blocking connect(); a listening one. */
int connected_socket(struct host *host, uint64_t *id);
int listening_socket(struct host *host, uint64_t *id, int backlog);
/* Takes a connection from the listener's near end, where one waits. Returns its near end. */
int take_record(int listener);
struct lfp_addr some_addr(uint16_t port);
short poll_now(int fd);
/* Writes zeros to a near end, even more than it takes at once. */
void write_block(struct host *host, int fd, size_t len);

#endif
