/* SPDX-License-Identifier: Apache-2.0 */
/* strays.h - ends the processes that an lfpd has left behind */
#ifndef VIA_STRAYS_H
#define VIA_STRAYS_H

#include <stdbool.h>
#include <sys/types.h>

/* Makes this process the parent of orphans, which process 1 is already. */
void via_strays_adopt(void);

/* Returns whether the users of instances have no processes but those of the appliance. Outside of a
 * process namespace of its own a user may be somebody else, too. */
bool via_strays_own_users(void);

/* Kills all processes of a user, whatever their session and however fast they fork. Needs
 * via_strays_own_users(). */
void via_strays_kill_user(uid_t user);

/* Kills each child that @known() does not know: an orphan that this process has adopted. A caller
 * repeats it when a child has ended, for then the children of that one come. */
void via_strays_kill_orphans(bool (*known)(pid_t pid));

#endif
