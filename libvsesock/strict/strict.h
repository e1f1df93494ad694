/* SPDX-License-Identifier: Apache-2.0 */
/* strict.h - reports calls that work here and would fail on z/VSE with LFP (LFP_STRICT) */
#ifndef VSESOCK_STRICT_STRICT_H
#define VSESOCK_STRICT_STRICT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/*
 * Theory of operation
 *
 * A call of an interface begins with strict_call(), which notes its name. Code that finds a broken
 * rule calls strict_found(), which writes a line. In mode "fail" it also returns the error that the
 * call ends with. The same call that breaks the same rule again is reported once.
 *
 * This room has all rules. It stands below the shim and the z/VSE interfaces and takes values, not
 * their structs.
 *
 * Lines are appended to the file LFP_STRICT_FILE. Without it they go to the program's standard
 * error, if that is still the file it was at the start. Without LFP_STRICT nothing is checked.
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
	STRICT_OPTION,     /* a socket option outside IBM's list for EZASMI */
	STRICT_PHASE,      /* EZA$PHA is not set */
	STRICT_RULES,
};

/* ESTRICT in errno-map.csv; no other error has this number. */
#define STRICT_ERROR EBADRQC

extern enum strict_mode strict_mode;

static inline bool strict_on(void)
{
	return __builtin_expect(strict_mode != STRICT_OFF, 0);
}

/* Notes that the thread's call is now @name of @interface ("EZASOKET", "LE/C", ...; "" if @name is
 * enough). Both strings must stay. */
void strict_call(const char *interface, const char *name);

/**
 * strict_found() - report that the thread's call breaks a rule
 * @fmt:	the reason, a sentence without its full stop
 *
 * Return: 0, or -STRICT_ERROR in mode "fail". Without LFP_STRICT it does nothing and returns 0.
 */
int __attribute__((format(printf, 2, 3))) strict_found(enum strict_rule rule, const char *fmt, ...);

/* Reports that the thread's call is outside IBM's list. Returns 0 or -STRICT_ERROR, as the
 * functions below. */
int strict_unlisted(void);

/* Notes and checks a function of LE/C. No public source for z/VSE lists some of them. */
int strict_lec(const char *name);

/* Checks the type of a new socket, with flags or without. */
int strict_type(int type);

/* Checks the local address of a call. */
int strict_local(const struct sockaddr *addr, socklen_t len);

/* Reports that descriptor @s belongs to @task (0: the program outside all tasks) and another task
 * uses it. @shared: both see it, by LFP$CIC=SHARE. */
int strict_other_task(int s, int task, bool shared);

/* Checks a new descriptor against the MAXSOC that the program named; below 1: none. */
int strict_new_descriptor(int s, int maxsoc);

/* Checks SELECT of descriptors below @n where INITAPI allowed those below @max. */
int strict_select(int n, int max);

/* Reports descriptor @s in a mask of SELECT, which is not below @n. */
int strict_mask(int n, int s);

/* Reports a task that ends after INITAPI and without TERMAPI. */
void strict_no_term(void);

/* Checks a function of EZASOKET or EZASMI: z/VSE lacks some of z/OS's. */
int strict_zos(const char *name);

/* Checks parameter @n, from 1 on, a binary number of @size bytes. @native: in the machine's own
 * byte order; @halfword: the function expects a halfword. */
int strict_parameter(int n, size_t size, bool native, bool halfword);

/* Checks the name of an option of EZASMI; @sets: SETSOCKOPT. */
int strict_option(const char *name, bool sets);

/* Reports that no SETPARM statement sets EZA$PHA. */
int strict_phase(void);

/* Reports a function that implies INITAPI, because the program has not called it. */
int strict_implicit(void);

/* Reports a structure of the program that has pointers. */
int strict_pointers(const char *structure);

/*
 * A program should decode the pointers of a HOSTENT with EZACIC08. strict_hostent() notes that the
 * thread gets a HOSTENT; strict_hostent_used() notes a call of EZACIC08. strict_hostent_left()
 * reports a HOSTENT that was never decoded; strict_hostent() first does the same.
 */
int strict_hostent(void);
int strict_hostent_left(void);
void strict_hostent_used(void);

/* True in the shim, where programs call the shim's functions themselves. In libvsesock.so and
 * lfp-run other functions call them. */
extern const bool strict_programs;

/* Returns whether to check a call of the shim; notes its name, as strict_call(). */
static inline bool strict_shim(const char *name)
{
	if (!strict_on() || !strict_programs)
		return false;
	strict_call("", name);
	return true;
}

#endif
