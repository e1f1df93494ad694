/* SPDX-License-Identifier: Apache-2.0 */
/* accounts.h - numbers of users and groups of this host, in any thread */
#ifndef LFP_ACCOUNTS_H
#define LFP_ACCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

/* Return false if the host has no such user or group, or if memory runs out. */
bool lfp_accounts_user(const char *name, uint32_t *uid);
bool lfp_accounts_group(const char *name, uint32_t *gid);

#endif
