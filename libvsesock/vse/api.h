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
 * The three interfaces (LE/C, EZA, SOCKET macro) are other names for the shim's calls, on near ends
 * that are real descriptors of the kernel. A program gets numbers of its own for them, from 0 on;
 * who works with a socket looks up its near end here and then calls the shim's function: from
 * inside of the library socket(), connect(), recv() are these.
 *
 * Each task has its own numbers, and each interface in it. With LFP$CIC=SHARE all tasks use those
 * of the process. To the LFP instance a CICS-style task proves itself with a key, which goes with
 * each control call that is made while the thread works for it.
 *
 * Errors are negative: Linux's errno, or those of errno.h.
 */

#define VSE_DESCRIPTORS 8192 /* 0 to 8191, as with z/VSE's own stack */

struct vse_slot {
	int fd; /* the near end; -1: free */
	bool given;
	int task; /* in a strict run: who made it */
};

struct vse_api {
	char nn[3]; /* its instance */
	int max;    /* descriptors are below it */
	int said;   /* what the program said it was, 0: nothing */
	int nr;     /* slots that there is memory for */
	struct vse_slot *slots;
	bool set_up; /* for INITAPI: was called */
	bool ended;  /* it is no task's any more: what is looked up is not there */
	int holds;   /* the task's, those of threads and jobs; the last one frees it */
};

/**
 * vse_api_get() - the interface as the calling thread's task uses it
 * @api:	set if the result is 0
 * @said:	what TCPNAME or ID says, two digits, or NULL; heeded in the task's first call alone
 *
 * From now on control calls of this thread are the task's. *@api stays until the thread asks for
 * another one of @interface, whoever ends the use of the interface.
 * Return: 0; -VSE_ELOAD: the system id that counts is none of LFP's; -VSE_ETRUE: a CICS-style task,
 * @interface is MUX_EZA and EZATRUE is not active; -ENETDOWN; -ENOMEM.
 */
int vse_api_get(struct vse_api **api, enum mux_interface interface, const char *said);

/* The same if the task has used the interface before, else NULL. */
struct vse_api *vse_api_find(enum mux_interface interface);

/* It stays until it is dropped. */
void vse_api_hold(struct vse_api *api);
void vse_api_drop(struct vse_api *api);

struct vse_task;

/* Ends the task's use of an interface: other threads no longer find it. The caller, which has the
 * task's hold, ends it by vse_api_close(). NULL: the task did not use it. */
struct vse_api *vse_api_detach(struct vse_task *task, enum mux_interface interface);

/* Closes all near ends, and drops the hold. */
void vse_api_close(struct vse_api *api);

/* Descriptors are from now on below @max, which is cut to 1 to VSE_DESCRIPTORS; returns it. */
int vse_api_max(struct vse_api *api, int max);

/* The near end behind a descriptor; -EBADF if there is none, or it was given. */
int vse_fd(struct vse_api *api, int s);

/* Give a near end the lowest free number, or @wanted if that is not -1. -EMFILE (then it is
 * closed), -EEXIST. */
int vse_add(struct vse_api *api, int fd, int wanted);

/* Take a number away; its near end, which is the caller's now, or -EBADF. @given is set if it was.
 */
int vse_remove(struct vse_api *api, int s, bool *given);

/* Number it otherwise. 0; -EBADF; -EEXIST: there is one of that number; -EMFILE, -ENOMEM. */
int vse_move(struct vse_api *api, int s, int to);

/* It has another near end from now on; the one before, which is the caller's, or -EBADF. */
int vse_swap(struct vse_api *api, int s, int fd);

/* It was given: of its near end, whichever state it is in, or -EBADF. */
int vse_set_given(struct vse_api *api, int s, bool given);
int vse_fd_given(struct vse_api *api, int s, bool *given);

#endif
