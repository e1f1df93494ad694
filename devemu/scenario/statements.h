/* SPDX-License-Identifier: Apache-2.0 */
/* statements.h - the statements of a scenario */
#ifndef DEVEMU_SCENARIO_STATEMENTS_H
#define DEVEMU_SCENARIO_STATEMENTS_H

#include "devemu/fabric/config.h"
#include "devemu/scenario/line.h"

/* Take one statement into @config. 0, -EINVAL with the line's error filled, or -ENOMEM. */
int statement_take(struct config *config, struct line *line);

/* In statements-system.c. */
int statement_system(struct config *config, struct line *line);
int statement_zhyperlink(struct config *config, struct line *line);

#endif
