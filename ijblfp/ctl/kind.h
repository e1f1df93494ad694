/* SPDX-License-Identifier: Apache-2.0 */
/* kind.h - which kinds of sockets there are, by family, type and protocol */
#ifndef IJBLFP_CTL_KIND_H
#define IJBLFP_CTL_KIND_H

/* Returns 0 if lfpd may be asked for such a socket, else the errno that the kernel gives to a
 * program without privileges. @family: AF_INET or AF_INET6; all three as in socket(). */
int kind_refused(int family, int type, int protocol);

#endif
