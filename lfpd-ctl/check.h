/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - what an instance needs of this system, line by line */
#ifndef LFPD_CTL_CHECK_H
#define LFPD_CTL_CHECK_H

/**
 * check_instance() - print a line for each prerequisite: "ok", "missing" with what to do, or "-"
 * where it is not needed
 *
 * It reads files below /proc and /sys. LFP_SYSTEM, for tests, is put before both.
 *
 * Return: an enum lsb_exit: LSB_OK, LSB_FAILURE if anything is missing, or why it cannot be told.
 */
int check_instance(const char *name);

#endif
