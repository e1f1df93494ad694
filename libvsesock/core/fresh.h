/* SPDX-License-Identifier: Apache-2.0 */
/* fresh.h - near ends that the program makes itself, within the credit of its instance */
#ifndef VSESOCK_FRESH_H
#define VSESOCK_FRESH_H

#include <stdbool.h>

#include "lfp/ctl.h"

/*
 * Theory of operation
 *
 * lfp/ctl.h describes fresh sockets and credit. A program that makes several streams asks its
 * instance for credit, once (credit.h), and gets a page with a count. While the count is not 0,
 * socket() lowers it by one and makes a fresh socket: a UNIX socket with the mark. The first
 * request about the fresh socket makes it a near end.
 *
 * The mark identifies a fresh socket in any process, so nothing depends on the following. A few
 * words remember number and cookie of the last fresh sockets, as in park.c. If the number has
 * another descriptor now, the program closed the fresh socket before any request about it, and its
 * credit comes back. A fresh socket that is copied, or that a request is about, is forgotten: its
 * credit is spent. The instance corrects all wrong counts at the next call of socket() that reaches
 * it.
 *
 * A child process does not use its parent's credit: its process id differs. A supervisor has no
 * credit, because it makes sockets for other processes.
 */

/* Returns a new fresh socket; -ENETDOWN if there is no credit, or the negative errno of socket().
 * @flags: O_CLOEXEC and O_NONBLOCK. */
int fresh_socket(const char *nn, int family, int flags);

/* Forgets @fd, because a request about it goes out or it is copied. */
void fresh_escaped(int fd);

/* Calls @fn for each fresh socket that is remembered, and forgets it. */
void fresh_each(void (*fn)(int fd));

/* Forgets the credit: the instance that granted it is out of reach. */
void fresh_forget(void);

/* Sets @pages to those pages of this process in which posts are read (lfp/post.h), or NULL. Returns
 * true if there is one; @pid is then set to the process. */
bool fresh_post_pages(struct lfp_credit *pages[static 2], long *pid);

/* Returns the process that got such a page in this memory, or 0. */
long fresh_post_pid(void);

/* For credit.c. Counts a socket that a call has made. Returns their number since the credit was
 * lost or the process began. */
unsigned int fresh_count_call(int family);

bool fresh_lacks_page(int family);

/* Returns the address where the family's page is or was mapped, or NULL before the first one. A new
 * page is mapped over the old one, because another thread may still read that. */
void *fresh_mapped(int family);

/* Notes that a page is mapped at @at. */
void fresh_set_mapped(int family, void *at);

/* Starts to use @page, which stays mapped for ever. */
void fresh_set_page(int family, struct lfp_credit *page);

/* One thread at a time may ask for a page: the instance makes a file for the last one that asked.
 * Returns true if this thread may; then it calls fresh_end_earning() at the end. */
bool fresh_begin_earning(int family);
void fresh_end_earning(int family);

#endif
