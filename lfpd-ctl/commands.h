/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h - the commands of lfpd-ctl about one instance, beside those of service.h */
#ifndef LFPD_CTL_COMMANDS_H
#define LFPD_CTL_COMMANDS_H

/**
 * check_instance() - print what an instance needs of this system
 *
 * A line for each prerequisite: "ok", "missing" with what to do, or "-" where it is not needed.
 * It reads files below /proc and /sys. LFP_SYSTEM, for tests, is put before both.
 *
 * Return: an enum lsb_exit: LSB_OK, LSB_FAILURE if anything is missing, or why it cannot be told.
 */
int check_declared(const char *file); /* the machine that a file declares, alone */
int check_instance(const char *name);

/* Add or remove the link in confs-enabled. Both say what they did and return an enum lsb_exit. A
 * file that is wrong is not enabled. Nothing is started or stopped. */
int enabled_add(const char *name);
int enabled_remove(const char *name);

/* Lets a running instance read its configuration again. Says what has changed and what cannot
 * change; returns an enum lsb_exit. */
int reload_instance(const char *name);

/**
 * restart_instance() - restart with the program and the configuration now on disk
 *
 * Connections survive if the LFP instance can hold them. A stopped instance is started. Reports the
 * result. Return: an enum lsb_exit.
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
