/* SPDX-License-Identifier: Apache-2.0 */
/* reload.h - let a running instance read its configuration again */
#ifndef LFPD_CTL_RELOAD_H
#define LFPD_CTL_RELOAD_H

/* Says what has changed and what cannot change; returns an enum lsb_exit. */
int reload_instance(const char *name);

#endif
