/* SPDX-License-Identifier: Apache-2.0 */
/* machines.h - sockets of a program and of the host, driven at random through their states
 *
 * Theory of operation
 *
 * One process plays all parties: a program, which sends requests on the control channel itself, and
 * makes raw calls on the near ends that it gets; and hosts, which connect to it, accept it, reset,
 * half-close, stop reading, send urgent data. No call waits, and a request may stay unanswered. So
 * a sequence is a list of steps, which depend on the seed and on what came before.
 *
 * A bystander's stream is used after each sequence: its bytes come back within 2 s. Time in which
 * a daemon was ready to run and other programs had the processors does not count (held-up.c).
 * test-machines.sh checks that the path is never lost, and that all counters return to zero.
 */
#ifndef TESTS_CAMPAIGN_MACHINES_MACHINES_H
#define TESTS_CAMPAIGN_MACHINES_MACHINES_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lfp/ctl.h"

enum { NEAR_ENDS = 10, CONNS = 8, PARKED = 3, HOSTS = 8, LONGEST_MS = 2000 };

/* All that a sequence has. -1: none. */
struct world {
	uint64_t random;
	const uint8_t *data; /* if not NULL, chance comes from here, and is 0 at its end */
	size_t left;
	const char *ctl_path;
	int near[NEAR_ENDS]; /* of the program */
	int conns[CONNS];    /* with requests whose answers are still to come */
	int parked[PARKED];
	bool busy[PARKED];       /* a direct request has no answer yet */
	int listener;            /* the host's */
	int hosts[HOSTS];        /* connections of the host */
	bool deaf[HOSTS];        /* it reads no more */
	struct sockaddr_in host; /* the listener's address */
	unsigned long steps, answers, good;
	bool tells; /* print each step */
};

unsigned int pick(struct world *w, unsigned int of);

/* Prints a step, if wanted. */
void told(struct world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns a slot with a descriptor if chance finds one, else any slot. */
unsigned int some(struct world *w, const int *fds, unsigned int nr);

/* Puts a descriptor into a slot, whose old one is closed. */
void put(int *slot, int fd);

/* Begins without sockets, but with the host's listener. */
void world_begin(struct world *w);

/* One step: a request, a raw call, or an act of a host. */
void world_step(struct world *w);

/* Closes all that a sequence has. */
void world_empty(struct world *w);

/* Waits until there is something to read, at most LONGEST_MS of time that counts. Returns poll()'s
 * result. */
int wait_readable(int fd);

/* How many ms of its last call counted, if it has waited in vain. */
int64_t wait_counted(void);

/* held-up.c: of this process and up to three others, whose process ids are in a list with spaces or
 * NULL */
void held_up_watch(const char *pids);

/* For how many ms so far the threads of these processes, added up, were ready to run and had no
 * processor. 0 where the kernel does not count it. */
int64_t held_up_ms(void);

/* A listener of the host. Ends the process if there is none. */
int host_listen(struct sockaddr_in *addr);

/* bystander.c: a stream that nobody troubles: its near end, and the host's end. */
struct bystander {
	int near, host;
};
void bystander_begin(const struct world *w, struct bystander *b);

/* Do bytes pass in both directions, within LONGEST_MS? */
bool bystander_is_well(const struct bystander *b, uint64_t nr);

/* request.c: one request, right or wrong, in one of the ways to the instance */
void step_request(struct world *w);

/* Takes the answers that have come, and the near ends in them. */
void take_answers(struct world *w);

/* Connects to the control channel. Returns the descriptor, or -1. */
int ctl_connect(const struct world *w);

/* Makes a request and waits for its answer, at most LONGEST_MS. @fd: goes with it, or -1. @got: the
 * descriptor that came back, if it is not NULL. Returns the error of the answer, or -1. */
int ctl_ask(const struct world *w, struct lfp_ctl_request *request, int fd, int *got);

/* Asks for the port of a near end's socket, in network byte order; 0 if it has none. */
in_port_t ctl_port(const struct world *w, int near);

/* Copies an address into a request. */
void ctl_address(struct lfp_ctl_request *request, const struct sockaddr_in *addr);

/* near.c: a raw call on a near end */
void step_near(struct world *w);

/* host.c: something that hosts do */
void step_host(struct world *w);

#endif
