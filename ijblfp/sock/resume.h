/* SPDX-License-Identifier: Apache-2.0 */
/* resume.h - the sockets of a session that goes on: where both sides stand is compared */
#ifndef IJBLFP_SOCK_RESUME_H
#define IJBLFP_SOCK_RESUME_H

struct instance;

/* Send RESUME for each socket. The answers are counted by hold_count(); a socket on which lfpd does
 * not agree is reset. */
void resume_sockets(struct instance *inst);

#endif
