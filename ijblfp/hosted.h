/* SPDX-License-Identifier: Apache-2.0 */
/* hosted.h - an LFP instance within lfpd's process */
#ifndef IJBLFP_HOSTED_H
#define IJBLFP_HOSTED_H

#include <uv.h>

/*
 * The instance is the same as one in a process of its own, with the same sockets for programs and
 * the operator and the same pid file; only its path stays within the process. It ends with the
 * operator's STOP, and starts again with lfpd.
 *
 * lfpd is linked with this room as one object, of which only these functions are visible: both
 * rooms use the same names for different things.
 */
struct hosted;
struct transport;

/**
 * hosted_prepare() - read the statements of an instance, and start the process that it needs
 * @nn:		the instance; its statements are in its file under etc/vselfp
 * @lfpd:	name of the lfpd instance, which must be the one that the statements mean
 * @transport:	of lfpd, which must be that of the statements
 *
 * Call it before other threads exist. Logs errors. Return: LFP_EXIT_OK, or another exit code
 * (lfp/exit.h).
 */
int hosted_prepare(const char *nn, const char *lfpd, const struct transport *transport);

/**
 * hosted_start() - start the instance that was prepared
 * @loop:	lfpd's
 * @vmid:	z/VM user id of the z/VSE side
 * @out:	set to the instance; stop it with hosted_stop()
 *
 * Says what is wrong. Return: LFP_EXIT_OK, or another exit code.
 */
int hosted_start(uv_loop_t *loop, const char *vmid, struct hosted **out);

/* Ends the instance, if it has not ended by itself, in the rounds of the loop that follow. */
void hosted_stop(struct hosted *hosted);

#endif
