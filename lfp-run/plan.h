/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - the program, and how it gets its sockets: by the library, the seccomp tier, or both */
#ifndef LFP_RUN_PLAN_H
#define LFP_RUN_PLAN_H

#include <limits.h>
#include <stdbool.h>

#include "lfp-run/program.h"
#include "lfp-run/tier.h"

/* Exit codes of shells. */
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND      127

/* How the program gets its sockets. */
enum mode {
	MODE_DEFAULT, /* both where the kernel can */
	MODE_PRELOAD,
	MODE_SECCOMP,
	MODE_BOTH,
};

struct plan {
	enum mode mode;
	char nn[3];
	char path[PATH_MAX];
	char shim[PATH_MAX];
	char first[NEEDED_NAME]; /* the library that must be loaded before the shim, or "" */
	bool preload, seccomp;
	bool resolves;       /* the program looks names up itself */
	bool no_unix;        /* UNIX sockets with a path are closed */
	bool strict_eof;     /* no seccomp tier that shows a reset as an end of file */
	struct tier tier;    /* with seccomp */
	const char *missing; /* why there is no seccomp, NULL if it is not wanted */
};

/* Returns 0, or -EINVAL if there is no such mode. */
int plan_parse_mode(enum mode *mode, const char *text);

/* All others return 0, or an exit code (lfp/exit.h or one of a shell) after a message. */

/* Looks for the program as a shell does. */
int plan_find_program(char path[static PATH_MAX], const char *name);

/* The same, and chooses the ways that serve it. Refuses a program that none of them serves. */
int plan_check_program(struct plan *plan, const char *name);

/* Finds the library, if the plan has it. */
int plan_check_shim(struct plan *plan);

/* Sets the environment of the program. */
int plan_set_environment(const struct plan *plan);

/* Starts the supervisor, if the plan has it. Only execve() may follow. */
int plan_start_tier(struct plan *plan, const char *name);

#endif
