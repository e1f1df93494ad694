/* SPDX-License-Identifier: Apache-2.0 */
/* member.h - the members that a scenario names */
#ifndef DEVEMU_SCENARIO_MEMBER_H
#define DEVEMU_SCENARIO_MEMBER_H

#include "devemu/fabric/config.h"
#include "lfp/reader.h"

/*
 * Reads the members of the statements iecios and tcpip into @config. A relative name is looked for
 * beside @scenario, the path of the scenario. Return: 0; -EINVAL with @err, if a member is wrong;
 * another negative errno if @member, which is set then, cannot be opened or there is no memory.
 */
int scenario_members(const char *scenario, struct config *config, const char **member,
		     struct lfp_reader_error *err);

#endif
