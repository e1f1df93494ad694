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
 * A type is a function of EZASOKET: a row of keywords.c says which keywords are its parameters, in
 * the order of EZASOKET's table. Numbers that are read are copied, so that the program may use its
 * own again as soon as an asynchronous call has returned. What a keyword is not fit for is what
 * EZASOKET's function says of its parameter.
 *
 * Asynchronous: what would wait is a job (vse/async.h), whose attempt is the same handler with
 * MSG_DONTWAIT. All other calls are done before EZASMI returns, and post their ECB at once.
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
	size_t offset; /* in struct ezasmi */
	enum smi_kind kind;
	size_t size; /* bytes: of a text */
};

struct smi_type {
	const char *name; /* of the function, too */
	enum smi_wait wait;
	bool numbers; /* NS= may say which descriptor is made */
	struct smi_keyword keywords[SMI_KEYWORDS];
};

/* NULL: there is none. */
const struct smi_type *smi_type(const char *name);

struct smi_call {
	struct async_job job; /* the first: async.h */
	const struct smi_type *type;
	const struct eza_function *function;
	struct eza_call call;
	struct ezasmi said;
	/* what parameters point to instead of the program's own */
	int numbers[SMI_KEYWORDS];
	char texts[SMI_KEYWORDS][SMI_TEXT_MAX];
	int ns;       /* -1: any descriptor */
	bool started; /* CONNECT */
	/* SELECT's masks, those that are sent and those that come back, and no time */
	uint32_t masks[2 * VSE_SETS][VSE_SELECT_WORDS];
	int none[2];
};

/* A keyword of the program's into parameter @i; 0 or a negative error. */
int smi_take(struct smi_call *call, int i);

/* The number that a word means for a keyword; 0 or a negative error. */
int smi_word(int *number, size_t offset, const char *word);

/* Make the call asynchronous, which would have to wait: it is the library's from now on. 0, or a
 * negative error: it is the caller's. */
int smi_start(struct smi_call *call);

/* The handler, and NS=. */
int smi_run(struct smi_call *call);

/* RETCODE or ERRNO of the program's: 0, also if it is left out, or -EFAULT. */
int smi_check_result(const int *result);

/* RETCODE and ERRNO, and what else is set by number; RETCODE. */
int smi_give(struct smi_call *call, int rc);

/* TASK= before and after a call: 0 or a negative error. */
int smi_check_task(const struct smi_call *call);
void smi_note_task(const struct smi_call *call);

#endif
