/* SPDX-License-Identifier: Apache-2.0 */
/* ctl-state.h - connections of the control channel and their server */
#ifndef IJBLFP_CTL_CTL_STATE_H
#define IJBLFP_CTL_CTL_STATE_H

#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

#include "ijblfp/base/list.h"
#include "ijblfp/sock/waiter.h"
#include "lfp/ctl.h"
#include "lfp/share.h"

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
 * A connection of the control channel: one call of a program. It is destroyed by its answer.
 * Whoever keeps it until then (a request on the path, a task that begins, a socket that connects)
 * needs not care about its client: an answer to one that is gone goes nowhere. Only connections
 * that are watched can vanish by themselves: they are on a list of their owner and taken off it.
 */
struct ctl_conn {
	struct instance *inst;
	int fd;
	int passed;       /* the descriptor that came with the request, or -1 */
	bool shared;      /* a program may have fd as well */
	bool left;        /* its request stays in fd: cannot be watched */
	bool known;       /* a near end to which nobody but the instance can send */
	pid_t pid;        /* whose call it is (speak.h, peer.h) */
	uint64_t inode;   /* of a process that has a negative pid; else 0 */
	uint64_t as;      /* the key of a CICS-style task of that process, or 0 */
	int32_t argument; /* `a` of its request, for a call that waits for lfpd's answer */
	uint64_t begun;   /* the key of the one that it has begun */
	uid_t uid;
	bool spoken;   /* by a supervisor, for another process */
	uid_t speaker; /* whose */
	pid_t voice;   /* the process that has sent a request for another, or 0 (guard.h) */
	uid_t voice_uid;
	struct guard *guard; /* it is a supervisor's, kept open */
	struct task *task;
	struct list place;   /* silent, task's waiting */
	struct share *share; /* for which user it counts, or NULL; as one of which kind */
	enum share_kind share_kind;
	struct list mine;  /* in that user's list of this kind */
	struct list later; /* those that are to be watched soon */
	bool watched;
	bool closed;                  /* only libuv still knows it */
	struct connect_waiter waiter; /* of a CONNECT */
	bool parked;                  /* other connections come through it (parked.h) */
	/* a parked one and the direct request on it that is not answered: they know each other */
	struct ctl_conn *lender, *borrower;
	bool borrowed;  /* fd is the lender's, or -1 when that is gone */
	bool answered;  /* else the lender ends with it, as nobody else tells who waits */
	uint64_t since; /* when it connected, ms of the loop's clock */
	uv_poll_t poll;
	struct lfp_ctl_request *request; /* kept while the task begins */
};

/* All guards of an instance (guard.h). */
struct guards {
	struct list list; /* struct guard */
	unsigned int nr;
	uint32_t last;        /* number that was given */
	uint64_t missed;      /* connections that are not guarded, or whose reset was not shown */
	uint64_t said_missed; /* when that was said, ms of the loop's clock */
};

struct ctl_server {
	int listener;
	uv_poll_t poll;
	uv_timer_t timer; /* while silent connections exist */
	uv_prepare_t soon;
	struct list later; /* what it watches, before the loop sleeps */
	bool paused;
	bool starved;       /* of descriptors */
	struct list silent; /* connections without a request, the oldest first */
	unsigned int nr_silent;
	struct list parked; /* the one that was used longest ago first */
	unsigned int nr_parked, parked_max;
	struct lfp_shares shares; /* users' parts of these, and of calls: share.h */
	unsigned int calls_max;   /* not answered: a user may have a part of so many */
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

/* There may be descriptors again. */
void ctl_server_retry(struct instance *inst);

/* Answer and destroy. @error is 0 or a positive errno; @fd, if it is not -1, is sent and stays the
 * caller's. Return: 0, or a negative errno if the answer did not get into the client's hands. */
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

/* Say when the client vanishes or sends DETACH. */
void ctl_watch(struct ctl_conn *conn);

/* The same before the loop sleeps: many are answered by then. */
void ctl_watch_soon(struct ctl_conn *conn);

/* The request must wait for its task: keep a copy. */
void ctl_keep(struct ctl_conn *conn, const struct lfp_ctl_request *request);

/* A task has begun: go on with the request that waited. */
void ctl_resume(struct ctl_conn *conn);

/* A connection that has come: read its request if it is there, else wait for it.
 * @shared: a program may have @fd as well. */
void ctl_take(struct instance *inst, int fd, bool shared);

/**
 * ctl_receive() - one message
 * @request:	set to it, if it has the form of a request
 *
 * A descriptor that came along goes to conn->passed.
 * Return: its length, 0 at the end, -EAGAIN if there is none, or another negative errno.
 */
ssize_t ctl_receive(struct ctl_conn *conn, struct lfp_ctl_request *request);

/* Do what was asked; @conn may be gone. */
void ctl_dispatch(struct ctl_conn *conn, const struct lfp_ctl_request *request);

/* End a connection without an answer. */
void ctl_drop(struct ctl_conn *conn);

#endif
