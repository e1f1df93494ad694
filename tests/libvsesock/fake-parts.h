/* SPDX-License-Identifier: Apache-2.0 */
/* fake-parts.h - the parts of the fake instance, for each other */
#ifndef TEST_FAKE_PARTS_H
#define TEST_FAKE_PARTS_H

#include <stddef.h>
#include <sys/un.h>

#include "lfp/ctl.h"

/* An address of either family. */
void fake_addr(struct lfp_addr *addr, const char *ip, int port);

/* Answer a request of @len bytes of data: 0 with @answer filled, -1 if it is about something else.
 */
int fake_names(const struct lfp_ctl_request *call, size_t len, struct lfp_ctl_reply *answer);

/* Serve for ever: programs at @listener; near ends are connected to @pairs, which has this address.
 */
void fake_serve(int listener, int pairs, const struct sockaddr_un *pairs_addr);

#endif
