/* SPDX-License-Identifier: Apache-2.0 */
/* strict.h - what works here and would not on z/VSE with LFP: LFP_STRICT=report or fail */
#ifndef VSESOCK_STRICT_STRICT_H
#define VSESOCK_STRICT_STRICT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/*
 * Theory of operation
 *
 * A call of an interface begins with strict_call(), which notes its name; whoever then sees that a
 * rule is broken calls strict_found(), which writes a line, and in mode "fail" gives the error that
 * the call is to have. A rule that a call breaks again in the same way is not told again.
 *
 * Lines go to the file LFP_STRICT_FILE, which is made or appended to, else to the program's
 * standard error if that is still what it was at the start. Without LFP_STRICT nothing is looked
 * at.
 */

enum strict_mode {
	STRICT_OFF,
	STRICT_REPORT,
	STRICT_FAIL,
};

enum strict_rule {
	STRICT_ZOS,        /* a call that only z/OS has */
	STRICT_FUNCTION,   /* a function outside IBM's list for LFP */
	STRICT_RAW,        /* a raw socket */
	STRICT_MAXSOC,     /* a descriptor at or above MAXSOC */
	STRICT_ORDER,      /* a number in the machine's own byte order (COMP-5) */
	STRICT_POINTERS,   /* pointers of eight bytes in IOV, MSG, HOSTENT */
	STRICT_NO_INIT,    /* INITAPI is missing */
	STRICT_NO_TERM,    /* TERMAPI is missing; never makes a call fail */
	STRICT_OTHER_TASK, /* a socket of another CICS-style task */
	STRICT_ADDRESS,    /* a local address that is not the host id */
	STRICT_HALFWORD,   /* a fullword where a halfword is expected */
	STRICT_RULES,
};

/* ESTRICT in errno-map.csv: nothing else says it. */
#define STRICT_ERROR EBADRQC

extern enum strict_mode strict_mode;

static inline bool strict_on(void)
{
	return __builtin_expect(strict_mode != STRICT_OFF, 0);
}

/* The thread's call is from now on @name of @interface ("EZASOKET", "LE/C", ...; "": @name says it
 * all). Both must stay. */
void strict_call(const char *interface, const char *name);

/**
 * strict_found() - the thread's call breaks a rule
 * @fmt:	what of the call it is and why, a sentence without its end
 *
 * Return: 0, or -STRICT_ERROR in mode "fail". Does nothing, and is 0, without LFP_STRICT.
 */
int __attribute__((format(printf, 2, 3))) strict_found(enum strict_rule rule, const char *fmt, ...);

/* The thread's call is outside IBM's list; 0 or -STRICT_ERROR, as the next ones. */
int strict_unlisted(void);

/* A function of LE/C; it is outside IBM's list if no source that can be read names it. */
int strict_lec(const char *name);

/* The type of a new socket, with flags or without. */
int strict_type(int type);

/* The local address that a call names. */
int strict_local(const struct sockaddr *addr, socklen_t len);

/* Descriptor @s belongs to @task (0: the program outside of all tasks), and not to the task that
 * uses it. @shared: both see it, by LFP$CIC=SHARE. */
int strict_other_task(int s, int task, bool shared);

/* A new descriptor, and the MAXSOC that the program named, if it is above 0. */
int strict_new_descriptor(int s, int maxsoc);

/* SELECT of descriptors below @n, where INITAPI allowed those below @max. */
int strict_select(int n, int max);

/* Descriptor @s is in a mask of SELECT, and is not below @n. */
int strict_mask(int n, int s);

/* A task ends that has called INITAPI and not TERMAPI. */
void strict_no_term(void);

/* A function of EZASOKET or EZASMI: only z/OS has some. */
int strict_zos(const char *name);

/* A binary number of @size bytes that is parameter @n, from 1 on; @native: in the machine's own
 * byte order; @halfword: the function expects a halfword. */
int strict_parameter(int n, size_t size, bool native, bool halfword);

/* INITAPI was not called, and the function calls it by itself. */
int strict_implicit(void);

/* A structure of the program's has pointers. */
int strict_pointers(const char *structure);

/*
 * A HOSTENT has pointers that a program should leave to EZACIC08. strict_hostent() says that the
 * thread gets one, strict_hostent_used() that EZACIC08 was called, and strict_hostent_left() checks
 * whether one is left, as strict_hostent() does first.
 */
int strict_hostent(void);
int strict_hostent_left(void);
void strict_hostent_used(void);

/* Are the shim's functions the program's own calls? They are in the shim; within libvsesock.so and
 * lfp-run others call them. */
extern const bool strict_programs;

/* Is a call of the shim's to be looked at? Notes its name, as strict_call(). */
static inline bool strict_shim(const char *name)
{
	if (!strict_on() || !strict_programs)
		return false;
	strict_call("", name);
	return true;
}

#endif
