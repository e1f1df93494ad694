/* SPDX-License-Identifier: Apache-2.0 */
/* ezasmi.h - EZASMI: its types and keywords, and a call of it */
#ifndef VSESOCK_EZASMI_EZASMI_H
#define VSESOCK_EZASMI_EZASMI_H

#include <stddef.h>

#include "include/ezasmi.h"
#include "libvsesock/eza/functions.h"
#include "libvsesock/vse/async.h"
#include "libvsesock/vse/select.h"

/*
 * Theory of operation
 *
 * A type is a function of EZASOKET. A row of types.c names the keywords that are its parameters, in
 * the order of EZASOKET's table. Numbers that are read are copied, so that the program may reuse
 * its own as soon as an asynchronous call has returned. EZASOKET's function reports a wrong keyword
 * as a wrong parameter.
 *
 * An asynchronous call that may wait is a job (vse/async.h). Its attempt is the same handler with
 * MSG_DONTWAIT. All other calls end before EZASMI returns, and post their ECB at once.
 */

enum smi_wait {
	SMI_AT_ONCE,
	SMI_READS,
	SMI_WRITES,
	SMI_CONNECTS,
	SMI_SELECTS,
};

enum smi_kind {
	SMI_END,
	SMI_AREA,    /* the keyword is the parameter's address */
	SMI_NUMBER,  /* an int */
	SMI_ZERO,    /* an int, 0 if it is left out */
	SMI_IN_OUT,  /* an int that is also set */
	SMI_OUT,     /* an int that is set; it may be left out */
	SMI_LENGTH,  /* an int; left out: the length of the text before it */
	SMI_WORD,    /* a word or a number */
	SMI_TEXT,    /* characters up to NUL, or @size of them; left out: blanks */
	SMI_POINTER, /* the keyword's value is the parameter */
};

#define SMI_KEYWORDS 10
#define SMI_TEXT_MAX 16

struct smi_keyword {
	const char *name;
	size_t offset; /* in struct ezasmi */
	enum smi_kind kind;
	size_t size; /* bytes: of a text */
};

struct smi_type {
	const char *name; /* also of the function */
	enum smi_wait wait;
	bool numbers; /* NS= may choose the new descriptor */
	struct smi_keyword keywords[SMI_KEYWORDS];
};

/* Returns the type of a name, or NULL. */
const struct smi_type *smi_type(const char *name);

/* Returns the types one after the other, from 0 on; NULL after the last. */
const struct smi_type *smi_type_at(size_t i);

struct smi_call {
	struct async_job job; /* must be first (async.h) */
	const struct smi_type *type;
	const struct eza_function *function;
	struct eza_call call;
	struct ezasmi said;
	/* copies that parameters point to */
	int numbers[SMI_KEYWORDS];
	char texts[SMI_KEYWORDS][SMI_TEXT_MAX];
	int ns;       /* -1: any descriptor */
	bool started; /* CONNECT */
	/* SELECT: the masks sent, the masks that come back, a timeout of zero */
	uint32_t masks[2 * VSE_SETS][VSE_SELECT_WORDS];
	int none[2];
};

/* EZASMI_call(), also for an assembler program: its characters are EBCDIC, and the caller copies
 * results that have addresses. */
int smi_make(const char *type, const struct ezasmi *said, bool assembler);

/* Takes a keyword of the program as parameter @i; 0 or a negative error. */
int smi_take(struct smi_call *call, int i);

/* Gets the number that a word means for a keyword; 0 or a negative error. */
int smi_word(int *number, size_t offset, const char *word);

/* Makes a call that may wait asynchronous. Returns 0, and the library owns the call; or a negative
 * error, and the caller keeps it. */
int smi_start(struct smi_call *call);

/* Runs the handler, and gives the descriptor the number of NS=. Returns RETCODE or a negative
 * error. */
int smi_run(struct smi_call *call);

/* Checks RETCODE or ERRNO of the program. Returns 0, also for NULL, or -EFAULT. */
int smi_check_result(const int *result);

/* Writes RETCODE, ERRNO and the other numbers that are results. Returns RETCODE. */
int smi_give(struct smi_call *call, int rc);

/* Checks TASK= before a call, 0 or a negative error; updates it after the call. */
int smi_check_task(const struct smi_call *call);
void smi_note_task(const struct smi_call *call);

#endif
