/* SPDX-License-Identifier: Apache-2.0 */
/* lec.h - the LE/C socket interface (IJBLFPLE): shared declarations */
#ifndef VSESOCK_LEC_LEC_H
#define VSESOCK_LEC_LEC_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "libvsesock/core/export.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/vse/api.h"
#include "libvsesock/vse/values.h"

/*
 * Programs call a function lec_x() by the name x() (include/lec). Each looks up the near end of its
 * descriptor, calls the shim's function of the same name, and translates addresses, options, flags
 * and errors. include/lec declares the structures of programs with Linux's names. Here they have
 * the prefix lec_, and tests/lec compares both.
 */

/* Sets errno to the positive internal @error; returns -1. */
int lec_fail(int error);

/* The same for the errno of the shim, after a call that sends, receives or accepts. */
int lec_fail_io(void);

/* Ends a function with a result that is not negative, or with a negative error. */
int lec_end(int rc);

/* Gets the interface for the calling thread's task. Returns 0, or -1 with errno. Strict runs use
 * the function's name. */
#define lec_enter(api) lec_enter_as(__func__, api)
int lec_enter_as(const char *function, struct vse_api **api);

/* Returns the near end of a descriptor, or -1 with errno. */
#define lec_fd(s) lec_fd_as(__func__, s)
int lec_fd_as(const char *function, int s);

/* Take an address from a program, give one to it, check the memory for one. Return 0 or a negative
 * error. @addr and @len of the latter two must not be NULL. */
int lec_take_addr(struct sockaddr_storage *to, socklen_t *tolen, const void *addr,
		  unsigned int len);
int lec_give_addr(void *addr, unsigned int *len, const struct sockaddr_storage *from);
int lec_check_addr(const void *addr, const unsigned int *len);

/* Cancels asynchronous requests on a socket that is about to be closed. */
void lec_forget_requests(int s);

struct lec_msghdr {
	void *name;
	struct iovec *iov;
	void *control;
	int flags;
	unsigned int namelen;
	int iovlen;
	unsigned int controllen;
};

struct lec_clientid {
	int domain;
	char name[8];
	char subtaskname[8];
	char reserved[20];
};

#endif
