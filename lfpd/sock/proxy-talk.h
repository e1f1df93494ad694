/* SPDX-License-Identifier: Apache-2.0 */
/* proxy-talk.h - messages to a proxy, and its answers, on a connection that does not block */
#ifndef LFPD_SOCK_PROXY_TALK_H
#define LFPD_SOCK_PROXY_TALK_H

#include <stddef.h>
#include <stdint.h>

#include "lfpd/policy/proxy.h"

/* The longest answers of SOCKS5 have 262 bytes. */
#define PROXY_SOCKS_ANSWER_MAX 512u

/*
 * Nothing here waits: each call does what the kernel takes at once. The peer may speak first, so
 * its first bytes may come in one segment with the proxy's last answer. They stay in the kernel:
 * bytes are looked at first (MSG_PEEK), and those that belong to the answer are taken.
 */
struct proxy_talk {
	const struct upstream *upstream; /* its owner's reference */
	struct proxy_target target;
	enum proxy_step step;
	struct proxy_answer last; /* after the end: the last answer */
	const char *why;          /* after an error: a clause */
	unsigned int code;        /* the proxy's number, or 0 */
	size_t out_len, out_sent;
	uint8_t out[PROXY_MESSAGE_MAX];
	size_t in_len, in_max;
	uint8_t *in; /* in_max bytes of the owner */
};

/* The connection is made: begins with the first message. The owner has set upstream, target, in and
 * in_max. */
void proxy_talk_begin(struct proxy_talk *talk);

/* Goes on. Returns EALREADY while more has to come, 0 when the proxy has done what it was asked, or
 * another positive errno. */
int proxy_talk_go_on(struct proxy_talk *talk, int fd);

/* Returns the events to poll for. */
int proxy_talk_events(const struct proxy_talk *talk);

/* Forgets secrets. */
void proxy_talk_finish(struct proxy_talk *talk);

#endif
