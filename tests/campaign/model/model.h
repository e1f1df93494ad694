/* SPDX-License-Identifier: Apache-2.0 */
/* model.h - a socket, both daemons, and everything that can happen to the socket, in one thread
 *
 * Theory of operation
 *
 * The real code of both sides runs, each on a loop of its own. The model holds each packet between
 * them until a step delivers it. So a sequence of steps mixes calls of the program, acts of the
 * host, deliveries in both directions, and a restart of lfpd. After each step both loops run until
 * they have nothing left to do.
 *
 * The model tries each step from each state that it reaches. A state has the states of both sides,
 * the windows, the frames under way, and the result of poll(). At the end of each sequence the
 * model delivers everything under way and reads all data. Then both sides must agree about the
 * socket, no call may wait, and the received bytes must be the sent ones. Then the program closes
 * its socket. Neither side may keep anything of it, and the host may keep no connection.
 * assert-states.c compares each change of a state with the tables of lfpd/sock/states.c and
 * ijblfp/sock/states.c.
 */
#ifndef TESTS_CAMPAIGN_MODEL_MODEL_H
#define TESTS_CAMPAIGN_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINUX_VMID "LINLFP"
#define LINUX_NAME "LINR02"

enum { TEXT_MAX = 1024, FAULT_MAX = 256 };

/* A socket as one side sees it. */
struct view {
	bool exists;
	const char *state;
	bool is_new, is_established, is_over; /* at most one of them */
	bool out_ended, in_ended;             /* the two directions, seen from z/VSE */
	uint16_t epoch;
	uint64_t out, out_reported; /* bytes from z/VSE, and those that WINDOW has reported */
	uint64_t in, in_reported;
};

/* linux.c: lfpd. Directories are below @root. */
void linux_begin(const char *root);
void linux_end(void);
void linux_turn(void);
int linux_backend(void);
bool linux_is_busy(void);
/* Starts a suspension. When it ends, another lfpd resumes the session. */
void linux_suspend(void);
bool linux_is_suspending(void);
unsigned int linux_sockets(void);
/* Returns the number of frames that did not fit their socket. */
uint64_t linux_disagreements(void);
struct view linux_view(uint64_t id);
size_t linux_describe(char *out, size_t room);

/* vse.c: the LFP instance */
void vse_begin(const char *root);
void vse_end(void);
void vse_turn(void);
int vse_backend(void);
bool vse_is_busy(void);
bool vse_is_up(void);
unsigned int vse_sockets(void);
uint64_t vse_disagreements(void);
/* Do the work of two timers at once: look for lfpd, and for closed near ends. */
void vse_hurry(void);
void vse_sweep(void);
/* Returns the id of its only socket, or 0. */
uint64_t vse_only(void);
struct view vse_view(uint64_t id);
size_t vse_describe(char *out, size_t room);

/* between.c: the packets under way */
enum way { TO_LFPD, TO_VSE };
void between_begin(const char *root);
void between_end(void);
/* Takes the packets that both sides have sent. Returns true if there were any. */
bool between_turn(void);
bool between_has(enum way way);
/* Delivers the first packet, or the end of the path. */
void between_deliver(enum way way);
/* Paths that have ended so far, other than by a suspension. */
unsigned int between_ends(void);
size_t between_describe(char *out, size_t room);

/* steps.c: the program and the host */
enum step {
	STEP_CONNECT,
	STEP_CONNECT_WAITING, /* a blocking connect() */
	STEP_CONNECT_REFUSED,
	STEP_DISSOLVE,
	STEP_LISTEN,
	STEP_SHUT_RD,
	STEP_SHUT_WR,
	STEP_SHUT_RDWR,
	STEP_WRITE,
	STEP_READ,
	STEP_RENEW,
	STEP_GIVE,
	STEP_TAKE,
	STEP_CLOSE,
	STEP_HOST_SEND,
	STEP_HOST_READ,
	STEP_HOST_END, /* of its direction */
	STEP_HOST_CLOSE,
	STEP_HOST_RESET,
	STEP_TO_LFPD, /* a packet arrives */
	STEP_TO_VSE,
	STEP_SUSPEND,
	STEPS
};

extern const char *const step_names[STEPS];

/* The program, whose instance has its directories below @root, and the host. */
void parties_begin(const char *root);

/* A new socket of the program. */
void sequence_begin(void);

/* Returns false if the step makes no sense now. */
bool step_take(enum step step);

/* Writes the state as text. Equal states give equal text. */
void state_describe(char *out, size_t room);

/* Ends the sequence. Returns false if something is wrong, with the reason in @fault. */
bool sequence_end(char *fault, size_t room);

/* Runs both sides until nothing is left to do. */
void both_turn(void);

void die(const char *what) __attribute__((noreturn));

#endif
