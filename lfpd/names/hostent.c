/* SPDX-License-Identifier: Apache-2.0 */
/* hostent.c - GETHOSTBYNAME and GETHOSTBYADDR */
#include "lfpd/names/resolver.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/addr.h"
#include "lfp/bigend.h"
#include "lfpd/names/lookup-log.h"
#include "lfpd/names/resolver-job.h"
#include "lfpd/names/ruling.h"
#include "lfpd/users/share.h"

#define HOSTENT_MAX 65536
#define ALIASES_MAX 64

/* One try with a buffer of @size bytes; false if a larger one is needed. */
static bool try_hostent(struct resolver_job *job, size_t size)
{
	struct hostent *found = NULL;
	char *buf = realloc(job->buf, size);
	int rc;

	if (!buf) {
		job->error = TRY_AGAIN;
		return true;
	}
	job->buf = buf;
	errno = 0;
	if (job->has_name) {
		rc = gethostbyname2_r(job->name, job->hints.ai_family, &job->host, buf, size,
				      &found, &job->error);
	} else if (job->addr.ss_family == AF_INET6) {
		rc = gethostbyaddr_r(&((struct sockaddr_in6 *)&job->addr)->sin6_addr,
				     sizeof(struct in6_addr), AF_INET6, &job->host, buf, size,
				     &found, &job->error);
	} else {
		rc = gethostbyaddr_r(&((struct sockaddr_in *)&job->addr)->sin_addr,
				     sizeof(struct in_addr), AF_INET, &job->host, buf, size, &found,
				     &job->error);
	}
	if (rc == ERANGE && size < HOSTENT_MAX)
		return false;
	job->has_host = !rc && found;
	if (job->has_host)
		job->error = 0;
	else if (rc == ENOMEM || resolver_lack())
		job->error = TRY_AGAIN;
	else if (!job->error || job->error == NETDB_INTERNAL)
		job->error = NO_RECOVERY;
	return true;
}

static void run_hostent(struct resolver_job *job)
{
	size_t size = 4096;

	while (!try_hostent(job, size))
		size *= 4;
}

static size_t put_host_addrs(const struct hostent *host, uint8_t *buf, size_t room)
{
	size_t len = 0;

	for (char **at = host->h_addr_list; *at && room - len >= LFP_ADDR_SIZE; at++) {
		struct lfp_addr addr = {.family = host->h_addrtype == AF_INET6 ? LFP_AF_INET6
									       : LFP_AF_INET};

		memcpy(addr.ip, *at, host->h_addrtype == AF_INET6 ? 16 : 4);
		lfp_addr_put(&addr, buf + len);
		len += LFP_ADDR_SIZE;
	}
	return len;
}

static size_t put_aliases(struct session *session, const struct hostent *host, uint8_t *buf,
			  size_t room, uint8_t *nr)
{
	size_t len = 0;

	for (char **at = host->h_aliases; *at && *nr < ALIASES_MAX && room - len > 2; at++) {
		struct lfp_text text;

		if (!resolver_put_text(session, *at, buf + len + 2, room - len - 2, &text))
			continue;
		be16_put(buf + len, text.len);
		len += 2 + (size_t)text.len;
		(*nr)++;
	}
	return len;
}

/* The addresses of a name are known under it from now on. */
static void learn(const struct resolver_job *job)
{
	for (char **at = job->host.h_addr_list; job->has_name && *at; at++) {
		struct sockaddr_storage addr = {.ss_family = (sa_family_t)job->host.h_addrtype};

		if (addr.ss_family == AF_INET6)
			memcpy(&((struct sockaddr_in6 *)&addr)->sin6_addr, *at, 16);
		else
			memcpy(&((struct sockaddr_in *)&addr)->sin_addr, *at, 4);
		ruling_learn(job->session->instance, job->uid, job->name, (struct sockaddr *)&addr);
	}
}

