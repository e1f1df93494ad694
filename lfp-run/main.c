/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - lfp-run: start a program whose Internet sockets are those of an LFP instance */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/options.h"
#include "lfp/places.h"
#include "lfp-run/environment.h"
#include "lfp-run/partition.h"
#include "lfp-run/program.h"
#include "lfp-run/tier.h"
#include "libvsesock/mux/files.h"
#include "libvsesock/mux/lec.h"

#define PING_SECONDS 10
/* lfpd may be restarting. */
#define PATH_TRIES    20
#define PATH_PAUSE_MS 50

/* Exit codes of shells. */
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND      127

static void usage(FILE *to)
{
	fputs("usage: lfp-run [-i NN] [--mode=MODE] [--strict-eof] [-v] [--] PROGRAM [ARGUMENT...]\n"
	      "Start PROGRAM with the sockets of LFP instance NN.\n"
	      "  -i NN          the instance, two digits; default LFP$ID, LFP_ID, SYSID, SYSPARM, "
	      "00\n"
	      "  --mode=MODE    preload: a library; seccomp: a supervisor, for static programs "
	      "too;\n"
	      "                 both: the library, and the supervisor for calls that bypass it;\n"
	      "                 default both where the kernel can, else preload\n"
	      "  --strict-eof   refuse a supervisor that cannot show the reset of a connection to\n"
	      "                 programs without the library\n"
	      "  -v             show the program that is started\n"
	      "  -V, --version  print the version\n"
	      "  -h, --help     print this\n",
	      to);
}

/* Returns 0, or the exit code after a message. */
static int check_instance(const char *nn)
{
	char path[LFP_PLACE_MAX];
	int rc = lfp_place_vse(path, nn, "ctl");

	if (mux_stack_place(nn)) /* it was just started */
		return 0;

	if (rc < 0) {
		lfp_msg("VLFB701E",
			"The path of the control socket of LFP instance %s, %s, is invalid: %s.",
			nn, path, lfp_place_strerror(rc));
		return LFP_EXIT_UNAVAILABLE;
	}
	for (int tries = 0;
	     (rc = instance_ping(path, PING_SECONDS)) == ENETDOWN && tries < PATH_TRIES; tries++)
		(void)poll(NULL, 0, PATH_PAUSE_MS);
	if (rc == 0)
		return 0;
	if (rc == -ENOENT || rc == -ECONNREFUSED)
		lfp_msg("VLFB702E", "LFP instance %s is not started: no answer at %s.", nn, path);
	else if (rc < 0)
		lfp_msg("VLFB703E", "Cannot ask LFP instance %s at %s: %s.", nn, path,
			lfp_place_strerror(rc));
	else if (rc == ENETDOWN)
		lfp_msg("VLFB704E", "LFP instance %s has no path to its lfpd.", nn);
	else if (rc == ESHUTDOWN)
		lfp_msg("VLFB725E", "LFP instance %s is being stopped, and starts no new tasks.",
			nn);
	else
		lfp_msg("VLFB705E", "LFP instance %s is not ready: %s.", nn, strerror(rc));
	return LFP_EXIT_UNAVAILABLE;
}

/* For a system id of another stack: asks mux.conf for it. Returns 0, or the exit code. */
static int choose_stack(const struct mux_lec *lec, enum mux_stack *stack)
{
	char path[LFP_PLACE_MAX];
	unsigned int line;

	if (!mux_is_other_stack(lec->phase))
		return 0;
	*stack = mux_ask_stack(lec->phase, path, sizeof(path), &line);
	if (*stack != MUX_STACK_BAD)
		return 0;
	lfp_msg("VLFB726E",
		"%s:%u: only HOST_SOCKETS = yes or no, and $EDTCPV or BSTTTCP6 = host, stack or "
		"none are allowed here.",
		path, line);
	return LFP_EXIT_CONFIG;
}

/* Chooses the instance, or the stack: @nn of the command line, else as for an LE/C program. Returns
 * 0, or the exit code. */
