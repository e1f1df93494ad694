/* SPDX-License-Identifier: Apache-2.0 */
/* addrinfo.c - GETADDRINFO and GETNAMEINFO */
#include "lfpd/names/resolver.h"

#include <errno.h>
#include <stdlib.h>

#include "lfp/addr.h"
#include "lfp/bigend.h"
#include "lfpd/names/interfaces.h"
#include "lfpd/names/lookup-log.h"
#include "lfpd/names/resolver-job.h"
#include "lfpd/names/ruling.h"
#include "lfpd/users/share.h"

#define ENTRY_SIZE (2 + 2 + LFP_ADDR_SIZE)

/*
 * AI_ADDRCONFIG asks for addresses that the caller can reach. These depend on z/VSE's addresses,
 * not on the host's. As in libc, addresses of only one family give results of only that family.
 */
static int apply_addrconfig(const struct policy *policy, struct addrinfo *hints)
{
	bool ipv4, ipv6;

	if (!(hints->ai_flags & AI_ADDRCONFIG))
		return 0;
	hints->ai_flags &= ~AI_ADDRCONFIG;
	if (interfaces_families(policy, &ipv4, &ipv6))
		return 0;
	if (hints->ai_family == AF_UNSPEC && ipv4 != ipv6)
		hints->ai_family = ipv4 ? AF_INET : AF_INET6;
	else if ((hints->ai_family == AF_INET && !ipv4) || (hints->ai_family == AF_INET6 && !ipv6))
		return EAI_NONAME;
	return 0;
}

static int explain(int error)
{
	int lack = error == EAI_NONAME || error == EAI_NODATA || error == EAI_FAIL ? resolver_lack()
										   : 0;

	if (!lack)
		return error;
	return lack == ENOMEM ? EAI_MEMORY : EAI_AGAIN;
}

static void run_getaddrinfo(struct resolver_job *job)
{
	job->error = apply_addrconfig(&job->policy, &job->hints);
	if (job->error)
		return;
	errno = 0;
	job->error = getaddrinfo(job->has_name ? job->name : NULL,
				 job->has_service ? job->service : NULL, &job->hints, &job->list);
	job->error = explain(job->error);
	if (job->error)
		job->list = NULL;
	if (job->error == EAI_SYSTEM)
		job->error_errno = errno;
}

static size_t put_entries(const struct addrinfo *list, uint8_t *buf, size_t room)
{
	size_t len = 0;

	for (; list && room - len >= ENTRY_SIZE; list = list->ai_next) {
		struct lfp_addr addr;

		if (lfp_addr_from(&addr, list->ai_addr, list->ai_addrlen))
			continue;
		be16_put(buf + len, (uint16_t)list->ai_socktype);
		be16_put(buf + len + 2, (uint16_t)list->ai_protocol);
		lfp_addr_put(&addr, buf + len + 4);
		len += ENTRY_SIZE;
	}
	return len;
}

/* For the log: a question for a service alone is no look-up. */
static void log_getaddrinfo(const struct resolver_job *job)
{
	struct lfp_addr first = {.family = LFP_AF_UNSPEC};

	if (job->list)
		(void)lfp_addr_from(&first, job->list->ai_addr, job->list->ai_addrlen);
	if (job->has_name)
		lookup_log_end(job, LOG_EAI, &first);
}

static void answer_getaddrinfo(struct resolver_job *job)
{
	struct lfp_getaddrinfo_reply *body = &job->reply.getaddrinfo_reply;
	size_t room = resolver_room(job->session, 4 + 2);
	uint8_t *bytes = malloc(room), name[1024];

	body->error = job->error;
	job->reply.status = (uint16_t)job->error_errno;
	if (!bytes) {
		body->error = EAI_MEMORY;
	} else if (!job->error) {
		const char *canon = job->list->ai_canonname;

		if (canon && !resolver_put_text(job->session, canon, name,
						sizeof(name) < room / 2 ? sizeof(name) : room / 2,
						&body->canonname))
			body->error = EAI_FAIL;
		if (job->has_name)
			for (const struct addrinfo *at = job->list; at; at = at->ai_next)
				ruling_learn(job->session->instance, job->uid, job->name,
					     at->ai_addr);
		room -= body->canonname.len;
		body->entries.ptr = bytes;
		if (!body->error)
			body->entries.len = (uint32_t)put_entries(job->list, bytes, room);
	}
	session_send(job->session, &job->reply);
	log_getaddrinfo(job);
	free(bytes);
}

