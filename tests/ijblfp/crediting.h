/* SPDX-License-Identifier: Apache-2.0 */
/* crediting.h - fresh sockets, and a credit for them */
#ifndef TESTS_IJBLFP_CREDITING_H
#define TESTS_IJBLFP_CREDITING_H

#include "host.h"

#define SPARES 3u

/* Makes a socket with the mark of instance @nn, for IPv4. */
int marked(int family, int type, const char *nn);

/* Makes a fresh socket. */
int fresh(void);

/* Returns true if the socket is bound to the name of a near end. */
bool has_name(int fd);

/* Asks for credit of SPARES, for a process that has made a call. Returns the file of the page. */
int credit_file(struct host *host);

/* Maps the page. */
struct lfp_credit *credit_map(int fd);

/* Number of fresh sockets that the program may make. */
unsigned int left_in(const struct lfp_credit *page);

/* Asks for credit and maps the page. */
struct lfp_credit *earn(struct host *host);

/* Asks for credit and maps the page; lfpd makes the sockets. */
struct lfp_credit *earn_all(struct host *host, struct got got[SPARES]);

unsigned int spares(const struct host *host);

/* Sends a call of bind() for @fd. */
int bind_send(struct host *host, int fd);

#endif
