/* SPDX-License-Identifier: Apache-2.0 */
/* resolver.c - names and addresses, looked up in libuv's thread pool */
#include "lfpd/resolver.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "lfp/log.h"

/*
 * Theory of operation
 *
 * A question becomes a job. Its text is converted from the path's code page on the loop's thread
 * (an iconv handle is not for several), the look-up runs in a thread, the answer is built on the
 * loop's thread. A job whose session has ended runs to its end and is thrown away.
 *
 * An answer has to fit one packet: what does not fit is left out, addresses before aliases.
 */

#define JOBS_MAX	1024 /* of one session */
#define HOSTENT_MAX	65536
#define ALIASES_MAX	64
#define ENTRY_SIZE	(2 + 2 + LFP_ADDR_SIZE)

struct resolver_job {
	TAILQ_ENTRY(resolver_job) entry;
	uv_work_t work;
	struct session *session; /* NULL: nobody waits any more */
	struct lfp_frame reply;	 /* its header */
	void (*run)(struct resolver_job *job);	 /* in a thread */
	void (*answer)(struct resolver_job *job); /* on the loop, with a session */

	/* asked */
	char name[NI_MAXHOST], service[256 + 1];
	bool has_name, has_service;
	struct addrinfo hints;
	struct sockaddr_storage addr;
	socklen_t addr_len;
	int flags;

	/* found */
	int error; /* EAI_ number or h_errno */
	int error_errno; /* errno of EAI_SYSTEM */
	struct addrinfo *list;
	struct hostent host;
	bool has_host;
	char *buf; /* of host */
};

static void job_free(struct resolver_job *job)
{
	if (job->list)
		freeaddrinfo(job->list);
	free(job->buf);
	free(job);
}

static void on_work(uv_work_t *work)
{
	struct resolver_job *job = work->data;

	job->run(job);
}

static void on_done(uv_work_t *work, int status)
{
	struct resolver_job *job = work->data;

	if (job->session) {
		TAILQ_REMOVE(&job->session->jobs, job, entry);
		job->session->nr_jobs--;
		if (!status)
			job->answer(job);
	}
	job_free(job);
}

static struct resolver_job *job_create(struct session *session, const struct lfp_frame *frame)
{
	struct resolver_job *job = NULL;

	if (session->nr_jobs < JOBS_MAX)
		job = calloc(1, sizeof(*job));
	if (!job)
		return NULL;
	job->session = session;
	job->reply = session_reply(frame);
	job->work.data = job;
	return job;
}

/* Hand it to a thread; if that does not work the answer is @error. */
static void job_start(struct resolver_job *job, int error)
{
	struct session *session = job->session;

	if (uv_queue_work(session->instance->loop, &job->work, on_work, on_done)) {
		job->error = error;
		job->answer(job);
		job_free(job);
		return;
	}
	TAILQ_INSERT_TAIL(&session->jobs, job, entry);
	session->nr_jobs++;
}

void resolver_drop_all(struct session *session)
{
	struct resolver_job *job;

	while ((job = TAILQ_FIRST(&session->jobs))) {
		TAILQ_REMOVE(&session->jobs, job, entry);
		job->session = NULL;
		uv_cancel((uv_req_t *)&job->work); /* on_done() comes in any case */
	}
	session->nr_jobs = 0;
}

/* Text of the path's code page; negative errno if it is no name. */
static int take_text(struct session *session, const struct lfp_text *text, char *out, size_t room)
{
	return lfp_codepage_from_path(session->instance->codepage, text->ptr, text->len, out, room);
}

/* Text to the path's code page; false if it cannot be said in it or is too long. */
static bool put_text(struct session *session, const char *in, uint8_t *buf, size_t room,
		     struct lfp_text *out)
{
	int n = lfp_codepage_to_path(session->instance->codepage, in, strlen(in), (char *)buf, room);

	out->ptr = buf;
	out->len = n > 0 ? (uint16_t)n : 0;
	return n >= 0;
}

static void put16(uint8_t *buf, unsigned int value)
{
	buf[0] = (uint8_t)(value >> 8);
	buf[1] = (uint8_t)value;
}

/* Bytes for the variable parts of an answer with @fixed bytes in its body. */
static size_t reply_room(const struct session *session, size_t fixed)
{
	return path_frame_max(session->path) - LFP_FRAME_HEADER - fixed;
}

/* --- getaddrinfo --- */

