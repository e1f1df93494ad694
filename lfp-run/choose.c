/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - the LFP instance, or the other stack, that a program uses */
#include "lfp-run/choose.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfp-run/environment.h"
#include "lfp-run/running.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/places.h"

/* Asks mux.conf for the stack, if the system id belongs to another stack than LFP. Returns 0, or
 * the exit code. */
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

/* "5" is "05". */
static void take_given(struct mux_lec *lec, const char *given)
{
	bool digit = given[0] >= '0' && given[0] <= '9' && !given[1];

	snprintf(lec->sysid, sizeof(lec->sysid), "%s%s", digit ? "0" : "", given);
	lec->phase = lfp_check_nn(lec->sysid) < 0 ? MUX_NO_ENTRY : mux_ask_phase(lec->sysid);
}

/* Returns true if instance 00 answers, the default when nothing names one. */
static bool default_runs(const struct mux_lec *lec)
{
	char path[LFP_PLACE_MAX];
	int rc = lfp_place_vse(path, lec->sysid, "ctl");

	if (rc < 0)
		return true; /* check_instance() reports this error */
	rc = instance_ping(path, 1);
	return rc != -ENOENT && rc != -ECONNREFUSED;
}

/* The user's own first, by their names. */
static int compare(const void *a, const void *b)
{
	const struct running *left = a, *right = b;

	return left->is_system != right->is_system ? left->is_system - right->is_system
						   : strcmp(left->nn, right->nn);
}

/* Reports the names of the instances, because several run. */
static int refuse_several(struct running *found, size_t nr)
{
	char list[RUNNING_MAX * (sizeof("NN (the system's), "))];
	size_t used = 0;

	qsort(found, nr, sizeof(*found), compare);
	for (size_t i = 0; i < nr; i++)
		used += (size_t)sprintf(list + used, "%s%s%s", i ? ", " : "", found[i].nn,
					found[i].is_system ? " (the system's)" : "");
	lfp_msg("VLFB735E", "Several LFP instances are running: %s. Choose one with -i NN%s.", list,
		found[nr - 1].is_system ? ", and set LFP_ROOT=/ for one of the system's" : "");
	return LFP_EXIT_UNAVAILABLE;
}

/* Takes the only running instance. Nothing has named one, and 00 does not run. */
static int take_running(struct mux_lec *lec)
{
	struct running found[RUNNING_MAX];
	size_t nr = running_find(found);

	if (nr > 1)
		return refuse_several(found, nr);
	if (nr == 0) {
		lfp_msg("VLFB736E",
			"No LFP instance is running. lfp-run --private PROGRAM starts one for "
			"PROGRAM alone.");
		return LFP_EXIT_UNAVAILABLE;
	}
	if (found[0].is_system && setenv("LFP_ROOT", "/", 1) < 0) {
		lfp_msg("VLFB708E", "Cannot set the environment of %s: %s.", "the program",
			strerror(errno));
		return LFP_EXIT_UNAVAILABLE;
	}
	take_given(lec, found[0].nn);
	return 0;
}

int choose_instance(struct mux_lec *lec, const char *given, enum mux_stack *stack)
{
	char run[LFP_PLACE_MAX] = "";
	int rc = 0;

	*stack = MUX_STACK_NONE;
	if (given)
		take_given(lec, given);
	else
		mux_ask_lec(lec, lfp_place_run_dir(run) < 0 ? "" : run);
	if (lfp_check_nn(lec->sysid) < 0) {
		lfp_msg("VLFB700E", "The name of an LFP instance is two digits, not \"%s\".",
			given ? given : lec->sysid);
		return LFP_EXIT_USAGE;
	}
	if (!given && lec->source == MUX_DEFAULT && lec->phase == MUX_LFP &&
	    !mux_stack_place(lec->sysid) && !default_runs(lec))
		rc = take_running(lec);
	if (!rc)
		rc = choose_stack(lec, stack);
	if (rc || *stack != MUX_STACK_NONE || lec->phase == MUX_LFP)
		return rc;
	lfp_msg("VLFB724E", "System id %s (%s) is not an LFP instance: %s.", lec->sysid,
		given ? "-i" : mux_source_name(lec->source), mux_phase_trouble(lec->phase));
	return LFP_EXIT_UNAVAILABLE;
}
