/* SPDX-License-Identifier: Apache-2.0 */
/* ask.h - an answer of lfpd-admin, as it comes */
#ifndef VIA_ASK_H
#define VIA_ASK_H

#include <stdbool.h>

#include "via/instance.h"

#define VIA_ADMIN "/usr/sbin/lfpd-admin"

/* Asks an instance by lfpd-admin, as the instance's own user, so that its answers have lfpd-admin's
 * layout and no code of its reads them with more rights. */
struct via_ask {
	pid_t pid; /* 0: nothing is asked */
	struct via_watch output;
	struct via_lines lines;
	struct via_timer timer;
	bool over; /* the output has ended */
	int code;  /* exit code, once pid is 0 */
	void (*on_line)(void *data, const char *text, size_t len);
	void (*on_end)(void *data, int code);
	void *data;
};

/* Starts lfpd-admin with these words, NULL at their end, behind "-i NAME". 0 or a negative errno.
 */
int via_ask_start(struct via_ask *ask, const struct via_instance *inst, const char *const words[]);

/* Holds up the output while its reader cannot keep up. */
void via_ask_pause(struct via_ask *ask, bool paused);

/* Nobody wants the answer any more. */
void via_ask_drop(struct via_ask *ask);

/* Returns whether it is the process of an answer. */
bool via_ask_has(pid_t pid);

/* A process has ended. Returns false if it is none of these. */
bool via_ask_ended(pid_t pid, int status);

#endif