static void run_getaddrinfo(struct resolver_job *job)
{
	job->error = getaddrinfo(job->has_name ? job->name : NULL,
				 job->has_service ? job->service : NULL, &job->hints, &job->list);
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
		put16(buf + len, (unsigned int)list->ai_socktype);
		put16(buf + len + 2, (unsigned int)list->ai_protocol);
		lfp_addr_put(&addr, buf + len + 4);
		len += ENTRY_SIZE;
	}
	return len;
}

static void answer_getaddrinfo(struct resolver_job *job)
{
	struct lfp_getaddrinfo_reply *body = &job->reply.getaddrinfo_reply;
	size_t room = reply_room(job->session, 4 + 2);
	uint8_t *bytes = malloc(room), name[1024];

	body->error = job->error;
	job->reply.status = (uint16_t)job->error_errno;
	if (!bytes) {
		body->error = EAI_MEMORY;
	} else if (!job->error) {
		const char *canon = job->list->ai_canonname;

		if (canon && put_text(job->session, canon, name,
				      sizeof(name) < room / 2 ? sizeof(name) : room / 2,
				      &body->canonname))
			room -= body->canonname.len;
		body->entries.ptr = bytes;
		body->entries.len = (uint32_t)put_entries(job->list, bytes, room);
	}
	session_send(job->session, &job->reply);
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
	struct resolver_job *job = job_create(session, frame);
	int family = ask->family ? lfp_family_to(ask->family) : AF_UNSPEC;
	int error = 0;

	(void)why;
	if (!job) {
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
	if (family < 0)
		error = EAI_FAMILY;
	else if (job->has_name && take_text(session, &ask->node, job->name, sizeof(job->name)) < 0)
		error = EAI_NONAME;
	else if (job->has_service &&
		 take_text(session, &ask->service, job->service, sizeof(job->service)) < 0)
		error = EAI_SERVICE;
	if (error) {
		refuse_getaddrinfo(session, frame, error);
		job_free(job);
		return 0;
	}
	job_start(job, EAI_AGAIN);
	return 0;
}

/* --- getnameinfo --- */

static void run_getnameinfo(struct resolver_job *job)
{
	job->error = getnameinfo((struct sockaddr *)&job->addr, job->addr_len, job->name,
				 sizeof(job->name), job->service, sizeof(job->service), job->flags);
	if (job->error == EAI_SYSTEM)
		job->error_errno = errno;
}

static void answer_getnameinfo(struct resolver_job *job)
{
	struct lfp_getnameinfo_reply *body = &job->reply.getnameinfo_reply;
	size_t room = reply_room(job->session, 4 + 2 + 2);
	uint8_t host[NI_MAXHOST], service[256];

	body->error = job->error;
	job->reply.status = (uint16_t)job->error_errno;
	if (!job->error &&
	    (!put_text(job->session, job->name, host, sizeof(host), &body->host) ||
	     !put_text(job->session, job->service, service, sizeof(service), &body->service) ||
	     body->host.len + (size_t)body->service.len > room)) {
		body->error = EAI_OVERFLOW;
		body->host.len = body->service.len = 0;
	}
	session_send(job->session, &job->reply);
}

int resolver_handle_getnameinfo(struct session *session, const struct lfp_frame *frame,
				const char **why)
{
	struct resolver_job *job = job_create(session, frame);

	(void)why;
	if (!job) {
		struct lfp_frame reply = session_reply(frame);

		reply.getnameinfo_reply.error = EAI_AGAIN;
		session_send(session, &reply);
		return 0;
	}
	job->run = run_getnameinfo;
	job->answer = answer_getnameinfo;
	job->addr_len = lfp_addr_to(&frame->getnameinfo.addr, &job->addr);
	job->flags = (int)frame->getnameinfo.flags;
	job_start(job, EAI_AGAIN);
	return 0;
}

/* --- gethostbyname, gethostbyaddr --- */

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
	if (job->has_name) {
		rc = gethostbyname2_r(job->name, job->hints.ai_family, &job->host, buf, size, &found,
				      &job->error);
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

		if (!put_text(session, *at, buf + len + 2, room - len - 2, &text))
			continue;
		put16(buf + len, text.len);
		len += 2 + (size_t)text.len;
		(*nr)++;
	}
	return len;
}

