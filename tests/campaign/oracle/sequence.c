/* SPDX-License-Identifier: Apache-2.0 */
/* sequence.c - which calls of a sequence are made at the same time */
#include "tests/campaign/oracle/oracle.h"

static bool has_forked(const struct sequence *s, int before)
{
	for (int i = 0; i < before; i++)
		if (s->ops[i].code == OP_FORK)
			return true;
	return false;
}

bool sequence_is_pair(const struct sequence *s, int i)
{
	const struct op *waits = &s->ops[i], *ends = &s->ops[i + 1];

	return i + 1 < s->nr && waits->behind && has_forked(s, i) &&
	       waits->process != ends->process && ends->code != OP_FORK && ends->code != OP_PASS &&
	       !ends->behind;
}
