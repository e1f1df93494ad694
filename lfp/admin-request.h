/* SPDX-License-Identifier: Apache-2.0 */
/* admin-request.h - requests of lfpd-admin to lfpd, and their one decoder */
#ifndef LFP_ADMIN_REQUEST_H
#define LFP_ADMIN_REQUEST_H

#include <stddef.h>
#include <stdio.h>

#include "lfp/trace.h"

/*
 * A request is one line (lfp/admin.h): a verb, and after TRACE_START any number of conditions, each
 * "KEY=VALUE", with a blank between them. After LOG, "since=N" leaves out the records up to number
 * N. lfpd answers
 *
 *   status, trace-*	lines "KEY<TAB>VALUE"
 *   reload		"changed<TAB>KEY" and "kept<TAB>KEY"
 *   reload-cut		the same and "cut<TAB>NUMBER", of sockets that the rules forbid
 *   tasks, sockets, users, limits, statistics, log
 *			after such lines a line "columns<TAB>NAME:T<TAB>NAME:T...", T is s for text
 *			and n for a number, and lines "row<TAB>VALUE<TAB>VALUE..."; an empty value
 *			is unknown
 *
 * The lines of LOG are "log<TAB>on" or "off", and "newest<TAB>N".
 */
enum lfp_admin_verb {
	LFP_ADMIN_STATUS,
	LFP_ADMIN_TASKS,
	LFP_ADMIN_SOCKETS,
	LFP_ADMIN_STATISTICS,
	LFP_ADMIN_RELOAD,
	LFP_ADMIN_TRACE_START,
	LFP_ADMIN_TRACE_STOP,
	LFP_ADMIN_TRACE_STATUS,
	LFP_ADMIN_USERS,
	LFP_ADMIN_LOG,
	LFP_ADMIN_RELOAD_CUT,
	LFP_ADMIN_LIMITS,
};

struct lfp_admin_request {
	enum lfp_admin_verb verb;
	struct lfp_trace_filter filter; /* of TRACE_START */
	unsigned long since;            /* of LOG */
};

/**
 * lfp_admin_decode() - check a request
 * @line:	without its newline; NUL-terminated; is changed
 * @len:	bytes of it; a NUL among them is an error
 * @why:	set to a half-sentence if it is wrong
 *
 * Return: 0 or -EINVAL.
 */
int lfp_admin_decode(char *line, size_t len, struct lfp_admin_request *request,
		     char why[static 96]);

/* Write a request, without a newline. */
void lfp_admin_encode(const struct lfp_admin_request *request, FILE *out);

#endif
