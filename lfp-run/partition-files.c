/* SPDX-License-Identifier: Apache-2.0 */
/* partition-files.c - the configurations in the directory of a partition */
#include "lfp-run/partition-inner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int partition_write(const char *path, const char *text)
{
	FILE *out = fopen(path, "we");
	int rc;

	if (!out)
		return -errno;
	rc = fputs(text, out) < 0 ? -errno : 0;
	if (fclose(out) && !rc)
		rc = -errno;
	return rc;
}

/* Writes the instance's statements, where lfpd or the keeper's ijblfpop looks for them. HoldTime is
 * 0, because the instance and its other side end together. */
static int write_statements(const struct partition *part)
{
	char path[LFP_PLACE_MAX + 32], text[512];
	int rc;

	snprintf(path, sizeof(path), "%s/etc/vselfp/lfp-%s.conf", part->dir, part->nn);
	rc = lfp_place_make_parent(path);
	if (rc < 0)
		return rc;
	snprintf(text, sizeof(text),
		 "ID = %s\nMTU = 32768\nIucvMsgLimit = 1024\nInitialBufferSpace = 512K\n"
		 "MaxBufferSpace = 16M\nIucvSrcAppName = LFP%s\nIucvDestAppName = " PARTITION_NAME
		 "\nIucvDestVMId = " PARTITION_VMID "\nWindowSize = 262144\nWindowThreshold = 25\n"
		 "HoldTime = 0\n%s",
		 part->nn, part->nn, part->stack == MUX_STACK_HOST ? "Transport = local\n" : "");
	return partition_write(path, text);
}

/* Finds the address for GETHOSTID: the first one of this machine outside 127.0.0.0/8. */
static void host_address(char text[static INET_ADDRSTRLEN])
{
	struct ifaddrs *list = NULL;
	struct in_addr addr = {.s_addr = htonl(INADDR_LOOPBACK)};

	(void)getifaddrs(&list);
	for (const struct ifaddrs *at = list; at; at = at->ifa_next) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)(void *)at->ifa_addr;

		if (in && in->sin_family == AF_INET && ntohl(in->sin_addr.s_addr) >> 24 != 127) {
			addr = in->sin_addr;
			break;
		}
	}
	if (list)
		freeifaddrs(list);
	(void)inet_ntop(AF_INET, &addr, text, INET_ADDRSTRLEN);
}

/* Writes the configuration of lfpd. Root's lfpd stays root, as the program does. */
static int write_lfpd(struct partition *part)
{
	const struct passwd *user = geteuid() ? NULL : getpwuid(0);
	char text[640], address[INET_ADDRSTRLEN];

	host_address(address);
	snprintf(part->conf, sizeof(part->conf), "%s/lfpd-" PARTITION_NAME ".conf", part->dir);
	snprintf(text, sizeof(text),
		 "IUCV_SRC_APPNAME = " PARTITION_NAME "\nPEER_IUCV_VMID = " PARTITION_VMID
		 "\nPEER_IUCV_APPNAME = LFP%s\nIUCV_MSGLIMIT = 1024\nMTU_SIZE = 32768\n"
		 "MAX_SOCKETS = 8192\nINITIAL_IO_BUFS = 64\nWINDOW_SIZE = 262144\n"
		 "WINDOW_THRESHOLD = 25\nRESTRICT_TO_HOSTID = no\nLOG_INFO_MSG = no\n"
		 "PRIVILEGED_PORTS = root\n"
		 "VSE_CODEPAGE = US-ASCII\nTRANSPORT = local\nLOCAL_INSTANCE = %s\n"
		 "VSE_HOSTID = %s\n%s%s%s",
		 part->nn, part->nn, address, user ? "USER = " : "", user ? user->pw_name : "",
		 user ? "\n" : "");
	return partition_write(part->conf, text);
}

/* Finds the configuration of lfp-stack: ETC/vselfp/stack-NN.conf, beside those of instances. */
static int find_conf(struct partition *part)
{
	char place[LFP_PLACE_MAX], *slash;
	int rc = lfp_place_mux(place);

	if (rc < 0)
		return rc;
	slash = strrchr(place, '/');
	if (!slash)
		return -EINVAL;
	*slash = '\0';
	snprintf(part->conf, sizeof(part->conf), "%s/stack-%s.conf", place, part->nn);
	return access(part->conf, R_OK) ? -errno : 0;
}

/* Adds CONNECTION_LOG to lfpd's configuration. */
static int add_log(const struct partition *part)
{
	FILE *out = fopen(part->conf, "ae");

	if (!out)
		return -errno;
	fprintf(out, "CONNECTION_LOG = /dev/fd/%d\nCONNECTION_LOG_RATE = 100000\n",
		PARTITION_LOG_FD);
	return fclose(out) ? -errno : 0;
}

int partition_fill(struct partition *part, char why[static PATH_MAX])
{
	int rc = part->stack == MUX_STACK_HOST ? write_lfpd(part) : find_conf(part);

	if (rc < 0)
		return partition_fail(
			why, part->stack == MUX_STACK_HOST ? "cannot write" : "cannot read its",
			part->conf, rc);
	rc = part->log >= 0 ? add_log(part) : 0;
	if (rc < 0)
		return partition_fail(why, "cannot write", part->conf, rc);
	if (part->rules)
		rc = partition_add_publish(part);
	if (rc < 0)
		return partition_fail(why, "cannot use --publish for", part->conf, rc);
	rc = partition_add_rules(part);
	if (rc < 0)
		return partition_fail(why, "cannot use the rules for", part->dir, rc);
	rc = write_statements(part);
	return rc < 0 ? partition_fail(why, "cannot write the statements in", part->dir, rc) : 0;
}
