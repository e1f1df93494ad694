/* SPDX-License-Identifier: Apache-2.0 */
/* namespace.h - leave the network of the caller */
#ifndef LFP_RUN_NAMESPACE_H
#define LFP_RUN_NAMESPACE_H

#include <stdbool.h>

/* The way to keep a program from every network but LFP's. */
struct namespace_plan {
	bool keep_net;  /* stay in the caller's network namespace */
	bool no_userns; /* no user namespace, even if the caller lacks CAP_SYS_ADMIN */
};

/**
 * namespace_enter() - move this process into an empty network namespace
 * @what:	set to the call that failed, and the name of its object
 *
 * A caller without CAP_SYS_ADMIN also gets a user namespace, in which it keeps its user and group.
 * The caller has all capabilities there until it executes a program. The process must have one
 * thread (unshare(2), CLONE_NEWUSER).
 *
 * With keep_net the process stays in the caller's network namespace. Landlock then keeps it from
 * abstract UNIX sockets, except those that the process and its children bind.
 *
 * Return: 0 or a negative errno. -EOPNOTSUPP: this kernel's Landlock does not know abstract names
 * (before Linux 6.12).
 */
int namespace_enter(const struct namespace_plan *plan, const char **what);

#endif
