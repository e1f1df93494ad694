/* SPDX-License-Identifier: Apache-2.0 */
/* instance.h - which LFP instance a program uses */
#ifndef LFP_INSTANCE_H
#define LFP_INSTANCE_H

/*
 * The order that IBM gives for LE/C: variable LFP$ID, SETPARM LFP$ID, variable SYSID, SYSPARM,
 * '00'. Here all of them are variables of the environment: LFP$ID (or LFP_ID, an alias, as shells
 * can't export the other), SYSID, SYSPARM. The last two count only if they are two digits, because
 * other software uses these names too.
 *
 * Returns the text that was chosen, in the environment or constant. It is no instance if LFP$ID or
 * LFP_ID is set to something else than two digits: ask lfp_check_nn().
 */
const char *lfp_instance(void);

#endif
