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
 * socket() takes one from it and makes a UNIX socket with the mark of a fresh one. The first
 * request about it makes it a near end.
 *
 * A fresh socket is known by its mark, in any process, so nothing depends on what follows. A few
 * words remember the fresh sockets that were made last: number and cookie, as in park.c. One whose
 * number has another descriptor now was closed before any request was made about it, and its credit
 * comes back. One that a request is made about, or that is copied, is forgotten: its credit is
 * spent. What the words miss, the instance corrects at the next call of socket() that reaches it.
 *
 * A child process does not use its parent's credit: its process id differs. A supervisor has none:
 * its sockets are those of other processes.
 */

/* Returns a new fresh socket; -ENETDOWN if there is no credit, or the negative errno of socket().
 * @flags: O_CLOEXEC and O_NONBLOCK. */
int fresh_socket(const char *nn, int family, int flags);

/* A request about @fd goes out, or @fd is copied. */
void fresh_escaped(int fd);

/* Calls @fn for each fresh socket that is remembered, and forgets it. */
void fresh_each(void (*fn)(int fd));

/* The instance that has granted the credit is out of reach. */
void fresh_forget(void);

/* For credit.c. Counts a socket that a call has made, and returns how many there were since the
 * credit was lost or the process began. */
unsigned int fresh_count_call(int family);

bool fresh_lacks_page(int family);

/* Returns where the family's page is mapped, or was; NULL: nowhere yet. A new page takes the place
 * of the old one, at which another thread may still look. */
void *fresh_mapped(int family);

/* Notes a page that is mapped there. */
void fresh_set_mapped(int family, void *at);

/* @page: kept for ever. */
void fresh_set_page(int family, struct lfp_credit *page);

#endif
