/* SPDX-License-Identifier: Apache-2.0 */
/* datagram.h - ancillary data of a program's calls on a datagram socket */
#ifndef VSESOCK_DATAGRAM_H
#define VSESOCK_DATAGRAM_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lfp/ctl.h"
#include "lfp/datagram.h"

/* These functions work on buffers. They use only the descriptors that their comments name. */

/**
 * datagram_take_control() - the control messages of a sendmsg()
 * @msg:	as the program gave it
 * @meta:	gets their contents; other members stay
 *
 * Return: 0, or the negative errno that the kernel's UDP would give.
 */
int datagram_take_control(const struct msghdr *msg, struct lfp_meta *meta);

/* Room for control messages of the kernel at a near end: time stamps, a descriptor. */
#define DATAGRAM_CONTROL 256u

/**
 * datagram_take_source() - the source of a datagram
 * @native:	as the kernel's recvmsg() has filled it; a descriptor in it is closed
 * @meta:	all zero if the source is unknown
 */
void datagram_take_source(const struct msghdr *native, struct lfp_meta *meta);

/**
 * datagram_give_control() - the control messages of a recvmsg()
 * @msg:	the program's: msg_control is filled, msg_controllen set, MSG_CTRUNC added to
 * msg_flags
 * @native:	what the kernel gave: time stamps are taken from it; NULL for none
 * @meta:	the rest
 */
void datagram_give_control(struct msghdr *msg, const struct msghdr *native,
			   const struct lfp_meta *meta);

/* Gives the control message of an entry of the error queue. */
void datagram_give_error(struct msghdr *msg, const struct lfp_ctl_errqueue *entry);

/*
 * Recent destinations of this near end that the host accepted. For other destinations the shim asks
 * the host (LFP_CTL_SENT), because natively the call itself fails without a route, without
 * permission to broadcast, and so on. The entries are hints and may be lost or wrong at any time.
 */
void datagram_know(const struct sockaddr_un *near, const struct lfp_addr *addr);
bool datagram_is_known(const struct sockaddr_un *near, const struct lfp_addr *addr);

#endif
