/* SPDX-License-Identifier: Apache-2.0 */
/* datagram.h - what a program's calls on a datagram socket carry beside the payload */
#ifndef VSESOCK_DATAGRAM_H
#define VSESOCK_DATAGRAM_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lfp/ctl.h"
#include "lfp/datagram.h"

/* Everything here works on buffers and looks at no descriptor but those named. */

/**
 * datagram_take_control() - the control messages of a sendmsg()
 * @msg:	as the program gave it
 * @meta:	what they say is put there; all else stays
 *
 * Return: 0, or the negative errno that the kernel's UDP would give.
 */
int datagram_take_control(const struct msghdr *msg, struct lfp_meta *meta);

/* Room for what the kernel puts beside a datagram at a near end: time stamps, a descriptor. */
#define DATAGRAM_CONTROL 256u

/**
 * datagram_take_source() - where has a datagram come from?
 * @native:	as the kernel's recvmsg() has filled it; a descriptor in it is closed
 * @meta:	all zero if nobody knows
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
 * Destinations to which the host has lately sent something for this near end. For others the shim
 * asks the host (LFP_CTL_SENT): natively the call itself fails without a route, without permission
 * to broadcast, and so on. A hint that may be lost or wrong at any time.
 */
void datagram_know(const struct sockaddr_un *near, const struct lfp_addr *addr);
bool datagram_is_known(const struct sockaddr_un *near, const struct lfp_addr *addr);

#endif
