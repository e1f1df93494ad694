/* SPDX-License-Identifier: Apache-2.0 */
/* sockopt.h - socket options: layout of their values on the wire, and the side that handles them */
#ifndef LFP_SOCKOPT_H
#define LFP_SOCKOPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The handler of an option; options that are not in the table are FORWARD. */
enum lfp_opt_policy {
	LFP_OPT_FORWARD, /* the host's socket decides */
	LFP_OPT_LOCAL,   /* set and asked on the near end itself (timeouts, low-water mark) */
	LFP_OPT_ASK,     /* the host's socket tells; to set is refused, as by LFP_OPT_REFUSE */
	LFP_OPT_REFUSE,  /* lfp_opt_refusal(), so that programs fall back */
};

enum lfp_opt_policy lfp_opt_policy(int level, int name);

/* Returns the positive errno that refuses an option other than FORWARD or LOCAL. */
int lfp_opt_refusal(int level, int name);

/* An option of lfpd's own, which programs are refused: the local address of the connection that
 * failed last, 28 bytes as on the wire. The host's socket has forgotten it. */
#define LFP_OPT_LEVEL  0x4C46
#define LFP_OPT_SOURCE 1

/* Returns true if the host's TCP socket takes every value of @len bytes in every state. A program
 * then need not wait for the answer. */
bool lfp_opt_certain(int level, int name, size_t len);

/**
 * lfp_opt_to_wire() - turn a value from host layout to the wire's, in place
 * @level:	level of the option, Linux number
 * @name:	its name, Linux number
 * @value:	the value, changed to big-endian fields
 * @len:	its length, bytes; a value that is shorter than its layout is converted as far as it
 * goes
 *
 * A value of 4 bytes that the table does not know is one 32-bit number; any other unknown one is a
 * string of bytes.
 */
void lfp_opt_to_wire(int level, int name, void *value, size_t len);

/* The way back. */
void lfp_opt_from_wire(int level, int name, void *value, size_t len);

#endif
