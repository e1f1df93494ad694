/* SPDX-License-Identifier: Apache-2.0 */
/* near.h - sockets of the fake instance, as tests of the shim make them */
#ifndef TEST_NEAR_H
#define TEST_NEAR_H

/* cmocka wants these before itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* An Internet socket; one that is connected; a listener. */
int near_new(void);
int near_connected(void);
int near_listener(void);

/* connect() to a port of fake.h */
int near_connect(int fd, int port);

/* Tell the fake, ask the fake. */
void fake_tell(int fd, int what, int value);
int fake_ask(int fd, int what);

/* Did the call fail with this errno? */
#define assert_fails(call, error)                                                                  \
	do {                                                                                       \
		errno = 0;                                                                         \
		assert_int_equal(call, -1);                                                        \
		assert_int_equal(errno, error);                                                    \
	} while (0)

/* getsockopt() and setsockopt() of the near end itself, past the shim, for numbers of SOL_SOCKET.
 */
int near_own_option(int fd, int name);
/* One of 8 bytes. */
uint64_t near_own_wide_option(int fd, int name);
void near_set_own_option(int fd, int name, int value);
/* Returns its SO_COOKIE. */
uint64_t near_own_cookie(int fd);

/* Fill the descriptor table so that just @left are free; near_unfill() sets it free again. */
void near_fill(int left);
void near_unfill(void);

#endif
