/* SPDX-License-Identifier: Apache-2.0 */
/* resume.h - the sockets of a session that goes on: both sides compare their positions */
#ifndef IJBLFP_SOCK_RESUME_H
#define IJBLFP_SOCK_RESUME_H

struct instance;

/* Sends RESUME for each socket. hold_count() counts the answers. A socket on which lfpd does not
 * agree is reset. */
void resume_sockets(struct instance *inst);

#endif
