/* SPDX-License-Identifier: Apache-2.0 */
/* lec.h - the LE/C socket interface (IJBLFPLE): what its functions share */
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
 * A function lec_x() is what a program calls by the name of x() (include/lec). Each looks up the
 * near end of its descriptor and calls the function of the shim that is named so; addresses,
 * options, flags and errors are translated on the way. Structures of programs are declared there,
 * in include/lec, with names that are Linux's; here they have the prefix lec_, and tests/lec
 * compares them.
 */

/* errno is @error, positive and internal; returns -1. */
int lec_fail(int error);

/* The same after a call of the shim's: its errno. Of a call that sends, receives or accepts. */
int lec_fail_io(void);

/* The end of a function whose result is not negative, or a negative error. */
int lec_end(int rc);

/* The interface, for the calling thread's task; 0, or -1 with errno. The function's name is for
 * strict runs. */
#define lec_enter(api) lec_enter_as(__func__, api)
int lec_enter_as(const char *function, struct vse_api **api);

/* The near end of a descriptor, or -1 with errno. */
#define lec_fd(s) lec_fd_as(__func__, s)
int lec_fd_as(const char *function, int s);

/* An address of a program: 0 or a negative error. An address for it: @addr and @len may not be
 * NULL. */
int lec_take_addr(struct sockaddr_storage *to, socklen_t *tolen, const void *addr,
		  unsigned int len);
int lec_give_addr(void *addr, unsigned int *len, const struct sockaddr_storage *from);
int lec_check_addr(const void *addr, const unsigned int *len);

/* The socket is about to be closed: asynchronous requests on it are cancelled. */
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
