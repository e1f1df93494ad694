/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - reading and building a scenario, with messages */
#include "zdev/verb.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "devemu/fabric/volume.h"
#include "devemu/fabric/login.h"
#include "devemu/scenario/member.h"
#include "devemu/scenario/scenario.h"
#include "lfp/exit.h"
#include "lfp/log.h"

/* Reads the members that the scenario names. Returns 0, or the exit code after a message. */
static int load_members(const char *scenario, struct config *config)
{
	struct lfp_reader_error err;
	const char *member;
	int rc = scenario_members(scenario, config, &member, &err);

	if (rc == 0)
		return 0;
	if (rc == -EINVAL) {
		lfp_msg("VLFZ002E", "%s", err.text);
		return LFP_EXIT_CONFIG;
	}
	lfp_msg("VLFZ011E", "Cannot open member %s of scenario %s: %s.", member, scenario,
		strerror(-rc));
	return LFP_EXIT_UNAVAILABLE;
}

/* A path whose channel or control unit is capable of endpoint security. */
static void not_encrypted(void *context, const struct fabric_path *path, const char *why)
{
	if (path->barred)
		lfp_msg("VLFZ015W",
			"%s:%d: path %02X %04X is not used: encryption is required, "
			"but %s.",
			(const char *)context, path->config->line, path->config->chpid,
			path->config->cu, why);
	else if (path->channel->config->fces && path->control_unit->config->fces)
		lfp_msg("VLFZ014W", "%s:%d: path %02X %04X is not encrypted: %s.",
			(const char *)context, path->config->line, path->config->chpid,
			path->config->cu, why);
}

int load_scenario(const char *path, struct config *config, struct fabric **fabric)
{
	const bool standard = !strcmp(path, "-");
	struct lfp_reader_error err;
	struct fabric_error error;
	FILE *file = standard ? stdin : fopen(path, "re");
	int rc;

	if (!file) {
		lfp_msg("VLFZ001E", "Cannot open scenario %s: %s.", path, strerror(errno));
		return LFP_EXIT_UNAVAILABLE;
	}
	rc = scenario_read(config, standard ? "(standard input)" : path, file, &err);
	if (!standard)
		fclose(file);
	if (rc < 0) {
		lfp_msg("VLFZ002E", "%s", err.text);
		config_finish(config);
		return LFP_EXIT_CONFIG;
	}
	rc = load_members(path, config);
	if (rc) {
		config_finish(config);
		return rc;
	}
	rc = fabric_create(fabric, config, &error);
	if (rc < 0) {
		if (rc == -EINVAL)
			lfp_msg("VLFZ003E", "%s:%d: %s", path, error.line, error.text);
		else
			lfp_msg("VLFZ004E", "Cannot build the fabric of %s: %s.", path,
				strerror(-rc));
		config_finish(config);
		return rc == -EINVAL ? LFP_EXIT_CONFIG : LFP_EXIT_UNAVAILABLE;
	}
	rc = fces_login(*fabric, standard ? NULL : path, not_encrypted, (void *)(uintptr_t)path,
			&error);
	if (rc < 0) {
		if (rc == -EINVAL)
			lfp_msg("VLFZ003E", "%s:%d: %s", path, error.line, error.text);
		else
			lfp_msg("VLFZ004E", "Cannot build the fabric of %s: %s.", path,
				strerror(-rc));
		fabric_destroy(*fabric);
		config_finish(config);
		return rc == -EINVAL ? LFP_EXIT_CONFIG : LFP_EXIT_UNAVAILABLE;
	}
	rc = volumes_open(*fabric, standard ? NULL : path, &error);
	if (rc < 0) {
		if (rc == -ENOMEM)
			lfp_msg("VLFZ004E", "Cannot build the fabric of %s: %s.", path,
				strerror(-rc));
		else
			lfp_msg("VLFZ020E", "%s:%d: %s.", path, error.line, error.text);
		fabric_destroy(*fabric);
		config_finish(config);
		return rc == -EINVAL ? LFP_EXIT_CONFIG : LFP_EXIT_UNAVAILABLE;
	}
	return 0;
}
