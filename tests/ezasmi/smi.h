/* SPDX-License-Identifier: Apache-2.0 */
/* smi.h - for programs that test EZASMI: calls, their results, connections of a program with itself
 */
#ifndef TESTS_EZASMI_SMI_H
#define TESTS_EZASMI_SMI_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>

#include "ezasmi.h"
#include "vsesock.h"
#include "../lec/check.h"

enum {
	EBADF_ = 113,
	EFAULT_ = 118,
	EINVAL_ = 121,
	EBADCALL_ = 1000,
	EBADPARM_ = 1001,
	EOUTOFRANGE_ = 1002,
	EINUSE_ = 1003,
	ECONFLICT_ = 1008,
	EWOULDBLOCK_ = 1102,
	EOPNOTSUPP_ = 1112,
	ENETDOWN_ = 1117,
	EISCONN_ = 1123,
	ENOTCONN_ = 1124,
	ECONNREFUSED_ = 1128,
	ECANCELED_ = 1152,
	ENOTRUE_ = 1190,
};

static int error, retcode;

#define N(number) (&(int){number})

#define SMI(type, ...)                                                                             \
	({                                                                                         \
		int smi_rc_;                                                                       \
		error = retcode = 0x7777;                                                          \
		smi_rc_ = EZASMI(type, .RETCODE = &retcode,                                        \
				 .ERRNO = &error __VA_OPT__(, ) __VA_ARGS__);                      \
		CHECK(smi_rc_ == retcode);                                                         \
		retcode;                                                                           \
	})

#define GOOD(...)                                                                                  \
	do {                                                                                       \
		int good_rc_ = SMI(__VA_ARGS__);                                                   \
		errno = error;                                                                     \
		CHECK(good_rc_ >= 0 && good_rc_ != 0x7777 && error == 0);                          \
	} while (0)

#define BAD(number, ...)                                                                           \
	do {                                                                                       \
		int bad_rc_ = SMI(__VA_ARGS__);                                                    \
		errno = error;                                                                     \
		CHECK(bad_rc_ == -1 && error == (number));                                         \
	} while (0)

static int family = 2; /* or 19 */
static const char *af = "INET";

static void *volatile nowhere = (void *)16;

static inline void set_family(const char *arg)
{
	family = !strcmp(arg, "6") ? 19 : 2;
	af = family == 19 ? "INET6" : "INET";
}

static inline unsigned char *loopback(unsigned char name[28], unsigned int port)
{
	memset(name, 0, 28);
	name[1] = (unsigned char)family;
	name[2] = (unsigned char)(port >> 8);
	name[3] = (unsigned char)port;
	if (family == 19)
		name[23] = 1;
	else
		memcpy(name + 4, "\x7f\0\0\1", 4);
	return name;
}

static inline unsigned int port_of(int s)
{
	unsigned char name[28];

	GOOD(GETSOCKNAME, .S = &s, .NAME = name);
	CHECK(name[0] == 0 && name[1] == family);
	return (unsigned int)name[2] << 8 | name[3];
}

static inline int make_socket(const char *type)
{
	GOOD(SOCKET, .AF = af, .SOCTYPE = type);
	return retcode;
}

static inline int make_bound(const char *type, unsigned int *port)
{
	unsigned char name[28];
	int s = make_socket(type);

	GOOD(BIND, .S = &s, .NAME = loopback(name, 0));
	*port = port_of(s);
	return s;
}

static inline int make_listener(unsigned int *port)
{
	int s = make_bound("STREAM", port);

	GOOD(LISTEN, .S = &s, .BACKLOG = N(5));
	return s;
}

static inline void close_socket(int s)
{
	GOOD(CLOSE, .S = &s);
}

static inline void make_pair(int ends[2])
{
	unsigned char name[28];
	unsigned int port;
	int listener = make_listener(&port);

	ends[0] = make_socket("STREAM");
	GOOD(CONNECT, .S = &ends[0], .NAME = loopback(name, port));
	GOOD(ACCEPT, .S = &listener, .NAME = name);
	ends[1] = retcode;
	CHECK(name[0] == 0 && name[1] == family);
	close_socket(listener);
}

static inline void close_pair(const int ends[2])
{
	close_socket(ends[0]);
	close_socket(ends[1]);
}

static inline void init(void)
{
	int maxsno = -2;

	GOOD(INITAPI, .MAXSOC = N(100), .MAXSNO = &maxsno);
	CHECK(maxsno == 99);
}

static inline void term(void)
{
	GOOD(TERMAPI);
}

#endif