static void answer_hostent(struct resolver_job *job)
{
	struct lfp_hostent *body = &job->reply.hostent;
	size_t room = reply_room(job->session, 4 + 1 + 2), addrs_len, aliases_len;
	uint8_t *bytes = malloc(2 * room), name[1024];

	body->h_errno_ = (uint32_t)job->error;
	if (!bytes) {
		body->h_errno_ = TRY_AGAIN;
	} else if (job->has_host &&
		   !put_text(job->session, job->host.h_name, name,
			     sizeof(name) < room ? sizeof(name) : room, &body->name)) {
		body->h_errno_ = NO_RECOVERY;
	} else if (job->has_host) {
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
	struct resolver_job *job = job_create(session, frame);

	(void)why;
	if (!job) {
		refuse_hostent(session, frame, TRY_AGAIN);
		return 0;
	}
	job->run = run_hostent;
	job->answer = answer_hostent;
	job->has_name = true;
	job->hints.ai_family = family;
	if (family < 0 ||
	    take_text(session, &frame->gethostbyname.name, job->name, sizeof(job->name)) < 0) {
		refuse_hostent(session, frame, family < 0 ? NO_RECOVERY : HOST_NOT_FOUND);
		job_free(job);
		return 0;
	}
	job_start(job, TRY_AGAIN);
	return 0;
}

int resolver_handle_gethostbyaddr(struct session *session, const struct lfp_frame *frame,
				  const char **why)
{
	struct resolver_job *job = job_create(session, frame);

	(void)why;
	if (!job) {
		refuse_hostent(session, frame, TRY_AGAIN);
		return 0;
	}
	job->run = run_hostent;
	job->answer = answer_hostent;
	job->addr_len = lfp_addr_to(&frame->gethostbyaddr.addr, &job->addr);
	if (job->addr.ss_family == AF_UNSPEC) {
		refuse_hostent(session, frame, HOST_NOT_FOUND);
		job_free(job);
		return 0;
	}
	job_start(job, TRY_AGAIN);
	return 0;
}

/* --- The name and address of z/VSE --- */

int resolver_handle_gethostname(struct session *session, const struct lfp_frame *frame,
				const char **why)
{
	struct lfp_frame reply = session_reply(frame);
	uint8_t name[256];

	(void)why;
	if (!put_text(session, session->instance->host_name, name, sizeof(name),
		      &reply.gethostname_reply.name))
		reply.status = EILSEQ;
	session_send(session, &reply);
	return 0;
}

int resolver_handle_gethostid(struct session *session, const struct lfp_frame *frame,
			      const char **why)
{
	const struct lfpd_config *config = &session->instance->config;
	struct lfp_frame reply = session_reply(frame);

	(void)why;
	reply.gethostid_reply.id = config->has_vse_hostid ? ntohl(config->vse_hostid.s_addr) : 0;
	session_send(session, &reply);
	return 0;
}

struct host_name_job {
	uv_work_t work;
	struct instance *instance; /* NULL: it has stopped */
	struct sockaddr_in addr;
	int error;
	char name[NI_MAXHOST];
};

static void run_host_name(uv_work_t *work)
{
	struct host_name_job *job = work->data;

	job->error = getnameinfo((struct sockaddr *)&job->addr, sizeof(job->addr), job->name,
				 sizeof(job->name), NULL, 0, NI_NAMEREQD);
}

static void on_host_name(uv_work_t *work, int status)
{
	struct host_name_job *job = work->data;

	if (job->instance) {
		job->instance->host_name_job = NULL;
		if (!status && !job->error)
			memcpy(job->instance->host_name, job->name, sizeof(job->name));
	}
	free(job);
}

int resolver_find_host_name(struct instance *inst)
{
	struct host_name_job *job;
	int rc;

	if (gethostname(inst->host_name, sizeof(inst->host_name) - 1))
		strcpy(inst->host_name, "localhost");
	if (!inst->config.has_vse_hostid)
		return 0;
	job = calloc(1, sizeof(*job));
	if (!job)
		return -ENOMEM;
	job->work.data = job;
	job->instance = inst;
	job->addr.sin_family = AF_INET;
	job->addr.sin_addr = inst->config.vse_hostid;
	rc = uv_queue_work(inst->loop, &job->work, run_host_name, on_host_name);
	if (rc) {
		free(job);
		return rc;
	}
	inst->host_name_job = job;
	return 0;
}

void resolver_forget_host_name(struct instance *inst)
{
	if (!inst->host_name_job)
		return;
	inst->host_name_job->instance = NULL;
	uv_cancel((uv_req_t *)&inst->host_name_job->work);
	inst->host_name_job = NULL;
}
