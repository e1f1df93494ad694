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
 * in ezasoket.c describes the parameters of a function. They are checked there, once. A handler
 * then finds its numbers in values[] and the near end of its socket in fd.
 *
 * GnuCOBOL's run-time system tells the number of parameters, their sizes, and whether a number is
 * native (COMP-5) or big-endian (BINARY). A C program has no such system: its numbers are native
 * and have the documented sizes, and the table has the number of parameters.
 */

#define EZA_ARGS 14

#define EZA_CLIENT 40 /* bytes of a client id */

enum eza_order {
	EZA_NATIVE,
	EZA_BIG,
};

struct eza_arg {
	void *data;  /* NULL: omitted */
	size_t size; /* bytes; 0: unknown */
	enum eza_order order;
	bool numeric; /* a binary number, of that size */
	bool decimal; /* a number that is not binary */
};

struct eza_call {
	const char *interface;         /* the interface of the call; NULL: EZASOKET */
	struct eza_arg args[EZA_ARGS]; /* the parameters after SOC-FUNCTION */
	long values[EZA_ARGS];
	int nr;
	enum eza_order order; /* of numbers within structures */
	bool ebcdic;          /* the program's characters are EBCDIC, as in SOC-FUNCTION */
	bool copies;          /* HOSTENT is copied for the program: it needs no EZACIC08 */
	struct vse_api *api;
	int fd;       /* the near end of S */
	int number;   /* ERRNO, if it differs from the internal error; 0: it does not */
	int dontwait; /* MSG_DONTWAIT to only try (EZASMI with ECB=), else 0 */
};

/* Get and set the number in a parameter, of @natural bytes unless another size is known. */
long eza_number(const struct eza_arg *arg, size_t natural);
void eza_set_number(const struct eza_arg *arg, size_t natural, long value);

/* Get and set a fullword in a structure. */
uint32_t eza_word(enum eza_order order, const void *at);
void eza_set_word(enum eza_order order, void *at, uint32_t word);

/* Take and give an IPv4 address as a parameter: bytes in network order, or a number, which may be
 * native. */
void eza_take_address(const struct eza_arg *arg, void *to);
void eza_give_address(const struct eza_arg *arg, const void *from);

/* Checks that @len bytes of a parameter may be used. Returns 0; -EIBMBADPARM: it is missing;
 * -EINVAL: it is known to be shorter; -EFAULT. The kernel checks memory beyond two pages. */
int eza_check(const struct eza_arg *arg, size_t len);

/* The same for writing, of any length. The bytes stay unchanged. */
int eza_check_result(const struct eza_arg *arg, size_t len);

/* Begins or ends the check of several parameters during which nothing waits: one check of a page
 * then counts for all of them. */
void eza_looks(bool on);

/* Converts characters of the program to ASCII, ended by NUL: up to @len, @room - 1 or the first
 * NUL, without trailing blanks. Returns 0 or a negative error. */
int eza_text(const struct eza_call *call, int i, size_t len, char *out, size_t room);

/* Converts ASCII to the program's characters, cut off at @len or filled up with @fill (ASCII). */
void eza_set_text(const struct eza_call *call, void *to, size_t len, const char *text, char fill);

/* Take and give the parameter NAME; 0 or a negative error. */
int eza_take_name(struct sockaddr_storage *to, socklen_t *tolen, const struct eza_arg *arg);
int eza_give_name(const struct eza_arg *arg, const struct sockaddr_storage *from);

/* Returns the negative internal error of a symbol of z/VSE that Linux does not have. */
int eza_error(const char *symbol);

/* Sets ERRNO to @extended (10xxx) in the number space of z/OS; elsewhere ERRNO is that of @error.
 * Returns @error. */
int eza_fail(struct eza_call *call, int error, int extended);

/* The thread's last call of EZASOKET used EBCDIC. Calls of EZACIC08 and EZACIC09 do not tell their
 * code. */
extern _Thread_local bool eza_last_ebcdic;

/*
 * ADDRINFO in a program: five fullwords (flags, family, type, protocol, the length of the address),
 * then pointers to the canonical name, the address and the next one, without gaps.
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

/* Takes the parameters of a helper routine from @first and @ap: as many as the COBOL program
 * passes, else @natural. Returns their number; 0: more than @room. */
int eza_take_args(struct eza_arg *args, int room, int natural, void *first, va_list ap);

/* Returns the number of parameters of the COBOL program's CALL; -1: there is no COBOL program. */
int eza_cobol_count(void);

/* Describes parameter @n, from 1 on, whose data is set. */
void eza_cobol_describe(struct eza_arg *arg, int n);

/* IBM-1047 and ISO 8859-1 */
extern const uint8_t eza_to_latin[256], eza_from_latin[256];

#endif
