/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - a command to the appliance, and its answer */
#ifndef LFP_VIA_COMMAND_H
#define LFP_VIA_COMMAND_H

#include "lfp-via/reach.h"
#include "via/request.h"

/* Sends the command, prints its answer, and returns the answer's exit code, or one of enum lfp_exit
 * after a message. */
int command_run(const struct reach *reach, const struct via_request *request);

#endif
