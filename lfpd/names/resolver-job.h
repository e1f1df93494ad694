/* SPDX-License-Identifier: Apache-2.0 */
/* resolver-job.h - one question about names, and the data that all questions share */
#ifndef LFPD_NAMES_RESOLVER_JOB_H
#define LFPD_NAMES_RESOLVER_JOB_H

#include <ifaddrs.h>
#include <netdb.h>
#include <stdbool.h>

#include "lfp/list.h"
#include "lfpd/state/session.h"

/*
 * Theory of operation
 *
 * A question becomes a job. Its text is converted from the path's code page on the loop's thread
 * (an iconv handle is not for several), the look-up runs in a thread, the answer is built on the
 * loop's thread. A job whose session has ended runs to its end and is thrown away.
 *
 * Threads are few, and a name server may let all of them wait. So libuv gets only as many jobs as
 * it has threads; the others wait in lists, one for each user, and users take turns. A user but
 * root gets at most three quarters of the threads that others leave, so that one is always left for
 * a user that has none.
 *
 * An answer must fit one packet. Entries that do not fit are left out, aliases before addresses.
 */
struct resolver_job {
	struct lfp_list entry; /* in session->jobs, unless session is NULL */
	uv_work_t work;
	struct session *session; /* NULL: the session has ended */
	struct instance *instance;
	struct share *share;                      /* of the user that asks */
	uint32_t uid;                             /* that user, as the rules see it */
	struct lfp_list turn;                     /* in share->jobs while it waits for a thread */
	struct lfp_frame reply;                   /* its header */
	void (*run)(struct resolver_job *job);    /* in a thread */
	void (*answer)(struct resolver_job *job); /* on the loop, with a session */

	/* asked */
	uint8_t *question; /* the frame, kept in case it is asked again after a restart; or NULL */
	uint32_t question_len;
	bool finished; /* too late for an answer: only the question is still needed */
	char name[NI_MAXHOST], service[256 + 1];
	bool has_name, has_service;
	struct addrinfo hints;
	struct policy policy;
	struct sockaddr_storage addr;
	socklen_t addr_len;
	int flags;
	uint64_t began;           /* us, uv_hrtime() */
	struct decision decision; /* of the rules */

	/* found */
	int error;       /* EAI_ number, h_errno or errno */
	int error_errno; /* errno of EAI_SYSTEM */
	struct addrinfo *list;
	struct ifaddrs *interfaces;
	struct hostent host;
	bool has_host;
	char *buf; /* of host */
};

/* A new job for the answer to @frame; NULL if there are too many, or too many of the user, or no
 * memory. */
struct resolver_job *resolver_job_create(struct session *session, const struct lfp_frame *frame);
void resolver_job_free(struct resolver_job *job);

/* Hand it to a thread as soon as it is its turn. */
void resolver_job_start(struct resolver_job *job);

/* Returns true if the rules let the task look up @name (ruling_lookup()). */
bool resolver_permits(const struct resolver_job *job, const char *name);

/*
 * glibc 2.36 also reports an unknown name when it had no memory or descriptor for the look-up
 * (nss_files: fopen("/etc/hosts")). For a look-up that began with errno 0 and has not found the
 * name: the errno of the missing resource, or 0.
 */
int resolver_lack(void);

/* Converts text from the path's code page to a string; a negative errno if it is not a name. */
int resolver_take_text(struct session *session, const struct lfp_text *text, char *out,
		       size_t room);

/* Converts text to the path's code page; false if the code page lacks a character or the text is
 * too long. */
bool resolver_put_text(struct session *session, const char *in, uint8_t *buf, size_t room,
		       struct lfp_text *out);

/* Bytes for the variable parts of an answer with @fixed bytes in its body. */
size_t resolver_room(const struct session *session, size_t fixed);

#endif
