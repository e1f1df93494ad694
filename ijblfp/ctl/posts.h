/* SPDX-License-Identifier: Apache-2.0 */
/* posts.h - options that programs post in the pages that they share with the instance */
#ifndef IJBLFP_CTL_POSTS_H
#define IJBLFP_CTL_POSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp/ctl.h"

struct instance;
struct task;
struct vsock;

/* Sends lfpd the options that the owner of @vs has posted so far. Call it before data of @vs is
 * read. Returns the number of posts. */
unsigned int posts_take(struct instance *inst, struct vsock *vs);

/* The same, before a call about @vs. Returns 0, or -ENOMEM if a post about @vs waits for memory:
 * then the call must not set or show options. */
int posts_take_first(struct instance *inst, struct vsock *vs);

/* Sends lfpd the options posted in a page of @task, which is sealed. Returns 0, or -ENOMEM if a
 * post waits for memory. */
int posts_take_from(struct task *task, struct lfp_credit *page);

/* Returns the cookie of the near end of @vs if process @task may post options of it, else 0. */
uint64_t posts_cookie(const struct task *task, const struct vsock *vs);

/* Returns the process that may post options of connections of the listener @vs, or 0. */
int32_t posts_owner(const struct instance *inst, const struct vsock *vs);

#endif
