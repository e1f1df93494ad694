/* SPDX-License-Identifier: Apache-2.0 */
/* post.h - TCP_NODELAY of connected streams that a program posts in its credit's page */
#ifndef LFP_POST_H
#define LFP_POST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * TCP_NODELAY of a connected stream needs no request if the program has sent nothing yet: it
 * matters only for data that goes out later. The program writes a *post* into the page that it
 * shares with the instance (struct lfp_credit), and goes on. The instance reads the posts of a
 * process before it reads data of the process's sockets, before each request about one of them, and
 * when the process ends. So an option is set before anything that the program does after it.
 *
 * A post names the socket by its cookie. The instance takes posts only for sockets that belong to
 * the page's own process, and only this option. It tells the program which sockets these are:
 * CONNECT's answer and an accept record say so.
 *
 * A word is 0, or one post. The program changes a word only from 0, and the instance sets it to 0
 * when it has taken the post.
 */
#define LFP_POSTS        16u /* words in a page */
#define LFP_POST_COOKIES (UINT64_C(1) << 56)

/* @cookie: less than LFP_POST_COOKIES; @option: less than LFP_EARLY_FLAGS (lfp/early.h). */
static inline uint64_t lfp_post_make(uint64_t cookie, int option, bool on)
{
	return cookie << 8 | (uint64_t)(unsigned int)option << 1 | on;
}

static inline uint64_t lfp_post_cookie(uint64_t post)
{
	return post >> 8;
}

/* May be no option's number. */
static inline int lfp_post_option(uint64_t post)
{
	return (int)(post >> 1 & 0x7f);
}

static inline bool lfp_post_on(uint64_t post)
{
	return post & 1;
}

#endif
