/* SPDX-License-Identifier: Apache-2.0 */
/* space.c - buffer space: how many packets with data of one side may be there at a time */
#include "transport/path-inner.h"

/*
 * A packet with data takes space from being filled until the peer has taken it off the path,
 * wherever it is meanwhile. Those without data wait for nothing, so they are not counted; how much
 * of them may be queued is limited by path_congested(), when the side stops reading requests.
 */

void path_limit_space(struct path *path, uint32_t initial, uint32_t max)
{
	path->space_initial = initial;
	path->space_limit = max;
}

uint32_t path_space(const struct path *path)
{
	return path->data_sent - path->data_done + (path->fill && path->fill->has_data);
}

bool path_has_space(const struct path *path)
{
	uint32_t most = path->space_limit / path->mtu;

	return !path->space_limit || path_space(path) < (most ? most : 1);
}