static void refuse_getaddrinfo(struct session *session, const struct lfp_frame *frame, int error)
{
	struct lfp_frame reply = session_reply(frame);

	reply.getaddrinfo_reply.error = error;
	session_send(session, &reply);
}

int resolver_handle_getaddrinfo(struct session *session, const struct lfp_frame *frame,
				const char **why)
{
	const struct lfp_getaddrinfo *ask = &frame->getaddrinfo;
	struct resolver_job *job = resolver_job_create(session, frame);
	int family = ask->family ? lfp_family_to(ask->family) : AF_UNSPEC;
	int error = 0;

	(void)why;
	if (!job) {
		lookup_log_limit(session, frame, ask->given & 1 ? &ask->node : NULL, LOG_EAI,
				 EAI_AGAIN);
		refuse_getaddrinfo(session, frame, EAI_AGAIN);
		return 0;
	}
	job->run = run_getaddrinfo;
	job->answer = answer_getaddrinfo;
	job->has_name = ask->given & 1;
	job->has_service = ask->given & 2;
	job->hints.ai_flags = (int)ask->flags;
	job->hints.ai_family = family;
	job->hints.ai_socktype = ask->kind;
	job->hints.ai_protocol = ask->protocol;
	job->policy = session->instance->policy;
	if (family < 0)
		error = EAI_FAMILY;
	else if (job->has_name &&
		 resolver_take_text(session, &ask->node, job->name, sizeof(job->name)) < 0)
		error = EAI_NONAME;
	else if (job->has_service &&
		 resolver_take_text(session, &ask->service, job->service, sizeof(job->service)) < 0)
		error = EAI_SERVICE;
	else if (job->has_name && !(job->hints.ai_flags & AI_NUMERICHOST) &&
		 !resolver_permits(job, job->name)) {
		error = EAI_NONAME;
		lookup_log_rule(job, LOG_EAI, error);
	}
	if (error) {
		refuse_getaddrinfo(session, frame, error);
		resolver_job_free(job);
		return 0;
	}
	resolver_job_start(job);
	return 0;
}

static void run_getnameinfo(struct resolver_job *job)
{
	errno = 0;
	job->error = getnameinfo((struct sockaddr *)&job->addr, job->addr_len, job->name,
				 sizeof(job->name), job->service, sizeof(job->service), job->flags);
	job->error = explain(job->error);
	if (job->error == EAI_SYSTEM)
		job->error_errno = errno;
}

static void answer_getnameinfo(struct resolver_job *job)
{
	struct lfp_getnameinfo_reply *body = &job->reply.getnameinfo_reply;
	size_t room = resolver_room(job->session, 4 + 2 + 2);
	uint8_t host[NI_MAXHOST], service[256];

	body->error = job->error;
	job->reply.status = (uint16_t)job->error_errno;
	if (!job->error &&
	    (!resolver_put_text(job->session, job->name, host, sizeof(host), &body->host) ||
	     !resolver_put_text(job->session, job->service, service, sizeof(service),
				&body->service) ||
	     body->host.len + (size_t)body->service.len > room)) {
		body->error = EAI_OVERFLOW;
		body->host.len = body->service.len = 0;
	}
	session_send(job->session, &job->reply);
	if (!(job->flags & NI_NUMERICHOST))
		lookup_log_end(job, LOG_EAI, NULL);
}

int resolver_handle_getnameinfo(struct session *session, const struct lfp_frame *frame,
				const char **why)
{
	struct resolver_job *job = resolver_job_create(session, frame);

	(void)why;
	if (!job) {
		struct lfp_frame reply = session_reply(frame);

		lookup_log_limit(session, frame, NULL, LOG_EAI, EAI_AGAIN);
		reply.getnameinfo_reply.error = EAI_AGAIN;
		session_send(session, &reply);
		return 0;
	}
	job->run = run_getnameinfo;
	job->answer = answer_getnameinfo;
	job->addr_len = lfp_addr_to(&frame->getnameinfo.addr, &job->addr);
	job->flags = (int)frame->getnameinfo.flags;
	if (!(job->flags & NI_NUMERICHOST) && !resolver_permits(job, NULL)) {
		lookup_log_rule(job, LOG_EAI, EAI_NONAME);
		/* As if the address had no name. */
		if (job->flags & NI_NAMEREQD) {
			struct lfp_frame reply = session_reply(frame);

			reply.getnameinfo_reply.error = EAI_NONAME;
			session_send(session, &reply);
			resolver_job_free(job);
			return 0;
		}
		job->flags |= NI_NUMERICHOST;
	}
	resolver_job_start(job);
	return 0;
}
