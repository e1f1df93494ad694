/* SPDX-License-Identifier: Apache-2.0 */
/* enabled.h - which instances are to run: links in confs-enabled */
#ifndef LFPD_CTL_ENABLED_H
#define LFPD_CTL_ENABLED_H

/* Both say what they did and return an enum lsb_exit. A file that is wrong is not enabled. Nothing
 * is started or stopped. */
int enabled_add(const char *name);
int enabled_remove(const char *name);

#endif
