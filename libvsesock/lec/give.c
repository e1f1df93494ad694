/* SPDX-License-Identifier: Apache-2.0 */
/* give.c - getclientid, givesocket, takesocket */
#include <string.h>

#include "libvsesock/lec/lec.h"
#include "libvsesock/vse/socket.h"

EXPORT int lec_getclientid(int domain, struct lec_clientid *id);
EXPORT int lec_givesocket(int s, const struct lec_clientid *taker);
EXPORT int lec_takesocket(const struct lec_clientid *giver, int s);

/* Takes a client id from the program; 0 or a negative error. */
static int take_id(struct lfp_ctl_client *to, const struct lec_clientid *id, int wrong_domain)
{
	int family;

	if (memory_check_read(id, sizeof(*id)))
		return -EFAULT;
	family = id->domain ? vse_family_take(id->domain) : -1;
	if (family < 0)
		return -wrong_domain;
	to->family = family;
	memcpy(to->name, id->name, sizeof(to->name));
	memcpy(to->task, id->subtaskname, sizeof(to->task));
	return 0;
}

int lec_getclientid(int domain, struct lec_clientid *id)
{
	struct lfp_ctl_client own = {.family = domain ? vse_family_take(domain) : -1};
	struct vse_api *api;
	int rc;

	if (lec_enter(&api))
		return -1;
	if (own.family < 0)
		return lec_fail(EPFNOSUPPORT);
	if (memory_check_result(id, sizeof(*id)))
		return lec_fail(EFAULT);
	memset(own.name, ' ', sizeof(own.name));
	memset(own.task, ' ', sizeof(own.task));
	rc = vse_client_id(api, &own);
	if (rc < 0)
		return lec_fail(-rc);
	memset(id, 0, sizeof(*id));
	id->domain = domain;
	memcpy(id->name, own.name, sizeof(id->name));
	memcpy(id->subtaskname, own.task, sizeof(id->subtaskname));
	return 0;
}

int lec_givesocket(int s, const struct lec_clientid *taker)
{
	struct lfp_ctl_client to;
	struct vse_api *api;
	int rc;

	if (lec_enter(&api))
		return -1;
	rc = take_id(&to, taker, EINVAL);
	return rc < 0 ? lec_fail(-rc) : lec_end(vse_give(api, s, &to, 0));
}

int lec_takesocket(const struct lec_clientid *giver, int s)
{
	struct lfp_ctl_client from;
	struct vse_api *api;
	int rc;

	if (lec_enter(&api))
		return -1;
	rc = take_id(&from, giver, EPFNOSUPPORT);
	return rc < 0 ? lec_fail(-rc) : lec_end(vse_take(api, s, &from));
}
