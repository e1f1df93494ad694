/* SPDX-License-Identifier: Apache-2.0 */
/* join.c - lfp-run inside lfp-run: finds the supervisor that is already running */
#include "lfp-run/join.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "lfp-run/guard.h"
#include "lfp-run/target.h"
#include "lfp/ctl.h"
#include "libvsesock/core/raw.h"

/* A bad descriptor, and a level and an option of our own. */
#define NOBODY -1
#define LEVEL  ((int)LFP_CTL_MAGIC)
#define NAME   1

static struct join ours;

bool join_ask(struct join *join)
{
	socklen_t len = sizeof(*join);

	/* Without the cookie, which would pass the filter. */
	return raw_call(SYS_getsockopt, NOBODY, LEVEL, NAME, (long)join, (long)&len, 0) == 0 &&
	       len == sizeof(*join) && !join->nn[2];
}

void join_init(const struct join *join)
{
	ours = *join;
}

bool join_is_question(const struct trap *trap)
{
	return (int)trap->arg[0] == NOBODY && (int)trap->arg[1] == LEVEL &&
	       (int)trap->arg[2] == NAME;
}

long join_answer(const struct trap *trap)
{
	struct join answer = ours;
	socklen_t len = sizeof(answer);
	int room;
	long rc = target_addr_room(trap, trap->arg[4], &room);

	if (rc < 0)
		return rc;
	if ((size_t)room < sizeof(answer))
		return -EINVAL;
	answer.guards = guard_ensure() == 0;
	rc = target_write(trap, trap->arg[3], &answer, sizeof(answer));
	return rc < 0 ? rc : target_write(trap, trap->arg[4], &len, sizeof(len));
}
