/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - INITAPI, TERMAPI, GETCLIENTID, GIVESOCKET, TAKESOCKET, GETIBMOPT */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "libvsesock/core/place.h"
#include "libvsesock/eza/functions.h"
#include "libvsesock/strict/strict.h"
#include "libvsesock/vse/socket.h"
#include "libvsesock/vse/task.h"

#define LEAST_MAXSOC 50

#define EZA_PHASE "IJBLFPEZ"

int eza_begin(struct eza_call *call, const char *nn, long max)
{
	char phase[MUX_SYSID_MAX];
	int rc;

	place_setparm("EZA$PHA", phase);
	if (phase[0] && strcmp(phase, EZA_PHASE) != 0)
		return eza_fail(call, -VSE_ELOAD, 10110);
	/* Which phase z/VSE loads without it is not published. */
	rc = phase[0] ? 0 : strict_phase();
	if (rc < 0)
		return rc;
	rc = vse_api_get(&call->api, MUX_EZA, nn);
	/* A failed TCPNAME must not count for the next INITAPI. */
	if (rc < 0 && vse_api_find(MUX_EZA) && !vse_api_find(MUX_EZA)->set_up)
		vse_api_end(MUX_EZA);
	if (rc < 0)
		return rc == -ENETDOWN ? eza_fail(call, rc, 1036) : rc;
	vse_api_max(call->api, max < LEAST_MAXSOC ? LEAST_MAXSOC : (int)max);
	call->api->said = max > 0 ? (int)max : 0;
	call->api->set_up = true;
	return 0;
}

/* Takes a name of the program, if it has one: not blank, not X'00'. */
static int take_name(const struct eza_call *call, int i, size_t at, char name[LFP_CTL_CLIENT])
{
	char text[LFP_CTL_CLIENT + 1];
	struct eza_call part = *call;
	int rc;

	part.args[i].data = (char *)call->args[i].data + at;
	part.args[i].size = LFP_CTL_CLIENT;
	rc = eza_text(&part, i, LFP_CTL_CLIENT, text, sizeof(text));
	if (rc < 0)
		return rc;
	memset(name, ' ', LFP_CTL_CLIENT);
	memcpy(name, text, strlen(text));
	return 0;
}

/* MAXSOC, IDENT, SUBTASK, MAXSNO */
int eza_initapi(struct eza_call *call)
{
	struct lfp_ctl_client id = {.family = AF_INET};
	struct vse_api *api = vse_api_find(MUX_EZA);
	char tcpname[LFP_CTL_CLIENT], nn[3] = "";
	int rc;

	/* With LFP$CIC=SHARE each task calls INITAPI. */
	if (api && api->set_up && !vse_task_now()->share)
		return eza_fail(call, -EALREADY, 10197);
	rc = take_name(call, 1, 0, tcpname);
	if (!rc)
		rc = take_name(call, 1, 8, id.name);
	if (!rc)
		rc = take_name(call, 2, 0, id.task);
	if (rc < 0)
		return rc;
	/* SOCKETnn names an instance; other names are ignored. */
	if (!memcmp(tcpname, "SOCKET", 6) && isdigit((uint8_t)tcpname[6]) &&
	    isdigit((uint8_t)tcpname[7]))
		memcpy(nn, tcpname + 6, 2);
	rc = eza_begin(call, nn[0] ? nn : NULL, call->values[0]);
	if (rc < 0)
		return rc;
	rc = vse_client_id(call->api, &id);
	if (rc < 0) {
		call->api->set_up = false;
		vse_api_end(MUX_EZA);
		return rc == -EEXIST ? eza_fail(call, rc, 10109) : rc;
	}
	eza_set_number(&call->args[3], 4, call->api->max - 1);
	return 0;
}

int eza_termapi(struct eza_call *call)
{
	(void)call;
	vse_api_end(MUX_EZA);
	return 0;
}

/* CLIENT: DOMAIN (fullword), NAME, TASK, 20 unused bytes */
#define AT_NAME 4
#define AT_TASK 12

static int take_client(const struct eza_call *call, struct lfp_ctl_client *id, int wrong_domain)
{
	uint32_t domain = eza_word(call->order, call->args[1].data);
	int rc;

	if (domain != AF_INET && domain != VSE_AF_INET6)
		return -wrong_domain;
	id->family = vse_family_take((int)domain);
	rc = take_name(call, 1, AT_NAME, id->name);
	return rc ? rc : take_name(call, 1, AT_TASK, id->task);
}

/* CLIENT, whose DOMAIN may be set */
int eza_getclientid(struct eza_call *call)
{
	char *client = call->args[0].data, text[LFP_CTL_CLIENT + 1] = "";
	uint32_t domain = eza_word(call->order, client);
	struct lfp_ctl_client id;
	int rc;

	memset(&id, 0, sizeof(id));
	memset(id.name, ' ', sizeof(id.name));
	memset(id.task, ' ', sizeof(id.task));
	/* A missing or blank domain is IPv4. */
	if (domain != VSE_AF_INET6)
		domain = AF_INET;
	id.family = vse_family_take((int)domain);
	rc = vse_client_id(call->api, &id);
	if (rc < 0)
		return rc;
	eza_set_word(call->order, client, domain);
	memcpy(text, id.name, LFP_CTL_CLIENT);
	eza_set_text(call, client + AT_NAME, LFP_CTL_CLIENT, text, ' ');
	memcpy(text, id.task, LFP_CTL_CLIENT);
	eza_set_text(call, client + AT_TASK, LFP_CTL_CLIENT, text, ' ');
	memset(client + AT_TASK + LFP_CTL_CLIENT, 0, EZA_CLIENT - AT_TASK - LFP_CTL_CLIENT);
	return 0;
}

static int number_of(long s)
{
	return s < 0 || s > INT_MAX ? -1 : (int)s;
}

/* S, CLIENT (the taker) */
int eza_givesocket(struct eza_call *call)
{
	struct lfp_ctl_client to;
	int rc = take_client(call, &to, EINVAL);

	return rc ? rc : vse_give(call->api, number_of(call->values[0]), &to, 0);
}

/* SOCRECV, CLIENT (the giver) */
int eza_takesocket(struct eza_call *call)
{
	struct lfp_ctl_client giver;
	int rc = take_client(call, &giver, EPFNOSUPPORT);

	return rc ? rc : vse_take(call->api, number_of(call->values[0]), &giver);
}

/* COMMAND, BUF; z/OS lists its stacks, here the list is the one instance */
int eza_getibmopt(struct eza_call *call)
{
	char *buf = call->args[1].data, name[LFP_CTL_CLIENT + 1] = "SOCKET";
	uint32_t active = UINT32_C(0x80000001); /* status: active; version: 1 */
	int rc = eza_check_result(&call->args[1], 16);

	if (call->values[0] != 1)
		return eza_fail(call, -EINVAL, 10226);
	if (rc < 0)
		return rc;
	memcpy(name + 6, call->api->nn, 2);
	eza_set_word(call->order, buf, 1);
	eza_set_word(call->order, buf + 4, active);
	eza_set_text(call, buf + 8, LFP_CTL_CLIENT, name, ' ');
	return 0;
}
