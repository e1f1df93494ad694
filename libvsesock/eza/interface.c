/* SPDX-License-Identifier: Apache-2.0 */
/* interface.c - IOCTL for interfaces: SIOCGIFADDR, SIOCGIFBRDADDR, SIOCGIFDSTADDR, SIOCGIFCONF */
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>

#include "libvsesock/eza/functions.h"

#define EZA_SIOCGIFADDR    UINT32_C(0xC020A70D)
#define EZA_SIOCGIFDSTADDR UINT32_C(0xC020A70F)
#define EZA_SIOCGIFBRDADDR UINT32_C(0xC020A712)
#define EZA_SIOCGIFCONF    UINT32_C(0xC008A714)

/* IFREQ: 16 characters and a NAME of IPv4 */
#define IFREQ_LEN   (IFNAMSIZ + VSE_SOCKADDR_IN)
#define IFREQS_MOST 100

static void give_ifreq(const struct eza_call *call, char *to, const struct ifreq *from)
{
	struct sockaddr_storage addr = {0};
	char name[IFNAMSIZ + 1] = "";

	memcpy(name, from->ifr_name, IFNAMSIZ);
	memcpy(&addr, &from->ifr_addr, sizeof(from->ifr_addr));
	eza_set_text(call, to, IFNAMSIZ, name, ' ');
	vse_addr_give(to + IFNAMSIZ, VSE_SOCKADDR_IN, &addr, VSE_ADDR_EZA);
}

static int give_address(struct eza_call *call, unsigned long request)
{
	struct ifreq ifreq;
	char name[IFNAMSIZ + 1];
	int rc;

	memset(&ifreq, 0, sizeof(ifreq));
	rc = eza_text(call, 2, IFNAMSIZ, name, sizeof(name));
	if (!rc)
		rc = eza_check_result(&call->args[3], IFREQ_LEN);
	if (rc < 0)
		return rc;
	memcpy(ifreq.ifr_name, name, IFNAMSIZ);
	ifreq.ifr_name[IFNAMSIZ - 1] = '\0';
	if (ioctl(call->fd, request, &ifreq))
		return -errno;
	give_ifreq(call, call->args[3].data, &ifreq);
	return 0;
}

/* REQARG is the size of RETARG; unused entries are zero. */
static int give_list(struct eza_call *call)
{
	struct ifreq all[IFREQS_MOST];
	struct ifconf conf = {.ifc_len = sizeof(all), .ifc_req = all};
	char *to = call->args[3].data;
	size_t room, nr;
	long len;
	int rc = eza_check(&call->args[2], 4);

	if (rc < 0)
		return rc;
	len = eza_number(&call->args[2], 4);
	if (len < 0)
		return -EINVAL;
	room = (size_t)len / IFREQ_LEN;
	if (room > IFREQS_MOST)
		room = IFREQS_MOST;
	rc = eza_check_result(&call->args[3], room * IFREQ_LEN);
	if (rc < 0)
		return rc;
	if (ioctl(call->fd, SIOCGIFCONF, &conf))
		return -errno;
	nr = (size_t)conf.ifc_len / sizeof(*all);
	memset(to, 0, room * IFREQ_LEN);
	for (size_t i = 0; i < nr && i < room; i++)
		give_ifreq(call, to + i * IFREQ_LEN, &all[i]);
	return 0;
}

int eza_interface(struct eza_call *call)
{
	switch ((uint32_t)call->values[1]) {
	case EZA_SIOCGIFADDR:
		return give_address(call, SIOCGIFADDR);
	case EZA_SIOCGIFDSTADDR:
		return give_address(call, SIOCGIFDSTADDR);
	case EZA_SIOCGIFBRDADDR:
		return give_address(call, SIOCGIFBRDADDR);
	case EZA_SIOCGIFCONF:
		return give_list(call);
	default:
		return -EINVAL;
	}
}
