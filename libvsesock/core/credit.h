/* SPDX-License-Identifier: Apache-2.0 */
/* credit.h - control calls for fresh sockets */
#ifndef VSESOCK_CREDIT_H
#define VSESOCK_CREDIT_H

/* Notes that a call has made a stream. After a few such calls, asks the instance for credit
 * (fresh.h). */
void credit_earn(const char *nn, int family);

/* Notes that the process has accepted a connection. After a few, asks for the page, in which it
 * then posts options (lfp/post.h). */
void credit_earn_posts(const char *nn, int family);

/* Makes the fresh sockets near ends now, because later the program may be unable to ask. errno is
 * untouched.
 */
void credit_settle(void);

#endif
