/* SPDX-License-Identifier: Apache-2.0 */
/* accounts.c - numbers of users and groups of this host, in any thread */
#include "lfp/accounts.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>

/* Bytes for the strings of an entry. A group has the names of its members. */
#define BYTES_FIRST 4096u
#define BYTES_MAX   (16u << 20)

/* Both set @id if the entry is found, and return 0 or ERANGE or another errno number. */
static int find_user(const char *name, char *strings, size_t size, bool *found, uint32_t *id)
{
	struct passwd entry, *user = NULL;
	int rc = getpwnam_r(name, &entry, strings, size, &user);

	*found = user;
	if (user)
		*id = user->pw_uid;
	return rc;
}

static int find_group(const char *name, char *strings, size_t size, bool *found, uint32_t *id)
{
	struct group entry, *group = NULL;
	int rc = getgrnam_r(name, &entry, strings, size, &group);

	*found = group;
	if (group)
		*id = group->gr_gid;
	return rc;
}

static bool find(int (*try)(const char *name, char *strings, size_t size, bool *found,
			    uint32_t *id),
		 const char *name, uint32_t *id)
{
	bool found = false;
	int rc = ERANGE;

	for (size_t size = BYTES_FIRST; rc == ERANGE && size <= BYTES_MAX; size *= 2) {
		char *strings = malloc(size);

		if (!strings)
			return false;
		rc = try(name, strings, size, &found, id);
		free(strings);
	}
	return found;
}

bool lfp_accounts_user(const char *name, uint32_t *uid)
{
	return find(find_user, name, uid);
}

bool lfp_accounts_group(const char *name, uint32_t *gid)
{
	return find(find_group, name, gid);
}
