/* SPDX-License-Identifier: Apache-2.0 */
/* api.h - a z/VSE socket interface as one task uses it: its instance and its descriptors */
#ifndef VSESOCK_VSE_API_H
#define VSESOCK_VSE_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lfp/ctl.h"
#include "libvsesock/mux/choose.h"
#include "libvsesock/vse/errno.h"

/*
 * Theory of operation
 *
 * The three interfaces (LE/C, EZA, SOCKET macro) are other names for the shim's calls. A socket is
 * a near end, which is a real descriptor of the kernel. A program sees numbers of its own, from 0
 * on. A function looks up the near end here and then calls the shim's function: inside the library
 * socket(), connect() and recv() are the shim's.
 *
 * Each task has its own numbers for each interface. With LFP$CIC=SHARE all tasks use those of the
 * process. A CICS-style task proves its identity to the LFP instance with a key. Each control call
 * that a thread makes for the task carries this key.
 *
 * Errors are negative: Linux's errno, or those of errno.h.
 */

#define VSE_DESCRIPTORS 8192 /* 0 to 8191, as with z/VSE's own stack */

/* The size of a buffer as the program has set it. Linux returns another one. */
struct vse_size {
	bool set;
	int value;
};

/* Remembered of a socket, where the kernel's answer would differ from z/VSE's. All 0 at first. */
struct vse_past {
	bool connecting; /* a CONNECT did not wait for its end, and no later one has */
	bool connected;  /* it was connected once */
	struct vse_size sndbuf, rcvbuf;
};

struct vse_slot {
	int fd; /* the near end; -1: the slot is free */
	bool given;
	struct vse_past past;
	int task; /* in a strict run: the task that made it */
};

struct vse_api {
	char nn[3]; /* the LFP instance */
	int max;    /* upper limit: descriptors are below it */
	int said;   /* the limit that the program named; 0: none */
	int nr;     /* number of allocated slots */
	struct vse_slot *slots;
	bool set_up; /* INITAPI was called */
	bool ended;  /* no task uses it any longer: lookups fail */
	int holds;   /* references of the task, of threads and of jobs; the last one frees it */
};

/**
 * vse_api_get() - get the interface for the calling thread's task
 * @api:	set if the result is 0
 * @said:	two digits from TCPNAME or ID, or NULL; used in the task's first call only
 *
 * Control calls of this thread are then the task's. *@api stays valid until the thread asks for
 * another one of @interface, even if another thread ends the use of the interface.
 * Return: 0; -VSE_ELOAD: the chosen system id does not lead to LFP; -VSE_ETRUE: a CICS-style task
 * uses MUX_EZA while EZATRUE is inactive; -ENETDOWN; -ENOMEM.
 */
int vse_api_get(struct vse_api **api, enum mux_interface interface, const char *said);

/* Returns the interface if the task has used it before, else NULL. */
struct vse_api *vse_api_find(enum mux_interface interface);

/* Takes and gives back a reference. */
void vse_api_hold(struct vse_api *api);
void vse_api_drop(struct vse_api *api);

struct vse_task;

/* Ends the task's use of an interface: other threads no longer find it. The caller, which has the
 * task's hold, ends it by vse_api_close(). NULL: the task did not use it. */
struct vse_api *vse_api_detach(struct vse_task *task, enum mux_interface interface);

/* Closes all near ends, and drops the hold. */
void vse_api_close(struct vse_api *api);

/* Limits descriptors to those below @max, which is cut to 1 to VSE_DESCRIPTORS. Returns the limit.
 */
int vse_api_max(struct vse_api *api, int max);

/* Returns the near end of a descriptor; -EBADF: unknown, or it was given. */
int vse_fd(struct vse_api *api, int s);

/* Gives a near end the lowest free number, or @wanted unless that is -1. Returns the number;
 * -EMFILE or -EEXIST, and the near end is closed. */
int vse_add(struct vse_api *api, int fd, int wanted);

/* Frees a number. Returns its near end, which then belongs to the caller, or -EBADF. @given says
 * whether the socket was given. */
int vse_remove(struct vse_api *api, int s, bool *given);

/* Changes the number of a socket. Returns 0; -EBADF; -EEXIST: the new number is used; -EMFILE;
 * -ENOMEM. */
int vse_move(struct vse_api *api, int s, int to);

/* Replaces the near end. Returns the previous one, which then belongs to the caller, or -EBADF. */
int vse_swap(struct vse_api *api, int s, int fd);

/* Notes whether the socket was given; returns the near end of any descriptor, given or not. -EBADF.
 */
int vse_set_given(struct vse_api *api, int s, bool given);
int vse_fd_given(struct vse_api *api, int s, bool *given);

/* Gets what is remembered of a socket, 0 for an unknown descriptor and without @api, which another
 * thread may have ended; and notes it. */
struct vse_past vse_past(struct vse_api *api, int s);
void vse_note_past(struct vse_api *api, int s, const struct vse_past *past);

#endif