static void log_hostent(struct resolver_job *job)
{
	struct lfp_addr first = {.family = LFP_AF_UNSPEC};

	if (job->has_host && job->has_name && *job->host.h_addr_list) {
		bool v6 = job->host.h_addrtype == AF_INET6;

		first.family = v6 ? LFP_AF_INET6 : LFP_AF_INET;
		memcpy(first.ip, *job->host.h_addr_list, v6 ? 16 : 4);
	}
	if (!job->has_name && job->has_host)
		snprintf(job->name, sizeof(job->name), "%s", job->host.h_name);
	lookup_log_end(job, LOG_H_ERRNO, job->has_name ? &first : NULL);
}

static void answer_hostent(struct resolver_job *job)
{
	struct lfp_hostent *body = &job->reply.hostent;
	size_t room = resolver_room(job->session, 4 + 1 + 2), addrs_len, aliases_len;
	uint8_t *bytes = malloc(2 * room), name[1024];

	body->h_errno_ = (uint32_t)job->error;
	if (!bytes) {
		body->h_errno_ = TRY_AGAIN;
	} else if (job->has_host &&
		   !resolver_put_text(job->session, job->host.h_name, name,
				      sizeof(name) < room ? sizeof(name) : room, &body->name)) {
		body->h_errno_ = NO_RECOVERY;
	} else if (job->has_host) {
		learn(job);
		/* Addresses are made first and travel last. */
		room -= body->name.len;
		addrs_len = put_host_addrs(&job->host, bytes + room, room);
		aliases_len = put_aliases(job->session, &job->host, bytes, room - addrs_len,
					  &body->aliases);
		memmove(bytes + aliases_len, bytes + room, addrs_len);
		body->rest.ptr = bytes;
		body->rest.len = (uint32_t)(aliases_len + addrs_len);
	}
	session_send(job->session, &job->reply);
	log_hostent(job);
	free(bytes);
}

static void refuse_hostent(struct session *session, const struct lfp_frame *frame, int error)
{
	struct lfp_frame reply = session_reply(frame);

	reply.hostent.h_errno_ = (uint32_t)error;
	session_send(session, &reply);
}

int resolver_handle_gethostbyname(struct session *session, const struct lfp_frame *frame,
				  const char **why)
{
	int family = lfp_family_to(frame->gethostbyname.family);
	struct resolver_job *job = resolver_job_create(session, frame);

	(void)why;
	if (!job) {
		lookup_log_limit(session, frame, &frame->gethostbyname.name, LOG_H_ERRNO,
				 TRY_AGAIN);
		refuse_hostent(session, frame, TRY_AGAIN);
		return 0;
	}
	job->run = run_hostent;
	job->answer = answer_hostent;
	job->has_name = true;
	job->hints.ai_family = family;
	if (family < 0 || resolver_take_text(session, &frame->gethostbyname.name, job->name,
					     sizeof(job->name)) < 0) {
		refuse_hostent(session, frame, family < 0 ? NO_RECOVERY : HOST_NOT_FOUND);
		resolver_job_free(job);
		return 0;
	}
	if (!resolver_permits(job, job->name)) {
		lookup_log_rule(job, LOG_H_ERRNO, HOST_NOT_FOUND);
		refuse_hostent(session, frame, HOST_NOT_FOUND);
		resolver_job_free(job);
		return 0;
	}
	resolver_job_start(job);
	return 0;
}

int resolver_handle_gethostbyaddr(struct session *session, const struct lfp_frame *frame,
				  const char **why)
{
	struct resolver_job *job = resolver_job_create(session, frame);

	(void)why;
	if (!job) {
		lookup_log_limit(session, frame, NULL, LOG_H_ERRNO, TRY_AGAIN);
		refuse_hostent(session, frame, TRY_AGAIN);
		return 0;
	}
	job->run = run_hostent;
	job->answer = answer_hostent;
	job->addr_len = lfp_addr_to(&frame->gethostbyaddr.addr, &job->addr);
	if (job->addr.ss_family == AF_UNSPEC || !resolver_permits(job, NULL)) {
		if (job->addr.ss_family != AF_UNSPEC)
			lookup_log_rule(job, LOG_H_ERRNO, HOST_NOT_FOUND);
		refuse_hostent(session, frame, HOST_NOT_FOUND);
		resolver_job_free(job);
		return 0;
	}
	resolver_job_start(job);
	return 0;
}
