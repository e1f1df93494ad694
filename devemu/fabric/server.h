/* SPDX-License-Identifier: Apache-2.0 */
/* server.h - a part that moves bytes at a rate, first come first served: a bus, a card, a line
 */
#ifndef DEVEMU_FABRIC_SERVER_H
#define DEVEMU_FABRIC_SERVER_H

#include <stdint.h>

/*
 * A first-come-first-served server needs no event of its own: the time when the server is free
 * tells each arrival when it will be served. As events are handled in the order of time, the order
 * of calls is the order of arrivals.
 */
struct server {
	int64_t free_at;
	uint64_t busy; /* ps served, counted when reserved */
	uint64_t rate; /* bytes a millisecond; 0: no limit, takes no time */
	uint64_t left; /* remainder of divisions, so that the mean rate is exact */
};

/* A burst of frames at a point of its way. */
struct burst {
	int64_t first; /* first byte, ps */
	int64_t last;  /* last byte */
};

static inline int64_t server_time(struct server *server, uint64_t bytes)
{
	/* 1 GB is 10^9 * 10^9, which fits; no burst is larger. */
	const uint64_t work = bytes * UINT64_C(1000000000) + server->left;

	server->left = work % server->rate;
	return (int64_t)(work / server->rate);
}

/*
 * @bytes pass a server, the first of which comes at @burst->first (not before the present), the
 * last at @burst->last. Afterwards @burst says when they leave. The server is held for the time
 * that the bytes need at its rate; when they come slower than that, others pass between them.
 */
static inline void server_pass(struct server *server, struct burst *burst, uint64_t bytes)
{
	int64_t start, time;

	if (!server->rate)
		return;
	start = server->free_at > burst->first ? server->free_at : burst->first;
	time = server_time(server, bytes);
	server->free_at = start + time;
	server->busy += (uint64_t)time;
	burst->first = start;
	if (burst->last < start + time)
		burst->last = start + time;
}

/* ps of @busy that are still to come at @now: what is reserved is served without a gap. */
static inline uint64_t server_ahead(const struct server *server, int64_t now)
{
	return server->free_at > now ? (uint64_t)(server->free_at - now) : 0;
}

/* Hold the server for @time ps from @at on, or when it is free; returns the end. */
static inline int64_t server_hold(struct server *server, int64_t at, int64_t time)
{
	const int64_t start = server->free_at > at ? server->free_at : at;

	server->busy += (uint64_t)time;
	return server->free_at = start + time;
}

#endif