static int choose_instance(struct mux_lec *lec, const char *nn, enum mux_stack *stack)
{
	int rc;

	char run[LFP_PLACE_MAX] = "";

	if (nn) {
		snprintf(lec->sysid, sizeof(lec->sysid), "%s", nn);
		lec->phase = lfp_check_nn(nn) < 0 ? MUX_NO_ENTRY : mux_ask_phase(nn);
	} else {
		mux_ask_lec(lec, lfp_place_run_dir(run) < 0 ? "" : run);
	}
	if (lfp_check_nn(lec->sysid) < 0) {
		lfp_msg("VLFB700E", "An LFP instance is two digits, not \"%s\".",
			nn ? nn : lec->sysid);
		return LFP_EXIT_USAGE;
	}
	rc = choose_stack(lec, stack);
	if (rc || *stack != MUX_STACK_NONE || lec->phase == MUX_LFP)
		return rc;
	lfp_msg("VLFB724E", "System id %s (%s) is not an LFP instance: %s.", lec->sysid,
		nn ? "-i" : mux_source_name(lec->source), mux_phase_trouble(lec->phase));
	return LFP_EXIT_UNAVAILABLE;
}

/* How the program gets its sockets. */
enum mode {
	MODE_DEFAULT, /* both where the kernel can */
	MODE_PRELOAD,
	MODE_SECCOMP,
	MODE_BOTH,
};

static const char *const mode_names[] = {
	[MODE_PRELOAD] = "preload",
	[MODE_SECCOMP] = "seccomp",
	[MODE_BOTH] = "both",
};

struct plan {
	enum mode mode;
	char nn[3];
	char path[PATH_MAX];
	char shim[PATH_MAX];
	char first[NEEDED_NAME]; /* the library that must be loaded before the shim, or "" */
	bool preload, seccomp;
	bool strict_eof;     /* no seccomp tier that shows a reset as an end of file */
	struct tier tier;    /* with seccomp */
	const char *missing; /* why there is no seccomp, NULL if it is not wanted */
};

static int parse_mode(enum mode *mode, const char *text)
{
	for (size_t i = MODE_PRELOAD; i < sizeof(mode_names) / sizeof(mode_names[0]); i++) {
		if (strcmp(text, mode_names[i]) == 0) {
			*mode = (enum mode)i;
			return 0;
		}
	}
	return -EINVAL;
}

/* The seccomp tier is not possible: fails if it was asked for. */
static int go_without(struct plan *plan)
{
	plan->seccomp = false;
	if (plan->mode == MODE_DEFAULT) {
		lfp_msg("VLFB719I", "The seccomp tier is unavailable: %s.", plan->missing);
		return 0;
	}
	lfp_msg("VLFB717E", "--mode=%s is unavailable: %s.", mode_names[plan->mode], plan->missing);
	return LFP_EXIT_UNAVAILABLE;
}

static int choose_tiers(struct plan *plan)
{
	plan->preload = plan->mode != MODE_SECCOMP;
	plan->seccomp = plan->mode != MODE_PRELOAD;
	if (!plan->seccomp)
		return 0;
	plan->missing = tier_find(&plan->tier, plan->nn);
	return plan->missing ? go_without(plan) : 0;
}

static int refuse_static(const struct plan *plan, const char *path)
{
	lfp_msg("VLFB712E", "%s is linked statically and needs --mode=seccomp%s%s.", path,
		plan->missing ? ", which is unavailable: " : "",
		plan->missing ? plan->missing : "");
	return LFP_EXIT_UNAVAILABLE;
}

/* Checks a program that gets another user or more rights by its file. */
static int check_rights(const struct plan *plan, const char *path, enum program_fault fault)
{
	if (plan->seccomp && plan->tier.no_new_privs) {
		lfp_msg("VLFB718E",
			"%s %s: the seccomp tier needs CAP_SYS_ADMIN for that. --mode=preload "
			"does not need it, but cannot run this program.",
			path,
			fault == PROGRAM_SETID ? "changes its user or group"
					       : "has file capabilities");
		return LFP_EXIT_UNAVAILABLE;
	}
	if (plan->seccomp)
		return 0;
	if (fault == PROGRAM_SETID)
		lfp_msg("VLFB713E", "%s changes its user or group, and would not use LFP.", path);
	else
		lfp_msg("VLFB714E", "%s has file capabilities, and would not use LFP.", path);
	return LFP_EXIT_UNAVAILABLE;
}

