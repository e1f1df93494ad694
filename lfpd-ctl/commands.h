/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h - the commands of lfpd-ctl about one instance, beside those of service.h */
#ifndef LFPD_CTL_COMMANDS_H
#define LFPD_CTL_COMMANDS_H

/**
 * check_instance() - print what an instance needs of this system
 *
 * Prints a line for each prerequisite: "ok", "missing" and the remedy, or "-" if it is not needed.
 * It reads files below /proc and /sys. LFP_SYSTEM, for tests, is put before both.
 *
 * Return: an enum lsb_exit: LSB_OK, LSB_FAILURE if anything is missing, or another code if the
 * check itself fails.
 */
int check_declared(const char *file); /* only the machine that a file declares */
int check_instance(const char *name);
int check_instance_all(const char *name); /* also what it does not need */

/* Checks the configuration @conf, and all prerequisites without which lfpd does not start, and
 * reports what is missing. Returns an enum lsb_exit. */
int check_before_restart(const char *name, const char *conf);

/* Runs "check" with these words behind it, up to NULL: NAME or --rules FILE, --would, and a call.
 * Returns an enum lsb_exit: LSB_FAILURE if the rules refuse the call. */
int would_command(char **words);

/* Add or remove the link in confs-enabled. Both report the change and return an enum lsb_exit. A
 * file with an error is not enabled. Neither starts or stops an instance. */
int enabled_add(const char *name);
int enabled_remove(const char *name);

/* Lets a running instance read its configuration again. Says what has changed and what cannot
 * change; returns an enum lsb_exit. */
int reload_instance(const char *name);

/* The same, and ends what the new rules forbid. */
int reload_cut_instance(const char *name);

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
 * If systemd is about to start the instance again, makes lfpd leave its sockets in systemd's
 * descriptor store, and waits until lfpd has ended. Return: an enum lsb_exit.
 */
int restart_leave(const char *name);

#endif
