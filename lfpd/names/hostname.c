/* SPDX-License-Identifier: Apache-2.0 */
/* hostname.c - GETHOSTNAME and GETHOSTID: the name and the address under which z/VSE appears */
#include "lfpd/names/resolver.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfpd/names/resolver-job.h"

int resolver_handle_gethostname(struct session *session, const struct lfp_frame *frame,
				const char **why)
{
	struct lfp_frame reply = session_reply(frame);
	uint8_t name[256];

	(void)why;
	if (!resolver_put_text(session, session->instance->host_name, name, sizeof(name),
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
