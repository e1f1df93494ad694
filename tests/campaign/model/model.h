/* SPDX-License-Identifier: Apache-2.0 */
/* model.h - one socket, with both daemons and everything that can happen to it in one thread
 *
 * Theory of operation
 *
 * The real code of both sides runs, each on a loop of its own, and the model holds each packet
 * between them until a step delivers it. So a sequence of steps is a crossing: of calls of the
 * program, of acts of the host, of deliveries in both directions, and of a restart of lfpd. After
 * each step both loops run until nothing is left to do for them.
 *
 * From each state that is reached (the states of both sides, the windows, the frames under way,
 * what poll() says) each step is tried. At the end of each sequence everything under way is
 * delivered, and all data is read. Then both sides must agree about the socket, no call may wait,
 * and the bytes that came are those that were sent. Then the program closes its socket, and nothing
 * of it may be left on either side, nor a connection of the host. assert-states.c compares each
 * change of a state with the tables of lfpd/sock/states.c and ijblfp/sock/states.c.
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
/* Starts a suspension; at its end another lfpd goes on. */
void linux_suspend(void);
bool linux_is_suspending(void);
unsigned int linux_sockets(void);
/* Frames that did not fit their socket. */
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
/* Do at once what a timer would do soon: look for lfpd, and for near ends that are closed. */
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
/* Takes what both sides have sent. Returns whether there was something. */
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

/* Text that is the same for the same state. */
void state_describe(char *out, size_t room);

/* Ends the sequence. Returns false with what is wrong. */
bool sequence_end(char *fault, size_t room);

/* Runs both sides until nothing is left to do. */
void both_turn(void);

void die(const char *what) __attribute__((noreturn));

#endif
