/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - a request of the SOCKET macro: its keywords, its descriptor, its addresses */
#include "libvsesock/csi/request.h"

#include <netinet/in.h>
#include <string.h>

#include "libvsesock/core/memory.h"
#include "libvsesock/core/near.h"
#include "libvsesock/core/place.h"
#include "libvsesock/csi/control-file.h"
#include "libvsesock/vse/task.h"
#include "libvsesock/vse/values.h"

socklen_t csi_take_addr(struct sockaddr_storage *addr, int family, const unsigned char ip[16],
			int port)
{
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *four = (struct sockaddr_in *)addr;

	memset(addr, 0, sizeof(*addr));
	addr->ss_family = (sa_family_t)family;
	four->sin_port = htons((uint16_t)port);
	memcpy(family == AF_INET6 ? (void *)&six->sin6_addr : &four->sin_addr, ip,
	       family == AF_INET6 ? 16 : 4);
	return family == AF_INET6 ? sizeof(*six) : sizeof(*four);
}

void csi_give_addr(const struct sockaddr_storage *addr, unsigned char ip[16], int *port)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *four = (const struct sockaddr_in *)addr;

	memset(ip, 0, 16);
	*port = ntohs(four->sin_port);
	if (addr->ss_family == AF_INET6)
		memcpy(ip, &six->sin6_addr, 16);
	else
		memcpy(ip, &four->sin_addr, 4);
}

/* Starts a request that makes a descriptor. */
int csi_enter(struct csi_call *call)
{
	char id[4] = "", nn[3];
	int rc = call->said.ID ? vse_text(id, sizeof(id) - 1, call->said.ID) : 0;
	struct vse_api *api = vse_api_find(MUX_CSI);

	if (rc < 0)
		return rc;
	rc = place_choose(MUX_CSI, id[0] ? id : NULL, nn);
	if (rc < 0)
		return rc == -ELIBACC ? -VSE_ELOAD : rc;
	/* All descriptors are the task's, whichever instance was used first. */
	rc = api ? vse_task_enter(vse_task_now(), MUX_CSI, nn)
		 : vse_api_get(&api, MUX_CSI, id[0] ? id : NULL);
	if (rc < 0)
		return rc;
	call->job.api = api;
	memcpy(call->job.nn, nn, sizeof(nn));
	memcpy(call->said.INSTANCE, nn, sizeof(nn));
	return 0;
}

int csi_find(struct csi_call *call)
{
	struct vse_api *api = vse_api_find(MUX_CSI);
	enum near_kind kind;
	enum csi_type type;
	int fd, rc;

	fd = api ? vse_fd(api, call->said.DESC) : -EBADF;
	if (fd < 0)
		return fd;
	kind = near_kind(fd, call->job.nn);
	type = kind == NEAR_STREAM ? CSI_TCP : kind == NEAR_DATAGRAM ? CSI_UDP : CSI_CONTROL;
	if (type != call->type)
		return -EPROTOTYPE;
	if (type == CSI_CONTROL)
		csi_file_instance(fd, call->job.nn);
	rc = vse_task_enter(vse_task_now(), MUX_CSI, call->job.nn);
	if (rc < 0)
		return rc;
	memcpy(call->said.INSTANCE, call->job.nn, sizeof(call->job.nn));
	call->job.api = api;
	call->job.s = call->said.DESC;
	call->job.fd = fd;
	return 0;
}

int csi_check_buf(const struct csi_call *call)
{
	if (call->said.LENGTH < 0)
		return -EINVAL;
	if (call->said.LENGTH && memory_check_read(call->said.BUF, (size_t)call->said.LENGTH))
		return -EFAULT;
	return 0;
}

bool csi_is_said(const unsigned char ip[16])
{
	static const unsigned char none[16];

	return memcmp(ip, none, sizeof(none)) != 0;
}
