/* SPDX-License-Identifier: Apache-2.0 */
/* libdef.h - // LIBDEF and // LIBDROP: the libraries where procedures are looked for */
#ifndef VSEJOB_LIBDEF_H
#define VSEJOB_LIBDEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lfp/places.h"
#include "vsejob/operands.h"

/* "LIB.SUBLIB,LIB.SUBLIB" */
#define LIBDEF_MAX 512u

/*
 * LIBDEF of PROC, or of * for all types, names the search chain for procedures; of other types it
 * has no effect here. TEMP, the default, holds until the end of the job, PERM until the end of the
 * stream. The order is temporary, permanent, IJSYSRS.SYSLIB. IBM's page about it is not public:
 * TYPE,SEARCH=(...),PERM is the form of the start-up procedures of z/VSE, and the order is this
 * project's.
 */
struct libdef {
	char temporary[LIBDEF_MAX];
	char permanent[LIBDEF_MAX];
};

/* Does the statement have an effect here? */
bool libdef_is_for_procedures(const struct operands *ops);

/* LIBDEF. NULL, or what is wrong, a half-sentence. */
const char *libdef_set(struct libdef *libdef, const struct operands *ops);

/* LIBDROP. As libdef_set(). */
const char *libdef_drop(struct libdef *libdef, const struct operands *ops);

void libdef_end_job(struct libdef *libdef);

/**
 * libdef_open() - open a procedure
 * @procedure:	its name, in upper case
 * @name:	set to the member's name for messages
 *
 * Return: NULL, or what is wrong, a half-sentence that is valid until the next call.
 */
const char *libdef_open(const struct libdef *libdef, const char *procedure, FILE **in,
			char name[static LFP_PLACE_MAX]);

#endif
