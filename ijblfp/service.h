/* SPDX-License-Identifier: Apache-2.0 */
/* service.h - an LFP instance as a service of systemd, lfp@NN.service */
#ifndef IJBLFP_SERVICE_H
#define IJBLFP_SERVICE_H

#include <stdbool.h>

/* Returns true if START of instance @nn is work for systemd: root's, in the system's tree, where
 * systemd is process 1 and has the unit. */
bool service_is_unit(const char *nn);

/* Starts the service, and reports a failure with the instance's own error. Returns an exit code. */
int service_start(const char *nn);

/* Ends systemd's tries to start the service again. Returns false if there are none. */
bool service_stop_trying(const char *nn);

/**
 * service_claim() - for the unit, before it starts the instance as another user
 * @nn:		the instance
 * @user:	name of the user
 *
 * Gives that user the instance's directory and the places of the emulated z/VM, which an instance
 * of root may have left. Reports errors. Return: an exit code, or SERVER_ALREADY_UP.
 */
int service_claim(const char *nn, const char *user);

#endif
