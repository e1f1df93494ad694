/* SPDX-License-Identifier: Apache-2.0 */
/* args.h - a call of the EZA socket interface (IJBLFPEZ) and its parameters */
#ifndef VSESOCK_EZA_ARGS_H
#define VSESOCK_EZA_ARGS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "libvsesock/core/memory.h"
#include "libvsesock/vse/api.h"
#include "libvsesock/vse/values.h"

/*
 * Theory of operation
 *
 * CALL 'EZASOKET' USING SOC-FUNCTION parameters ERRNO RETCODE: all by reference. A row of the table
 * in ezasoket.c says which parameters a function has; they are looked at there, once, and a handler
 * then finds its numbers in values[] and the near end of its socket in fd.
 *
 * GnuCOBOL's run-time system tells how many parameters there are, their sizes and whether a number
 * is native (COMP-5) or big-endian (BINARY); without it, in a C program, numbers are native and
 * have the sizes of the documentation, and there are as many parameters as the table says.
 */

#define EZA_ARGS 14

#define EZA_CLIENT 40 /* bytes of a client id */

enum eza_order {
	EZA_NATIVE,
	EZA_BIG,
};

struct eza_arg {
	void *data;  /* NULL: OMITTED */
	size_t size; /* bytes; 0: not known */
	enum eza_order order;
	bool numeric; /* a binary number, of that size */
	bool decimal; /* a number, but no binary one */
};

struct eza_call {
	const char *interface;         /* by which it came; NULL: EZASOKET */
	struct eza_arg args[EZA_ARGS]; /* behind SOC-FUNCTION */
	long values[EZA_ARGS];
	int nr;
	enum eza_order order; /* of numbers within structures */
	bool ebcdic;          /* the program's characters; it wrote SOC-FUNCTION so */
	struct vse_api *api;
	int fd;       /* the near end of S */
	int number;   /* what ERRNO is to be, if the internal error does not say it */
	int dontwait; /* MSG_DONTWAIT: to be tried alone (EZASMI with ECB=), else 0 */
};

/* The number in a parameter, which has @natural bytes unless it is known to have others. */
long eza_number(const struct eza_arg *arg, size_t natural);
void eza_set_number(const struct eza_arg *arg, size_t natural, long value);

/* A fullword in a structure. */
uint32_t eza_word(enum eza_order order, const void *at);
void eza_set_word(enum eza_order order, void *at, uint32_t word);

/* An IPv4 address that is a parameter: bytes in network order, or a number, which may be native. */
void eza_take_address(const struct eza_arg *arg, void *to);
void eza_give_address(const struct eza_arg *arg, const void *from);

/* May @len bytes of a parameter be used? 0; -EIBMBADPARM: it is missing; -EINVAL: it is known to be
 * shorter; -EFAULT. What is longer than two pages is the kernel's to check. */
int eza_check(const struct eza_arg *arg, size_t len);

/* May they be written, of any length? What they are they stay. */
int eza_check_result(const struct eza_arg *arg, size_t len);

/* Several parameters are looked at now, between which nothing waits: what is known of a page of
 * memory counts for all of them. */
void eza_looks(bool on);

/* Characters of the program, to ASCII, ended by NUL: up to @len, @room - 1, the first NUL, without
 * trailing blanks. 0 or a negative error. */
int eza_text(const struct eza_call *call, int i, size_t len, char *out, size_t room);

/* ASCII to the program's characters, cut off at @len or filled up with @fill (ASCII). */
void eza_set_text(const struct eza_call *call, void *to, size_t len, const char *text, char fill);

/* NAME: 0 or a negative error. */
int eza_take_name(struct sockaddr_storage *to, socklen_t *tolen, const struct eza_arg *arg);
int eza_give_name(const struct eza_arg *arg, const struct sockaddr_storage *from);

/* The internal error of a symbol of z/VSE's that Linux does not have, negative. */
int eza_error(const char *symbol);

/* In the number space of z/OS ERRNO is @extended (10xxx), else @error says it; returns @error. */
int eza_fail(struct eza_call *call, int error, int extended);

/* The thread's last EZASOKET was called by a program whose characters are EBCDIC: what is not told
 * of calls of EZACIC08 and EZACIC09. */
extern _Thread_local bool eza_last_ebcdic;

/*
 * ADDRINFO as programs have it: five fullwords (flags, family, type, protocol, the length of the
 * address), then pointers to the canonical name, the address, the next one, without a gap.
 */
#define EZA_AI_FLAGS    0
#define EZA_AI_FAMILY   4
#define EZA_AI_TYPE     8
#define EZA_AI_PROTOCOL 12
#define EZA_AI_NAMELEN  16
#define EZA_AI_CANON    20
#define EZA_AI_NAME     (EZA_AI_CANON + sizeof(void *))
#define EZA_AI_NEXT     (EZA_AI_NAME + sizeof(void *))
#define EZA_AI_LEN      (EZA_AI_NEXT + sizeof(void *))

/* Parameters of a helper routine: @first and @ap, the COBOL program's number of them or @natural.
 * How many there are; 0: more than @room. */
int eza_take_args(struct eza_arg *args, int room, int natural, void *first, va_list ap);

/* How many parameters the COBOL program's CALL has, -1 if there is no COBOL program. */
int eza_cobol_count(void);

/* What is known of parameter @n, from 1 on, whose data is set. */
void eza_cobol_describe(struct eza_arg *arg, int n);

/* IBM-1047 and ISO 8859-1 */
extern const uint8_t eza_to_latin[256], eza_from_latin[256];

#endif
