/* SPDX-License-Identifier: Apache-2.0 */
/* admission.c - HELLO: who may use the instance */
#include "lfpd/session/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "lfp/log.h"
#include "lfpd/restart/suspend.h"
#include "lfpd/state/instance.h"
#include "lfpd/state/stranger.h"
#include "lfpd/users/who.h"

/*
 * Theory of operation
 *
 * A HELLO names its sender and its destination. The sender must be the configured peer, the
 * destination this instance. The answers to a wrong destination are those that AF_IUCV has for it.
 *
 * One session at a time. When a peer dies and its successor sends HELLO, the loop has often not yet
 * seen the death. So the successor waits a moment. It is refused only if the present session is
 * still alive then.
 *
 * Over some transports (HiperSockets) a pair of names can have only one connection. There, a
 * successor with the same names proves that the present peer is gone, even without a FIN: a system
 * that goes down sends none. So lfpd ends the present session. It refuses the successor as well,
 * because ending the old connection by its names also ends the new one. The successor connects
 * again.
 */

#define WAIT_MS 500

static const struct transport *describe(const struct session *session, struct transport_peer *peer)
{
	struct transport_conn *conn = path_conn(session->path);

	conn->transport->describe(conn, peer);
	return conn->transport;
}

/* Sets the session's number and its features. The number is random; the kernel lacks random numbers
 * only while the host starts. Such a session has number 0 and cannot be resumed. */
