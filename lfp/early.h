/* SPDX-License-Identifier: Apache-2.0 */
/* early.h - options of a stream that a program sets without a call on the control channel */
#ifndef LFP_EARLY_H
#define LFP_EARLY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Theory of operation
 *
 * These options cannot fail for a stream, and no other socket's calls depend on them, as they do on
 * SO_REUSEADDR. They lie on the near end itself, in options of SOL_SOCKET
 * that the kernel stores for every socket and that mean nothing to a UNIX stream: their *places*.
 * So they survive fork, exec and dup, and go along with a passed descriptor.
 *
 * A near end that is not connected: the program sets the place, and then the mark. The instance
 * reads the places when the near end comes with a call that needs them (CONNECT, LISTEN,
 * GETSOCKOPT, SETSOCKOPT), and once more when it has connected the near end. A program that finds
 * its near end connected after it has set the mark makes the call as well.
 *
 * A connected near end: only the instance sets the places, when it sends the option to lfpd, and
 * says in the word which options are known. Another call with the same value changes nothing.
 *
 * Every process with the descriptor can change all of these, as it can change the options natively.
 * The instance reads each value as one that a program may have set.
 */
enum lfp_early {
	LFP_EARLY_NODELAY,
	LFP_EARLY_KEEPALIVE,
	LFP_EARLY_FLAGS,                        /* those above are on or off */
	LFP_EARLY_CONGESTION = LFP_EARLY_FLAGS, /* a number of lfp_early_control() */
	LFP_EARLY_NR,
};

/* Options of SOL_SOCKET at the near end. */
#define LFP_EARLY_MARK SO_NO_CHECK     /* 1: the instance has to read the places */
#define LFP_EARLY_WORD SO_INCOMING_CPU /* negative: nothing is known */

/* The word: which flags of a connected socket are known, and the values of these. */
#define LFP_EARLY_KNOWN(option)     (1 << (option))
#define LFP_EARLY_VALUE(option, on) ((on) ? 1 << (8 + (option)) : 0)

struct lfp_early_option {
	int level, name; /* of the program's option */
	int place;       /* its place, of SOL_SOCKET */
};

/* Returns the option of this number, less than LFP_EARLY_NR. */
const struct lfp_early_option *lfp_early_at(int option);

/* Returns the number of an option, or -1. */
int lfp_early_find(int level, int name);

/* The names of congestion controls. Returns the name of a number, or NULL. */
const char *lfp_early_control(int number);

/* The place of the congestion control has 8 bytes and is that of a fresh socket's mark, too
 * (lfp/ctl.h), which stays. Returns the new value for @place, its present value; @number -1: none.
 */
uint64_t lfp_early_put_control(uint64_t place, int number);

/* Returns the number in the place, -1 if there is none. */
int lfp_early_get_control(uint64_t place);

/* Returns the number of a name of @len bytes, which may end with a NUL earlier; or -1. */
int lfp_early_find_control(const char *name, size_t len);

#endif