/* An address sanitizer in a shared library must be loaded first. Programs that such a program
 * starts should not get the sanitizer. So with a supervisor there is no library, and without one
 * the sanitizer goes before the shim. */
static void make_room_for_sanitizer(struct plan *plan, const char *path)
{
	if (!needed_first(path, plan->first))
		*plan->first = '\0';
	else if (plan->seccomp)
		plan->preload = false;
}

static int check_program(struct plan *plan, const char *name)
{
	char at_fault[PATH_MAX];
	enum program_fault fault;
	int rc = program_find(plan->path, name);

	if (rc == -ENOENT || rc == -ENOTDIR) {
		lfp_msg("VLFB710E", "Program %s was not found.", name);
		return EXIT_NOT_FOUND;
	}
	if (rc < 0) {
		lfp_msg("VLFB711E", "Program %s cannot be executed: %s.", name, strerror(-rc));
		return EXIT_NOT_EXECUTABLE;
	}
	rc = choose_tiers(plan);
	if (rc)
		return rc;
	snprintf(at_fault, sizeof(at_fault), "%s", plan->path);
	fault = program_judge(at_fault);
	switch (fault) {
	case PROGRAM_FINE:
		make_room_for_sanitizer(plan, at_fault);
		return 0;
	case PROGRAM_STATIC:
		return plan->seccomp ? 0 : refuse_static(plan, at_fault);
	case PROGRAM_SETID:
	case PROGRAM_CAPABLE:
		return check_rights(plan, at_fault, fault);
	case PROGRAM_OTHER_LIBC:
		/* Its dynamic linker cannot load the shim. */
		plan->preload = false;
		if (plan->seccomp)
			return 0;
		break;
	case PROGRAM_FOREIGN:
		break;
	}
	lfp_msg("VLFB715E",
		"%s is for another machine or C library than " SHIM ", and would not use LFP.",
		at_fault);
	return LFP_EXIT_UNAVAILABLE;
}

static int check_shim(struct plan *plan)
{
	int rc;

	if (!plan->preload)
		return 0;
	rc = environment_find_shim(plan->shim);
	if (rc < 0) {
		lfp_msg("VLFB706E",
			SHIM " is neither in ../lib beside lfp-run nor in " VSELFPD_LIBDIR ": %s.",
			strerror(-rc));
		return LFP_EXIT_UNAVAILABLE;
	}
	if (strpbrk(plan->shim, ": ")) {
		lfp_msg("VLFB707E",
			"%s cannot be preloaded, because its path has a blank or a colon.",
			plan->shim);
		return LFP_EXIT_UNAVAILABLE;
	}
	return 0;
}

static int set_environment(const struct plan *plan)
{
	int rc = plan->preload ? environment_preload(plan->shim, plan->first)
			       : environment_no_preload();

	if (!rc)
		rc = environment_cookie(plan->preload && plan->seccomp ? plan->tier.cookie : 0);
	if (!rc)
		rc = environment_places(plan->nn);
	if (!rc)
		return 0;
	lfp_msg("VLFB708E", "Cannot set the environment of %s: %s.", plan->path, strerror(-rc));
	return LFP_EXIT_UNAVAILABLE;
}

static int start_tier(struct plan *plan, const char *name)
{
	int rc;

	if (!plan->seccomp)
		return 0;
	plan->missing = tier_start(&plan->tier, plan->preload, plan->strict_eof);
	if (!plan->missing)
		return 0;
	if (plan->strict_eof && !plan->tier.installed) {
		lfp_msg("VLFB731E", "--strict-eof is unavailable: %s.", plan->missing);
		return LFP_EXIT_UNAVAILABLE;
	}
	if (plan->tier.installed) {
		lfp_msg("VLFB720E", "The supervisor does not serve: %s.", plan->missing);
		return LFP_EXIT_UNAVAILABLE;
	}
	rc = go_without(plan);
	if (rc)
		return rc;
	/* Calls that only this tier could serve are now refused. */
	plan->mode = MODE_PRELOAD;
	rc = check_program(plan, name);
	return rc ? rc : set_environment(plan);
}