static void identify(struct session *session)
{
	session->features = session->hello.features & (LFP_FEATURE_RESUME | LFP_FEATURE_EPOCH |
						       LFP_FEATURE_WHO | LFP_FEATURE_USER);
	if (getrandom(&session->id, sizeof(session->id), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(session->id))
		session->id = 0;
	if (!session->id)
		session->features &= ~LFP_FEATURE_RESUME;
}

static void answer(struct session *session, int status)
{
	const struct instance *inst = session->instance;
	struct lfp_frame reply = {
		.code = LFP_HELLO_REPLY,
		.status = (uint16_t)status,
		.request = session->hello_request,
	};
	struct lfp_hello_reply *body = &reply.hello_reply;

	body->version = LFP_PROTOCOL_VERSION;
	body->threshold = (uint16_t)inst->config.window_threshold;
	body->mtu = inst->config.mtu_size;
	body->msglimit = inst->config.iucv_msglimit;
	body->window = inst->window;
	memcpy(body->vmid, inst->vmid, sizeof(body->vmid));
	memcpy(body->appname, inst->config.iucv_src_appname, sizeof(body->appname));
	body->codepage.ptr = (const uint8_t *)inst->config.vse_codepage;
	body->codepage.len = (uint16_t)strlen(inst->config.vse_codepage);
	body->features = session->features;
	body->session = session->id;
	session_send(session, &reply);
}

/* Returns whether the connecting process has the configured user or group. */
static bool is_of(const struct lfp_id *must, bool group, const struct transport_peer *peer)
{
	if (!*must->name)
		return true;
	if (!peer->has_ucred)
		return false;
	if (!group)
		return peer->uid == must->id;
	for (unsigned int i = 0; i < peer->nr_groups; i++)
		if (peer->groups[i] == must->id)
			return true;
	return peer->gid == must->id;
}

/* Refuse with @status; @key names what @is differs from, @must. */
static void refuse(struct session *session, int status, const char *what, const char *is,
		   const char *key, const char *must)
{
	struct transport_peer peer;
	char more[LFP_RATELIMIT_TEXT];

	session->instance->counters.paths_refused++;
	describe(session, &peer);
	if (stranger_is_told(session->instance, more))
		lfp_msg("VLFD120W",
			"The connection of %s of %s (%s) was refused, because %s %s is not %s %s%s.",
			session->hello.appname, session->hello.vmid, peer.text, what, is, key, must,
			more);
	answer(session, status);
	session->ops->end(session, "not admitted: see the messages of lfpd");
}

/* Returns whether the peer has the names of the present session, over a transport where only one
 * connection can have them. */
static bool is_successor(const struct session *session, const struct transport_peer *peer)
{
	struct transport_peer present;

	if (!describe(session->instance->session, &present)->lone)
		return false;
	return !strcmp(peer->vmid, present.vmid) && !strcmp(peer->appname, present.appname);
}

void admission_refuse_second(struct session *session)
{
	struct instance *inst = session->instance;
	struct transport_peer peer;
	char more[LFP_RATELIMIT_TEXT];
	bool successor;

	inst->counters.paths_refused++;
	describe(session, &peer);
	successor = is_successor(session, &peer);
	if (stranger_is_told(inst, more))
		lfp_msg("VLFD121W",
			"The connection of %s of %s (%s) was refused, because %s of %s is "
			"connected%s.",
			session->hello.appname, session->hello.vmid, peer.text,
			inst->session->hello.appname, inst->session->hello.vmid, more);
	answer(session, EBUSY);
	session->ops->end(session, "another LFP instance is connected");
	if (successor)
		session_lose(inst->session, -ECONNRESET, "another connection uses its names");
}

/* Logs which of two different values holds. */
static uint32_t smaller(const char *what, uint32_t theirs, const char *key, uint32_t ours)
{
	uint32_t holds = theirs < ours ? theirs : ours;

	if (theirs != ours)
		lfp_msg("VLFD122I", "The %s of the path is %u: the z/VSE side has %u, %s is %u.",
			what, holds, theirs, key, ours);
	return holds;
}

static void admit(struct session *session)
{
	struct instance *inst = session->instance;
	const struct lfp_hello *hello = &session->hello;
	uint32_t mtu, msglimit;

	uv_timer_stop(&session->timer);
	lfp_list_del(&session->entry);
	inst->nr_candidates--;
	inst->session = session;
	inst->counters.paths++;
	if (session->state == SESSION_WAITING)
		path_pause(session->path, false);
	session->state = SESSION_ACTIVE;
	session->peer_window = hello->window;
	identify(session);
	resume_try(session);

	lfp_msg("VLFD123I", "%s of %s is connected.", hello->appname, hello->vmid);
	mtu = smaller("MTU", hello->mtu, "MTU_SIZE", inst->config.mtu_size);
	msglimit = smaller("message limit", hello->msglimit, "IUCV_MSGLIMIT",
			   inst->config.iucv_msglimit);
	answer(session, 0);
	/* Without a limit of buffer space the session cannot exceed it. */
	(void)path_open(session->path, mtu, msglimit);
	who_ask(session);
	instance_tell_status(inst);
}

void admission_handle_hello(struct session *session, const struct lfp_frame *frame)
{
	struct instance *inst = session->instance;
	const struct lfpd_config *config = &inst->config;
	const struct lfp_hello *hello = &session->hello;
	struct transport_peer peer;
	char user[16], group[16];

	session->hello = frame->hello;
	session->hello_request = frame->request;
	describe(session, &peer);
	snprintf(user, sizeof(user), "%u", (unsigned int)peer.uid);
	snprintf(group, sizeof(group), "%u", (unsigned int)peer.gid);

	if (!is_of(&config->peer_user, false, &peer))
		refuse(session, EACCES, "user", peer.has_ucred ? user : "unknown", "PEER_USER",
		       config->peer_user.name);
	else if (!is_of(&config->peer_group, true, &peer))
		refuse(session, EACCES, "group", peer.has_ucred ? group : "unknown", "PEER_GROUP",
		       config->peer_group.name);
	else if (*peer.vmid && strcmp(hello->vmid, peer.vmid))
		refuse(session, EACCES, "z/VM user id", hello->vmid, "that of the connection,",
		       peer.vmid);
	else if (*peer.appname && strcmp(hello->appname, peer.appname))
		refuse(session, EACCES, "application name", hello->appname,
		       "that of the connection,", peer.appname);
	else if (*config->peer_iucv_vmid && strcmp(hello->vmid, config->peer_iucv_vmid))
		refuse(session, EACCES, "z/VM user id", hello->vmid, "PEER_IUCV_VMID",
		       config->peer_iucv_vmid);
	else if (*config->peer_iucv_appname && strcmp(hello->appname, config->peer_iucv_appname))
		refuse(session, EACCES, "application name", hello->appname, "PEER_IUCV_APPNAME",
		       config->peer_iucv_appname);
	else if (strcmp(hello->dest_vmid, inst->vmid))
		refuse(session, ENETUNREACH, "its destination's z/VM user id", hello->dest_vmid,
		       "ours,", inst->vmid);
	else if (strcmp(hello->dest_appname, config->iucv_src_appname))
		refuse(session, ECONNREFUSED, "its destination's application name",
		       hello->dest_appname, "IUCV_SRC_APPNAME", config->iucv_src_appname);
	else if (!inst->session)
		admit(session);
	else {
		session->state = SESSION_WAITING;
		path_pause(session->path, true);
		session_start_timer(session, WAIT_MS);
	}
}

void admission_admit_next(struct instance *inst)
{
	struct session *session;

	lfp_list_each(session, &inst->candidates, entry) {
		if (session->state == SESSION_WAITING) {
			admit(session);
			return;
		}
	}
}
