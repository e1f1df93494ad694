/* SPDX-License-Identifier: Apache-2.0 */
/* listeners.h - hints about listening descriptors, for calls that receive */
#ifndef VSESOCK_LISTENERS_H
#define VSESOCK_LISTENERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A number is noted when the program listens or accepts on it, and forgotten when a receive call
 * finds something else there. Only the error of a wrong call depends on the hint. A missing number
 * (a listener from dup() or exec()) or a wrong one does no harm.
 */
#define LISTENERS_NR 65536u

extern uint64_t listeners_bits[LISTENERS_NR / 64];

static inline bool listeners_maybe(int fd)
{
	return (unsigned int)fd < LISTENERS_NR &&
	       (__atomic_load_n(&listeners_bits[(unsigned int)fd / 64], __ATOMIC_RELAXED) >>
			((unsigned int)fd % 64) &
		1);
}

void listeners_note(int fd);

/* Returns true if it really is a listener. Asks the kernel, and forgets the number if not. errno is
 * untouched. */
bool listeners_is(int fd);

#endif
