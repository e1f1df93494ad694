/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - name resolution: the calls of programs, in the code page of the path */
#include "ijblfp/ctl/calls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/base/refusal.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "lfp/addr.h"
#include "lfp/codepage.h"
#include "lfp/ctl.h"

#define NAME_ROOM 1032 /* the longest name, with its NUL */

struct answer {
	uint8_t data[LFP_CTL_DATA];
	size_t len;
};

static bool put(struct answer *answer, const void *data, size_t len)
{
	if (len > sizeof(answer->data) - answer->len)
		return false;
	memcpy(answer->data + answer->len, data, len);
	answer->len += len;
	return true;
}

/* Converts a name from the path, with its NUL. A name that cannot be converted becomes empty. */
static bool put_name(struct instance *inst, struct answer *answer, const uint8_t *name, size_t len)
{
	char text[4 * NAME_ROOM];
	int n = lfp_codepage_from_path(inst->link->codepage, name, len, text, sizeof(text));

	if (n < 0) {
		n = 0;
		text[0] = '\0';
	}
	return put(answer, text, (size_t)n + 1);
}

struct query {
	struct instance *inst;
	struct ctl_conn *conn;
	const struct lfp_ctl_request *request;
	size_t at; /* in the request's data */
};

static void ask(struct query *query, struct lfp_frame *frame,
		void (*done)(struct instance *, struct request *, const struct lfp_frame *))
{
	struct request *request;
	int error;

	frame->task = query->conn->task->number;
	request = request_send(query->inst, frame, done, &error);
	if (request)
		request->data = query->conn;
	else
		ctl_fail(query->conn, error == -EINVAL ? ENAMETOOLONG : -error);
}

/* Converts the next name of the request into @room. Returns 0 or a negative errno. */
static int take_name(struct query *query, char room[static NAME_ROOM], struct lfp_text *text)
{
	const char *name = (const char *)query->request->data + query->at;
	size_t left = query->request->len - query->at, len = strnlen(name, left);
	int n;

	if (len == left)
		return -EINVAL;
	query->at += len + 1;
	n = lfp_codepage_to_path(query->inst->link->codepage, name, len, room, NAME_ROOM);
	if (n == -EILSEQ)
		refusal_of_program_name(query->inst, name, len);
	if (n < 0)
		return n;
	text->ptr = (const uint8_t *)room;
	text->len = (uint16_t)n;
	return 0;
}

#define AI_WIRE (4 + LFP_ADDR_SIZE)

static void on_addrinfo(struct instance *inst, struct request *request,
			const struct lfp_frame *reply)
{
	const struct lfp_getaddrinfo_reply *r;
	struct answer answer = {.len = 0};

	if (!reply || reply->status) {
		ctl_fail(request->data, reply ? reply->status : ENETDOWN);
		return;
	}
	r = &reply->getaddrinfo_reply;
	put_name(inst, &answer, r->canonname.ptr, r->canonname.len);
	for (uint32_t at = 0; at + AI_WIRE <= r->entries.len; at += AI_WIRE) {
		const uint8_t *wire = r->entries.ptr + at;
		struct lfp_ctl_ai ai = {
			.kind = (uint16_t)(wire[0] << 8 | wire[1]),
			.protocol = (uint16_t)(wire[2] << 8 | wire[3]),
		};

		if (!lfp_addr_get(wire + 4, &ai.addr) && !put(&answer, &ai, sizeof(ai)))
			break;
	}
	ctl_answer(request->data, 0, r->error, answer.data, answer.len, -1);
}

static void getaddrinfo_call(struct query *query)
{
	const struct lfp_ctl_request *r = query->request;
	int family = r->b == AF_UNSPEC ? 0 : lfp_family_from(r->b), rc;
	char node[NAME_ROOM], service[NAME_ROOM];
	struct lfp_frame frame = {
		.code = LFP_GETADDRINFO,
		.getaddrinfo =
			{
				.flags = (uint32_t)r->a,
				.kind = (uint16_t)((uint32_t)r->c & 0xffff),
				.protocol = (uint16_t)((uint32_t)r->c >> 16),
				.given = r->len ? r->data[0] : 0,
			},
	};

	if (family < 0) {
		ctl_answer(query->conn, 0, EAI_FAMILY, NULL, 0, -1);
		return;
	}
	query->at = 1;
	if (r->len < 1 || frame.getaddrinfo.given > 3)
		rc = -EINVAL;
	else
		rc = take_name(query, node, &frame.getaddrinfo.node);
	if (!rc)
		rc = take_name(query, service, &frame.getaddrinfo.service);
	if (rc == -EINVAL) {
		ctl_fail(query->conn, EINVAL);
		return;
	}
	if (rc || frame.getaddrinfo.service.len > 256) {
		/* The name cannot be written in the code page of the path. */
		ctl_answer(query->conn, 0, rc ? EAI_NONAME : EAI_SERVICE, NULL, 0, -1);
		return;
	}
	frame.getaddrinfo.family = (uint16_t)family;
	ask(query, &frame, on_addrinfo);
}

static void on_nameinfo(struct instance *inst, struct request *request,
			const struct lfp_frame *reply)
{
	const struct lfp_getnameinfo_reply *r;
	struct answer answer = {.len = 0};

	if (!reply || reply->status) {
		ctl_fail(request->data, reply ? reply->status : ENETDOWN);
		return;
	}
	r = &reply->getnameinfo_reply;
	put_name(inst, &answer, r->host.ptr, r->host.len);
	put_name(inst, &answer, r->service.ptr, r->service.len);
	ctl_answer(request->data, 0, r->error, answer.data, answer.len, -1);
}

