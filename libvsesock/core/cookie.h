/* SPDX-License-Identifier: Apache-2.0 */
/* cookie.h - socket calls that lfp-run's seccomp filter stops, and socket calls that pass it */
#ifndef VSESOCK_COOKIE_H
#define VSESOCK_COOKIE_H

#include <stdbool.h>
#include <sys/socket.h>

/*
 * The filter stops the control calls of sockets, so that lfp-run's supervisor can serve programs
 * without the shim. The shim's own calls must not pay for that. So lfp-run draws a number, the
 * cookie, and gives it to the filter and, in the environment, to the shim. The cookie is not a
 * secret, and nothing depends on it: without it the supervisor serves the shim's calls like any
 * others.
 */
#define COOKIE_VARIABLE "LFP_COOKIE"
#define COOKIE_DIGITS   16 /* hexadecimal */

/* With this value, and a cookie, the program looks names up itself: its C library's own sockets are
 * stopped by the filter, so they are LFP's. Without the filter they would be the kernel's. */
#define RESOLVE_VARIABLE "LFP_RESOLVE"
#define RESOLVE_PROGRAM  "program"

/* Returns true if it does. After cookie_init(). */
bool cookie_resolves(void);

/* Reads the environment; raw_cookie (raw.h) stays 0 without a cookie. errno is untouched. */
void cookie_init(void);

/* Flags that UNIX sockets ignore or treat differently from Internet sockets. */
#define SPECIAL_SEND_FLAGS    (MSG_OOB | MSG_FASTOPEN | MSG_MORE | MSG_DONTROUTE)
#define SPECIAL_RECEIVE_FLAGS (MSG_ERRQUEUE | MSG_TRUNC | MSG_OOB)

/* A longer datagram may be too long, so the supervisor has to check. */
#define SPECIAL_SEND_LEN 65507u

#endif
