/* SPDX-License-Identifier: Apache-2.0 */
/* ctl-state.h - connections of the control channel and their server */
#ifndef IJBLFP_CTL_CTL_STATE_H
#define IJBLFP_CTL_CTL_STATE_H

#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

#include "ijblfp/sock/waiter.h"
#include "lfp/ctl.h"
#include "lfp/list.h"
#include "lfp/share.h"
#include "transport/reactor.h"

struct instance;
struct task;
struct guard;
struct share;

/* The pools of connections that users share (share.h). */
enum share_kind {
	SHARE_CALLS,
	SHARE_SILENT,
	SHARE_PARKED,
};

/*
 * A connection of the control channel: one call of a program. Its answer destroys it. Its keeper
 * until then (a request on the path, a task that begins, a socket that connects) need not care
 * about the client: an answer to a client that is gone is dropped. Only watched connections can end
 * by themselves: they are on a list of their owner, and are taken off it.
 */
struct ctl_conn {
	struct instance *inst;
	int fd;
	int passed;       /* the descriptor that came with the request, or -1 */
	bool shared;      /* a program may have fd as well */
	bool left;        /* its request stays in fd: cannot be watched */
	bool is_near;     /* passed is a near end */
	bool known;       /* a near end to which only the instance can send */
	pid_t pid;        /* process and user of the call (speak.h, peer.h) */
	uint64_t inode;   /* of a process that has a negative pid; else 0 */
	uint64_t as;      /* the key of a CICS-style task of that process, or 0 */
	int32_t argument; /* `a` of its request, for a call that waits for lfpd's answer */
	uint64_t begun;   /* the key of the one that it has begun */
	uid_t uid;
	bool spoken;   /* sent by a supervisor for another process */
	uid_t speaker; /* that process */
	pid_t voice;   /* the process that has sent a request for another, or 0 (guard.h) */
	uid_t voice_uid;
	struct guard *guard; /* it is a supervisor's, kept open */
	struct task *task;
	struct lfp_list place; /* silent, task's waiting */
	struct share *share;   /* the user for which the connection counts, or NULL, and the pool */
	enum share_kind share_kind;
	struct lfp_list mine;  /* in that user's list of the pool */
	struct lfp_list later; /* on the list of connections to be watched soon */
	bool watched;
	bool closed;                  /* freed by the watch's close callback */
	struct connect_waiter waiter; /* of a CONNECT */
	uint64_t posted;              /* cookie for its answer (lfp/post.h), or 0 */
	bool parked;                  /* other connections come through it (parked.h) */
	/* a parked connection and the unanswered direct request on it point to each other */
	struct ctl_conn *lender, *borrower;
	uint32_t proved; /* number of a task that has certainly made it (identity.c) */
	bool borrowed;   /* fd belongs to the lender; -1 when the lender is gone */
	bool answered;   /* otherwise the lender ends with it, as only the lender shows that the
			    caller is gone */
	uint64_t since;  /* when it connected, ms of the loop's clock */
	struct watch watch;
	struct lfp_ctl_request *request; /* kept while the task begins */
};

/* Returns true if a supervisor speaks for the process @pid: the connection is not that of the
 * process. */
static inline bool ctl_is_spoken(const struct ctl_conn *conn, pid_t pid)
{
	return conn->voice && conn->voice != pid;
}

/* All guards of an instance (guard.h). */
struct guards {
	struct lfp_list list; /* struct guard */
	unsigned int nr;
	uint32_t last;        /* number of the last guard */
	uint64_t missed;      /* connections that have no guard, or whose reset was not shown */
	uint64_t said_missed; /* time of the last message about them, ms of the loop's clock */
};

struct ctl_server {
	int listener;
	uv_poll_t poll;
	uv_timer_t timer;   /* while silent connections exist */
	uv_timer_t credits; /* while there are spare sockets (credit.h) */
	struct turn_hook soon;
	struct lfp_list later; /* connections to watch, before the loop sleeps */
	bool paused;
	bool starved;           /* of descriptors */
	struct lfp_list silent; /* connections without a request, the oldest first */
	unsigned int nr_silent;
	struct lfp_list parked; /* least recently used first */
	unsigned int nr_parked, parked_max;
	struct lfp_shares shares; /* users' shares of these, and of calls: share.h */
	unsigned int calls_max;   /* unanswered calls; share.h bounds those of a user */
	struct guards guards;
	struct lfp_ctl_request request; /* the one being read */
	uint64_t refused_since;         /* ms of the loop's clock (speak.c) */
	unsigned int refused;           /* calls since then */
	char path[108];
};

int ctl_server_init(struct instance *inst, const char *path);
void ctl_server_finish(struct instance *inst);

/* Reading of requests stops while answers of the path pile up. */
void ctl_server_check(struct instance *inst);

/* Descriptors may be free again. */
void ctl_server_retry(struct instance *inst);

/* Answers and destroys @conn. @error is 0 or a positive errno. @fd is sent unless it is -1, and
 * stays the caller's. Returns 0, or a negative errno if the answer did not reach the client. */
int ctl_answer(struct ctl_conn *conn, int error, int value, const void *data, size_t len, int fd);

/* Answers with an outcome: @error is 0 or a positive errno. */
static inline int ctl_reply(struct ctl_conn *conn, int error)
{
	return ctl_answer(conn, error, 0, NULL, 0, -1);
}

/* Answers with an error, a positive errno. */
static inline int ctl_fail(struct ctl_conn *conn, int error)
{
	return ctl_answer(conn, error, 0, NULL, 0, -1);
}

/* Reports when the client vanishes or sends DETACH. */
void ctl_watch(struct ctl_conn *conn);

/* The same, from the moment before the loop sleeps: many calls are answered by then. */
void ctl_watch_soon(struct ctl_conn *conn);

/* Keeps a copy of the request, which must wait. Returns false if there is no memory: the call was
 * answered then. */
bool ctl_keep(struct ctl_conn *conn, const struct lfp_ctl_request *request);

/* Continues the request that waited for its task to begin. */
void ctl_resume(struct ctl_conn *conn);

/* Takes a new connection: reads its request, or waits for one. @shared: a program may have @fd as
 * well. */
void ctl_take(struct instance *inst, int fd, bool shared);

/**
 * ctl_receive() - one message
 * @request:	set to it, if it has the form of a request
 *
 * A descriptor that came along goes to conn->passed.
 * Return: its length, 0 at the end, -EAGAIN if none has arrived, or another negative errno.
 */
ssize_t ctl_receive(struct ctl_conn *conn, struct lfp_ctl_request *request);

/* Handles the request. @conn may be gone afterwards. */
void ctl_dispatch(struct ctl_conn *conn, const struct lfp_ctl_request *request);

/* Ends a connection without an answer. */
void ctl_drop(struct ctl_conn *conn);

#endif