/* Decodes the address, which is all of the request's data. */
static bool take_addr(const struct query *query, struct lfp_addr *addr)
{
	uint8_t wire[LFP_ADDR_SIZE];

	if (query->request->len != sizeof(*addr))
		return false;
	memcpy(addr, query->request->data, sizeof(*addr));
	lfp_addr_put(addr, wire);
	return !lfp_addr_get(wire, addr);
}

static void getnameinfo_call(struct query *query)
{
	struct lfp_frame frame = {
		.code = LFP_GETNAMEINFO,
		.getnameinfo.flags = (uint32_t)query->request->a,
	};

	if (take_addr(query, &frame.getnameinfo.addr))
		ask(query, &frame, on_nameinfo);
	else
		ctl_fail(query->conn, EINVAL);
}

/* Skips @nr aliases. Returns the bytes that they take, or -EPROTO. */
static int skip_aliases(const struct lfp_bytes *rest, unsigned int nr)
{
	size_t at = 0;

	for (unsigned int i = 0; i < nr; i++) {
		if (rest->len - at < 2)
			return -EPROTO;
		at += 2 + (size_t)(rest->ptr[at] << 8 | rest->ptr[at + 1]);
		if (at > rest->len)
			return -EPROTO;
	}
	return (int)at;
}

static void on_hostent(struct instance *inst, struct request *request,
		       const struct lfp_frame *reply)
{
	const struct lfp_hostent *r;
	struct lfp_ctl_hostent head = {0};
	struct answer answer = {.len = 0};
	int aliases;

	if (!reply || reply->status) {
		ctl_fail(request->data, reply ? reply->status : ENETDOWN);
		return;
	}
	r = &reply->hostent;
	aliases = skip_aliases(&r->rest, r->aliases);
	if (r->h_errno_ || aliases < 0) {
		ctl_answer(request->data, 0, aliases < 0 ? NO_RECOVERY : (int)r->h_errno_, NULL, 0,
			   -1);
		return;
	}
	/* Addresses come first: if not everything fits, they matter more than aliases. */
	answer.len = sizeof(head);
	for (size_t at = (size_t)aliases; at + LFP_ADDR_SIZE <= r->rest.len; at += LFP_ADDR_SIZE) {
		struct lfp_addr addr;

		if (lfp_addr_get(r->rest.ptr + at, &addr))
			continue;
		if (answer.len > sizeof(answer.data) / 2 || !put(&answer, &addr, sizeof(addr)))
			break;
		head.nr_addrs++;
	}
	put_name(inst, &answer, r->name.ptr, r->name.len);
	for (size_t i = 0, at = 0; i < r->aliases; i++) {
		size_t len = (size_t)(r->rest.ptr[at] << 8 | r->rest.ptr[at + 1]);

		if (!put_name(inst, &answer, r->rest.ptr + at + 2, len))
			break;
		head.nr_aliases++;
		at += 2 + len;
	}
	memcpy(answer.data, &head, sizeof(head));
	ctl_answer(request->data, 0, 0, answer.data, answer.len, -1);
}

static void gethostbyname_call(struct query *query)
{
	int family = lfp_family_from(query->request->a), rc;
	char name[NAME_ROOM];
	struct lfp_frame frame = {.code = LFP_GETHOSTBYNAME};

	if (family < 0) {
		ctl_fail(query->conn, -family);
		return;
	}
	rc = take_name(query, name, &frame.gethostbyname.name);
	if (rc == -EINVAL) {
		ctl_fail(query->conn, EINVAL);
		return;
	}
	if (rc) {
		ctl_answer(query->conn, 0, HOST_NOT_FOUND, NULL, 0, -1);
		return;
	}
	frame.gethostbyname.family = (uint16_t)family;
	ask(query, &frame, on_hostent);
}

static void gethostbyaddr_call(struct query *query)
{
	struct lfp_frame frame = {.code = LFP_GETHOSTBYADDR};

	if (take_addr(query, &frame.gethostbyaddr.addr))
		ask(query, &frame, on_hostent);
	else
		ctl_fail(query->conn, EINVAL);
}

static void on_hostname(struct instance *inst, struct request *request,
			const struct lfp_frame *reply)
{
	const struct lfp_gethostname_reply *r;
	struct answer answer = {.len = 0};

	if (!reply || reply->status) {
		ctl_fail(request->data, reply ? reply->status : ENETDOWN);
		return;
	}
	r = &reply->gethostname_reply;
	put_name(inst, &answer, r->name.ptr, r->name.len);
	ctl_answer(request->data, 0, 0, answer.data, answer.len, -1);
}

static void on_hostid(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	(void)inst;
	if (!reply || reply->status)
		ctl_fail(request->data, reply ? reply->status : ENETDOWN);
	else
		ctl_answer(request->data, 0, (int)htonl(reply->gethostid_reply.id), NULL, 0, -1);
}

void names_handle(struct instance *inst, struct ctl_conn *conn,
		  const struct lfp_ctl_request *request)
{
	struct query query = {.inst = inst, .conn = conn, .request = request};
	struct lfp_frame frame = {0};

	switch (request->op) {
	case LFP_CTL_GETADDRINFO:
		getaddrinfo_call(&query);
		break;
	case LFP_CTL_GETNAMEINFO:
		getnameinfo_call(&query);
		break;
	case LFP_CTL_GETHOSTBYNAME:
		gethostbyname_call(&query);
		break;
	case LFP_CTL_GETHOSTBYADDR:
		gethostbyaddr_call(&query);
		break;
	case LFP_CTL_GETHOSTNAME:
		frame.code = LFP_GETHOSTNAME;
		ask(&query, &frame, on_hostname);
		break;
	default:
		frame.code = LFP_GETHOSTID;
		ask(&query, &frame, on_hostid);
		break;
	}
}
