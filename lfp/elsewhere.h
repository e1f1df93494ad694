/* SPDX-License-Identifier: Apache-2.0 */
/* elsewhere.h - the system's instances, for a user whose own tree is in force */
#ifndef LFP_ELSEWHERE_H
#define LFP_ELSEWHERE_H

#include <stdbool.h>

/**
 * lfp_elsewhere() - look for an instance in the system's tree
 * @file:	its socket below /run: "vselfp/NN/ctl" or "vselfpd/NAME/admin"
 * @type:	SOCK_SEQPACKET or SOCK_STREAM
 *
 * Does not wait. Return: true if this user has a tree of his own (lfp_root() is "-"), and something
 * listens at the system's socket, or the kernel refuses this user. False otherwise.
 */
bool lfp_elsewhere(const char *file, int type);

/* Ends a message about an instance that does not answer. */
#define LFP_ELSEWHERE_HINT " The system has an instance of this name: LFP_ROOT=/ chooses it."

#endif
