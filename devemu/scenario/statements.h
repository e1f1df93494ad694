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

/* In statements-security.c. */
int statement_fces_frame_bytes(struct config *config, struct line *line);
int statement_fces_key_frames(struct config *config, struct line *line);
int statement_key_server(struct config *config, struct line *line);

/* The keys fces= and key-server= of an end: 0 or -EINVAL. */
int key_fces(struct line *line, enum fces_policy *policy, char key_server[CONFIG_NAME_MAX]);

#endif
