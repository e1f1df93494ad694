/* SPDX-License-Identifier: Apache-2.0 */
/* csi.h - for programs that test the SOCKET macro: calls, their results, connections with itself */
#ifndef TESTS_CSI_CSI_H
#define TESTS_CSI_CSI_H

#include <stdbool.h>
#include <stdint.h>

#include "csi-socket.h"
#include "ezasmi.h"
#include "vsesock.h"
#include "../lec/check.h"

enum {
	EBADF_ = 113,
	EFAULT_ = 118,
	EINVAL_ = 121,
	ENOENT_ = 129,
	ENODATA_ = 148,
	ECONFLICT_ = 1008,
	EDESTADDRREQ_ = 1106,
	EMSGSIZE_ = 1107,
	EPROTOTYPE_ = 1108,
	EOPNOTSUPP_ = 1112,
	EAFNOSUPPORT_ = 1114,
	EADDRINUSE_ = 1115,
	ENOTCONN_ = 1124,
	ETIMEDOUT_ = 1127,
	ECONNREFUSED_ = 1128,
	ECONNRESET_ = 1121,
	ECANCELED_ = 1152,
};

static int family = CSI_INET;

static void *volatile nowhere = (void *)16;

#define GOOD(function, type, request)                                                              \
	do {                                                                                       \
		int good_rc_ = CSI_SOCKET(function, type, request);                                \
		errno = (request)->ERRNO;                                                          \
		CHECK(good_rc_ >= 0 && good_rc_ == (request)->RETCODE && !(request)->ERRNO);       \
	} while (0)

#define BAD(number, function, type, request)                                                       \
	do {                                                                                       \
		int bad_rc_ = CSI_SOCKET(function, type, request);                                 \
		errno = (request)->ERRNO;                                                          \
		CHECK(bad_rc_ == -1 && (request)->RETCODE == -1 && (request)->ERRNO == (number));  \
	} while (0)

static inline void loopback(struct csi_socket *request)
{
	memset(request->FOIP, 0, 16);
	request->FAMILY = family;
	if (family == CSI_INET6)
		request->FOIP[15] = 1;
	else
		memcpy(request->FOIP, "\x7f\0\0\1", 4);
}

/* A request with an ECB. */
struct pending {
	struct csi_socket request;
	struct ezasmi_ecb ecb;
};

static inline void start(struct pending *pending, const char *function, const char *type)
{
	pending->request.ECB = &pending->ecb;
	pending->request.RETCODE = 0x7777;
	CHECK(csi_socket(function, type, &pending->request) == 0);
}

static inline int result(struct pending *pending)
{
	CHECK(vse_ecb_wait((void *[]){&pending->ecb}, 1, 30000) == 0);
	errno = pending->request.ERRNO;
	return pending->request.RETCODE;
}

#define IS_OUT(pending) CHECK(!EZASMI_POSTED(&(pending)->ecb))
#define FAILS_BY(pending, number)                                                                  \
	CHECK(result(pending) == -1 && (pending)->request.ERRNO == (number))

/* Makes a passive OPEN, outstanding on a port of its own. */
static inline int listens(struct pending *pending)
{
	memset(pending, 0, sizeof(*pending));
	pending->request.FAMILY = family;
	pending->request.PASSIVE = 1;
	start(pending, "OPEN", "TCP");
	IS_OUT(pending);
	CHECK(pending->request.LOPORT > 0 && pending->request.DESC >= 0);
	return pending->request.LOPORT;
}

static inline void connect_to(struct csi_socket *request, int port)
{
	memset(request, 0, sizeof(*request));
	loopback(request);
	request->FOPORT = port;
	GOOD(OPEN, TCP, request);
	CHECK(request->DESC >= 0);
}

static inline void make_pair(struct csi_socket ends[2])
{
	struct pending passive;

	connect_to(&ends[0], listens(&passive));
	CHECK(result(&passive) == 0);
	ends[1] = passive.request;
	ends[1].ECB = NULL;
	CHECK(ends[1].FOPORT == ends[0].LOPORT && ends[1].LOPORT == ends[0].FOPORT);
	CHECK(!memcmp(ends[1].FOIP, ends[0].LOIP, 16));
}

#endif
