/* SPDX-License-Identifier: Apache-2.0 */
/* choose.h - the LFP instance, or the other stack, that a program uses */
#ifndef LFP_RUN_CHOOSE_H
#define LFP_RUN_CHOOSE_H

#include "libvsesock/mux/files.h"
#include "libvsesock/mux/lec.h"

/**
 * choose_instance() - choose the system id of a program
 * @lec:	set to the id, and to its source
 * @given: the id in the command line, two digits or one; NULL: as for an LE/C program
 * @stack:	set to the stack of the id if it is none of LFP's, else to MUX_STACK_NONE
 *
 * If nothing names an instance and 00 does not run, takes the only instance that runs. If that one
 * is the system's, sets LFP_ROOT to "/".
 *
 * Return: 0, or an exit code (lfp/exit.h) after a message.
 */
int choose_instance(struct mux_lec *lec, const char *given, enum mux_stack *stack);

#endif
