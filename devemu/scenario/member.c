/* SPDX-License-Identifier: Apache-2.0 */
/* member.c - the members that a scenario names */
#include "devemu/scenario/member.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/fabric/zhpf.h"
#include "devemu/hipersockets/profile.h"

static int open_member(const char *scenario, const char *name, char path[PATH_MAX], FILE **file)
{
	const char *slash = strrchr(scenario, '/');
	const int beside = slash && name[0] != '/' ? (int)(slash + 1 - scenario) : 0;

	if (snprintf(path, PATH_MAX, "%.*s%s", beside, scenario, name) >= PATH_MAX)
		return -ENAMETOOLONG;
	*file = fopen(path, "re");
	return *file ? 0 : -errno;
}

static int read_iecios(const char *path, FILE *file, struct config *config,
		       struct lfp_reader_error *err)
{
	return zhpf_member(path, file, &config->zhpf, err);
}

static int read_tcpip(const char *path, FILE *file, struct config *config,
		      struct lfp_reader_error *err)
{
	config->profile = malloc(sizeof(*config->profile));
	if (!config->profile)
		return -ENOMEM;
	return tcpip_profile_read(config->profile, path, file, err);
}

int scenario_members(const char *scenario, struct config *config, const char **member,
		     struct lfp_reader_error *err)
{
	const struct {
		const char *name;
		int (*read)(const char *path, FILE *file, struct config *config,
			    struct lfp_reader_error *err);
	} members[] = {{config->iecios, read_iecios}, {config->tcpip, read_tcpip}};
	char path[PATH_MAX];
	FILE *file;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(members) / sizeof(members[0]); i++) {
		*member = members[i].name;
		if (!**member)
			continue;
		rc = open_member(scenario, *member, path, &file);
		if (rc < 0)
			break;
		rc = members[i].read(path, file, config, err);
		fclose(file);
	}
	return rc;
}
