/* SPDX-License-Identifier: Apache-2.0 */
/* restart.h - let an instance start again with what it has */
#ifndef LFPD_CTL_RESTART_H
#define LFPD_CTL_RESTART_H

/**
 * restart_instance() - lfpd as it is on the disk now, with the configuration as it is now
 *
 * Connections live on if the LFP instance can hold them. One that does not run is started.
 * Says what it did. Return: an enum lsb_exit.
 */
int restart_instance(const char *name);

/**
 * restart_leave() - for the unit file, before systemd ends an instance
 *
 * If systemd is about to start it again, let it leave what it has in systemd's descriptor store,
 * and wait until it has ended. Return: an enum lsb_exit.
 */
int restart_leave(const char *name);

#endif
