/* SPDX-License-Identifier: Apache-2.0 */
/* choose.h - the instance that is asked if the command line names none */
#ifndef LFPD_ADMIN_CHOOSE_H
#define LFPD_ADMIN_CHOOSE_H

/**
 * choose_instance() - find the only running instance
 * @name:	filled if LFP_EXIT_OK is returned; its NAME
 *
 * Running instances are those of running_find().
 *
 * Return: an exit code, after a message if it is not LFP_EXIT_OK.
 */
int choose_instance(char name[static 9]);

#endif
