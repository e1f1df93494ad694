/* SPDX-License-Identifier: Apache-2.0 */
/* share.c - each user's part of the connections of the control channel */
#include "ijblfp/ctl/share.h"

#include <errno.h>
#include <netdb.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/base/refusal.h"
#include "ijblfp/ctl/ctl-state.h"

static void init(struct lfp_share *base)
{
	struct share *share = (struct share *)base;

	for (unsigned int kind = 0; kind <= SHARE_PARKED; kind++)
		lfp_list_init(&share->conns[kind]);
}

void ijblfp_shares_init(struct instance *inst)
{
	lfp_shares_init(&inst->ctl->shares, sizeof(struct share), init);
}

void share_enter(struct ctl_conn *conn, enum share_kind kind)
{
	conn->share = (struct share *)lfp_share_take(&conn->inst->ctl->shares, conn->uid, kind);
	conn->share_kind = kind;
	if (conn->share)
		lfp_list_append(&conn->share->conns[kind], &conn->mine);
}

void share_leave(struct ctl_conn *conn)
{
	if (!conn->share)
		return;
	lfp_list_del(&conn->mine);
	lfp_share_drop(&conn->inst->ctl->shares, &conn->share->base, conn->share_kind);
	conn->share = NULL;
}

void share_renew(struct ctl_conn *conn)
{
	if (conn->share)
		lfp_list_append(&conn->share->conns[conn->share_kind], &conn->mine);
}

struct lfp_list *share_crowded(const struct ctl_conn *conn, enum share_kind kind, unsigned int nr,
			       unsigned int most)
{
	const struct lfp_shares *shares = &conn->inst->ctl->shares;
	struct lfp_share *share = lfp_share_find(shares, conn->uid);

	if (!share || !share->used[kind] ||
	    !lfp_share_is_spent(conn->uid, share->used[kind], lfp_share_of(most)))
		share = nr >= most ? lfp_share_most(shares, kind) : NULL;
	return share ? &((struct share *)share)->conns[kind] : NULL;
}

/* Calls that are answered at once, and without which a program would mistake a loss for an end of
 * file. */
static bool is_exempt(const struct lfp_ctl_request *request)
{
	switch (request->op) {
	case LFP_CTL_PING:
	case LFP_CTL_WHY_EOF:
	case LFP_CTL_WHY_EPIPE:
	case LFP_CTL_IDENTIFY:
	case LFP_CTL_REFUSED:
	case LFP_CTL_DETACH:
		return true;
	case LFP_CTL_TASK:
		return request->a == LFP_CTL_TASK_END;
	}
	return false;
}

static void refuse(struct ctl_conn *conn, const struct lfp_ctl_request *request)
{
	switch (request->op) {
	case LFP_CTL_GETADDRINFO:
	case LFP_CTL_GETNAMEINFO:
		ctl_answer(conn, 0, EAI_AGAIN, NULL, 0, -1);
		break;
	case LFP_CTL_GETHOSTBYNAME:
	case LFP_CTL_GETHOSTBYADDR:
		ctl_answer(conn, 0, TRY_AGAIN, NULL, 0, -1);
		break;
	default:
		ctl_fail(conn, EAGAIN);
		break;
	}
}

/* Returns true if the user of the call has too many others. */
static bool is_one_too_many(const struct ctl_conn *conn)
{
	return conn->share && lfp_share_is_spent(conn->uid, conn->share->base.used[SHARE_CALLS] - 1,
						 lfp_share_of(conn->inst->ctl->calls_max));
}

bool share_may_wait(const struct ctl_conn *conn, const struct lfp_ctl_request *request)
{
	return !is_exempt(request) || !is_one_too_many(conn);
}

bool share_begin_call(struct ctl_conn *conn, const struct lfp_ctl_request *request)
{
	/* The call has waited for its task, and counts already. */
	if (conn->share)
		return true;
	share_enter(conn, SHARE_CALLS);
	if (is_exempt(request) || !is_one_too_many(conn))
		return true;
	refusal_of_call(conn->inst, conn->uid, lfp_share_of(conn->inst->ctl->calls_max));
	refuse(conn, request);
	return false;
}
