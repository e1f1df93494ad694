/* SPDX-License-Identifier: Apache-2.0 */
/* cookie.h - how the shim's own calls pass the seccomp filter of lfp-run */
#ifndef VSESOCK_COOKIE_H
#define VSESOCK_COOKIE_H

/*
 * The filter stops the control calls of sockets so that lfp-run's supervisor serves programs that
 * have no shim. Where the shim is there, its calls shall cost nothing more: lfp-run draws a number,
 * gives it to the filter and, in the environment, to the shim. It is no secret, and nothing depends
 * on it: without it the shim's calls are served like any others.
 */
#define COOKIE_VARIABLE "LFP_COOKIE"
#define COOKIE_DIGITS   16 /* hexadecimal */

/* Read the environment; raw_cookie (raw.h) stays 0 if there is no cookie. errno is untouched. */
void cookie_init(void);

#endif
