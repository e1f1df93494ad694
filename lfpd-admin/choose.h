/* SPDX-License-Identifier: Apache-2.0 */
/* choose.h - the instance that is asked if the command line names none */
#ifndef LFPD_ADMIN_CHOOSE_H
#define LFPD_ADMIN_CHOOSE_H

#include "lfpd-admin/running.h"

/**
 * choose_instance() - choose the only running instance
 * @found:	those that are running
 * @name:	filled if LFP_EXIT_OK is returned; its NAME
 *
 * Return: an exit code, after a message if it is not LFP_EXIT_OK.
 */
int choose_instance(const struct running *found, char name[static 9]);

#endif
