/* SPDX-License-Identifier: Apache-2.0 */
/* relimit.c - gives sockets the limits of changed rules */
#include "lfpd/sock/relimit.h"

#include "lfpd/sock/asked-again.h"
#include "lfpd/sock/metered.h"
#include "lfpd/state/session.h"

static bool has_limits(const struct instance *inst)
{
	return inst->meters.count || (inst->rules && rules_have_limits(inst->rules));
}

void relimit(struct socket *sock)
{
	struct rules_question question = {.act = RULES_CONNECT};
	bool allowed;

	if (!sock->instance->rules) {
		metered_go_on(sock, &question);
		return;
	}
	/* What the rules forbid now, and what they cannot tell yet, keeps its meter. */
	if (has_limits(sock->instance) && asked_again(sock, &question, &allowed) && allowed &&
	    question.act == RULES_CONNECT)
		metered_go_on(sock, &question);
}

void relimit_all(struct instance *inst)
{
	const struct lfp_table *sockets = inst->session ? &inst->session->sockets : NULL;
	struct lfp_table_link *link = NULL;
	struct socket *orphan;

	if (!has_limits(inst))
		return;
	while (sockets && (link = lfp_table_next(sockets, link)))
		relimit(socket_of(link));
	lfp_list_each(orphan, &inst->orphans, stream.entry)
		relimit(orphan);
}
