/* SPDX-License-Identifier: Apache-2.0 */
/* hostid.c - has this host the addresses that z/VSE is confined to? */
#include "lfpd/policy/policy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/interface.h"
#include "lfpd/conf/config.h"

/* Only bind() knows: addresses may also come from routes of type local. */
static int try_bind(const char *interface, const struct sockaddr *addr, socklen_t len)
{
	int fd = socket(addr->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int rc;

	if (fd < 0)
		return -errno;
	rc = lfp_interface_bind(fd, interface);
	if (!rc && bind(fd, addr, len))
		rc = -errno;
	close(fd);
	return rc;
}

int hostid_check(const struct lfpd_config *config, struct hostid_fault *fault)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_addr = config->vse_hostid};
	struct sockaddr_in6 sin6 = {.sin6_family = AF_INET6, .sin6_addr = config->vse_hostid6};
	int rc;

	if (!config->restrict_to_hostid)
		return 0;
	fault->key = "VSE_HOSTID";
	inet_ntop(AF_INET, &sin.sin_addr, fault->addr, sizeof(fault->addr));
	rc = try_bind(config->host_interface, (struct sockaddr *)&sin, sizeof(sin));
	if (rc || IN6_IS_ADDR_UNSPECIFIED(&sin6.sin6_addr))
		return rc;
	fault->key = "VSE_HOSTID6";
	inet_ntop(AF_INET6, &sin6.sin6_addr, fault->addr, sizeof(fault->addr));
	return try_bind(config->host_interface, (struct sockaddr *)&sin6, sizeof(sin6));
}
