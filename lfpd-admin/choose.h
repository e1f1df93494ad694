/* SPDX-License-Identifier: Apache-2.0 */
/* choose.h - the instance that is asked if the command line names none */
#ifndef LFPD_ADMIN_CHOOSE_H
#define LFPD_ADMIN_CHOOSE_H

/**
 * choose_instance() - find the only running instance
 * @name:	filled if LFP_EXIT_OK is returned; its NAME
 *
 * The instances of the tree in force (lfp/places.h) and, for an ordinary user without LFP_ROOT,
 * those of the system. One that refuses this user is running, too.
 *
 * Return: an exit code, after a message if it is not LFP_EXIT_OK.
 */
int choose_instance(char name[static 9]);

#endif
