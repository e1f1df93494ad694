/* SPDX-License-Identifier: Apache-2.0 */
/* perform.h - one process of an executor: its sockets, and its calls */
#ifndef TESTS_CAMPAIGN_ORACLE_PERFORM_H
#define TESTS_CAMPAIGN_ORACLE_PERFORM_H

#include <sys/un.h>

#include "tests/campaign/oracle/oracle.h"

enum { PORTS = 64 };

/* A port of the host that a sequence has used. */
struct port {
	in_port_t number;  /* network byte order */
	bool own, udp, v6; /* own: a socket of the sequence has it */
};

/* Shared by the processes of a sequence. */
struct common {
	struct op op;             /* to do, or done last */
	struct port ports[PORTS]; /* in the order of their first use, which names them */
	unsigned int nr_ports;
	in_port_t port_of[2][SLOTS]; /* of the socket in a slot, 0: not known */
	char kind[2][SLOTS][8];      /* "tcp4" ..., of a slot */
	uint8_t id[2][SLOTS];        /* of the socket in a slot, from 1: copies have the same */
	uint8_t nr_ids;
	/* By id: was it shut down for reading, or at all; has it listened; was its connection
	 * dissolved; has it or its listener got a mark (SO_RCVLOWAT) as a listener? */
	bool shut[256], shaken[256], listens[256], dissolved[256], marked[256];
	char result[2][ENTRY / 2]; /* of a process's last call */
	char state[2][ENTRY / 2];  /* lines */
	int pass[2];               /* a pair of UNIX sockets for descriptors, one end each */
};
extern struct common *common;

/* This process: 0, or 1 for the child. */
extern unsigned int me;
extern int fds[SLOTS + SETS]; /* -1: none */

void perform_begin(void);

/* Makes the call and writes the result to common->result. */
void perform(const struct op *op);

/* Appends to the result. */
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Appends a result that is a number, or errno's name. Returns whether the call succeeded. */
bool tell_result(long rc);

/* polls.c */
void polls_poll(const struct op *op);
void polls_select(void);
void polls_epoll_ctl(const struct op *op);
void polls_epoll_wait(const struct op *op);

/* Takes the descriptor that the other process has sent. */
void perform_take(const struct op *op);

/* Closes all of this process's sockets. */
void perform_end(void);

/* state.c: describes the socket in a slot as far as the calls so far tell: "(tcp4 listener shut)".
 * The list of differences uses it. */
const char *state_history(unsigned int process, unsigned int slot);

/* Writes the state of this process's sockets to common->state. */
void state_tell(void);

/* Writes a line with the host's sockets that have ports of the sequence. @diag: a netlink socket
 * of the host's network. */
void state_host(int diag, char *text, size_t room);

/* address.c: Fills in the address of a call. Returns its length. */
socklen_t address_of(const struct op *op, struct sockaddr_storage *addr);

/* As text, with the port's name. */
const char *address_text(const struct sockaddr_storage *addr, socklen_t len);

/* Learns the port of the socket in a slot. */
void address_learn(unsigned int slot);

#endif