/* Becomes the program. */
static int execute(const char *path, char **argv)
{
	int rc;

	execvp(path, argv);
	rc = errno;
	lfp_msg("VLFB716E", "Program %s cannot be started: %s.", path, strerror(rc));
	return rc == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* The program's own calls go to this machine's kernel. Its calls of z/VSE's interfaces, if it has
 * any, find the partition's stack. */
static int start_on_host(const struct mux_lec *lec, char **argv)
{
	char why[PATH_MAX];
	int rc = environment_no_preload();

	if (!rc)
		rc = environment_places(lec->sysid);
	if (rc) {
		lfp_msg("VLFB708E", "Cannot set the environment of %s: %s.", *argv, strerror(-rc));
		return LFP_EXIT_UNAVAILABLE;
	}
	if (partition_start(lec->sysid, MUX_STACK_HOST, why))
		lfp_msg("VLFB732W",
			"z/VSE's socket interfaces are unavailable with system id %s: %s.",
			lec->sysid, why);
	lfp_msg("VLFB727I", "System id %s belongs to another stack: %s uses the host's sockets.",
		lec->sysid, *argv);
	return execute(*argv, argv);
}

/* Starts the stack of the program's own partition. Returns 0, or the exit code. */
static int start_stack(const char *nn)
{
	char why[PATH_MAX];

	if (!partition_start(nn, MUX_STACK_OWN, why))
		return 0;
	lfp_msg("VLFB733E", "The TCP/IP stack of system id %s does not start: %s.", nn, why);
	return LFP_EXIT_UNAVAILABLE;
}

static int start(struct plan *plan, char **argv)
{
	int rc = check_program(plan, *argv);

	if (!rc)
		rc = check_shim(plan);
	if (!rc)
		rc = check_instance(plan->nn);
	if (!rc)
		rc = set_environment(plan);
	if (rc)
		return rc;
	lfp_msg("VLFB709I", "Starting %s on LFP instance %s with %s%s%s.", plan->path, plan->nn,
		plan->preload ? plan->shim : "", plan->preload && plan->seccomp ? " and " : "",
		plan->seccomp ? "the seccomp tier" : "");
	rc = start_tier(plan, *argv);
	if (rc)
		return rc;
	return execute(plan->path, argv);
}

int main(int argc, char **argv)
{
	struct plan plan = {.mode = MODE_DEFAULT};
	struct mux_lec lec;
	const char *nn = NULL, *mode = NULL;
	enum mux_stack stack = MUX_STACK_NONE;
	bool verbose = false;
	const struct lfp_option table[] = {
		{NULL, 'i', NULL, &nn},
		{"mode", 0, NULL, &mode},
		{"strict-eof", 0, &plan.strict_eof, NULL},
		{NULL, 'v', &verbose, NULL},
	};
	const struct lfp_options options = {
		.program = "lfp-run",
		.usage = usage,
		.table = table,
		.nr = sizeof(table) / sizeof(table[0]),
		.operands_end = true,
	};
	int rc = lfp_options_read(&options, argc, argv);

	if (rc >= 0)
		return rc;
	if (mode && parse_mode(&plan.mode, mode) < 0) {
		fprintf(stderr, "lfp-run: unknown mode \"%s\"\n", mode);
		usage(stderr);
		return LFP_EXIT_USAGE;
	}
	if (optind >= argc) {
		fputs("lfp-run: no program given\n", stderr);
		usage(stderr);
		return LFP_EXIT_USAGE;
	}
	lfp_log_set_info(verbose);

	rc = choose_instance(&lec, nn, &stack);
	if (rc)
		return rc;
	if (stack == MUX_STACK_HOST)
		return start_on_host(&lec, argv + optind);
	memcpy(plan.nn, lec.sysid, sizeof(plan.nn)); /* the environment is changed below */
	if (stack == MUX_STACK_OWN)
		rc = start_stack(plan.nn);
	else if (mux_stack_place(plan.nn))
		rc = -unsetenv(MUX_STACK_VARIABLE); /* another table was in force around us */
	if (rc)
		return rc;
	return start(&plan, argv + optind);
}
