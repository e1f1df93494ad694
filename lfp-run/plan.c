/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - the program, and how it gets its sockets: by the library, the seccomp tier, or both */
#include "lfp-run/plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp-run/environment.h"

static const char *const mode_names[] = {
	[MODE_PRELOAD] = "preload",
	[MODE_SECCOMP] = "seccomp",
	[MODE_BOTH] = "both",
};

int plan_parse_mode(enum mode *mode, const char *text)
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
	plan->tier.no_unix = plan->no_unix;
	if (plan->no_unix && plan->tier.joined)
		plan->missing = "the lfp-run around this one decides about UNIX sockets";
	return plan->missing ? go_without(plan) : 0;
}

/* The C library's own sockets are LFP's only through the supervisor. */
static int check_resolver(struct plan *plan)
{
	if (!plan->resolves)
		return 0;
	if (!plan->seccomp) {
		lfp_msg("VLFB744E",
			"--resolve program needs the seccomp tier, which is unavailable: %s.",
			plan->missing ? plan->missing : "--mode=preload excludes it");
		return LFP_EXIT_UNAVAILABLE;
	}
	/* Without the cookie the library would not know that there is a supervisor. */
	if (!plan->tier.cookie)
		plan->preload = false;
	return 0;
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

int plan_find_program(char path[static PATH_MAX], const char *name)
{
	int rc = program_find(path, name);

	if (rc == -ENOENT || rc == -ENOTDIR) {
		lfp_msg("VLFB710E", "Program %s was not found.", name);
		return EXIT_NOT_FOUND;
	}
	if (rc < 0) {
		lfp_msg("VLFB711E", "Program %s cannot be executed: %s.", name, strerror(-rc));
		return EXIT_NOT_EXECUTABLE;
	}
	return 0;
}

int plan_check_program(struct plan *plan, const char *name)
{
	char at_fault[PATH_MAX];
	enum program_fault fault;
	int rc = plan_find_program(plan->path, name);

	if (!rc)
		rc = choose_tiers(plan);
	if (!rc)
		rc = check_resolver(plan);
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

int plan_check_shim(struct plan *plan)
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

int plan_set_environment(const struct plan *plan)
{
	int rc = plan->preload ? environment_preload(plan->shim, plan->first)
			       : environment_no_preload();

	if (!rc)
		rc = environment_cookie(plan->preload && plan->seccomp ? plan->tier.cookie : 0);
	if (!rc)
		rc = environment_resolver(plan->resolves);
	if (!rc)
		rc = environment_places(plan->nn);
	if (!rc)
		return 0;
	lfp_msg("VLFB708E", "Cannot set the environment of %s: %s.", plan->path, strerror(-rc));
	return LFP_EXIT_UNAVAILABLE;
}

int plan_start_tier(struct plan *plan, const char *name)
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
	rc = plan_check_program(plan, name);
	return rc ? rc : plan_set_environment(plan);
}
