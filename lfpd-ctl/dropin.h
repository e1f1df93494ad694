/* SPDX-License-Identifier: Apache-2.0 */
/* dropin.h - what systemd's unit needs beyond its own lines for HOST_NETNS and HOST_INTERFACE */
#ifndef LFPD_CTL_DROPIN_H
#define LFPD_CTL_DROPIN_H

/*
 * The unit's lfpd is no root, so systemd has to put it into HOST_NETNS, and to give it CAP_NET_RAW
 * for HOST_INTERFACE where the kernel wants it. Both stand in a drop-in of the one instance, so
 * other instances have no more rights than before.
 */

/* Makes, changes or removes the drop-in, as the configuration @conf needs it, and says so. Returns
 * an enum lsb_exit. */
int dropin_fit(const char *name, const char *conf);

/* Removes it. Returns an enum lsb_exit. */
int dropin_remove(const char *name);

#endif
