/* SPDX-License-Identifier: Apache-2.0 */
/* view.c - what the kernel knows in a network namespace */
#include "devemu/hipersockets/view.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static FILE *open_table(int tid, const char *name)
{
	char path[80];

	snprintf(path, sizeof(path), "/proc/self/task/%d/net/%s", tid, name);
	return fopen(path, "re");
}

/* The first two are the paper's, the others ours. */
static const char *state_name(unsigned int state)
{
	static const char *const names[] = {
		[0x0a] = "Listen",   [0x01] = "Establsh", [0x02] = "SynSent",  [0x03] = "SynRcvd",
		[0x04] = "FinWait1", [0x05] = "FinWait2", [0x06] = "TimeWait", [0x07] = "Closed",
		[0x08] = "ClosWait", [0x09] = "LastAck",  [0x0b] = "Closing",  [0x0c] = "SynRcvd",
	};

	return state < sizeof(names) / sizeof(names[0]) && names[state] ? names[state] : "Unknown";
}

/* The kernel prints each word of an address as the machine's number. */
static bool read_address(const char *hex, bool ipv6, struct in6_addr *address)
{
	uint32_t word[4] = {0, 0, htonl(0xffff), 0};
	char part[9];

	if (strlen(hex) != (ipv6 ? 32 : 8))
		return false;
	for (int i = ipv6 ? 0 : 3; i < 4; i++, hex += 8) {
		memcpy(part, hex, 8);
		part[8] = '\0';
		word[i] = (uint32_t)strtoul(part, NULL, 16);
	}
	memcpy(address, word, sizeof(*address));
	return true;
}

static bool read_socket(const char *line, bool ipv6, struct netstat_socket *socket,
			unsigned long *inode)
{
	char local[33], foreign[33];
	unsigned int local_port, foreign_port, state;

	if (sscanf(line, " %*d: %32[0-9A-F]:%4x %32[0-9A-F]:%4x %2x %*s %*s %*s %*s %*s %lu", local,
		   &local_port, foreign, &foreign_port, &state, inode) != 6)
		return false;
	*socket = (struct netstat_socket){.number = (uint32_t)*inode,
					  .state = state_name(state),
					  .ipv6 = ipv6,
					  .local_port = (uint16_t)local_port,
					  .foreign_port = (uint16_t)foreign_port};
	return read_address(local, ipv6, &socket->local) &&
	       read_address(foreign, ipv6, &socket->foreign);
}

static void read_name(const char *process, char name[9])
{
	char path[64];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", process);
	file = fopen(path, "re");
	len = file ? fread(name, 1, 8, file) : 0;
	if (file)
		fclose(file);
	name[len] = '\0';
	name[strcspn(name, "\n")] = '\0';
	for (size_t i = 0; name[i]; i++)
		name[i] = name[i] > ' ' && name[i] < 0x7f ? (char)toupper((unsigned char)name[i])
							  : '?';
}

static bool has_socket(const char *process, unsigned long inode)
{
	char path[64], wanted[40], target[40];
	struct dirent *entry;
	bool found = false;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", process);
	snprintf(wanted, sizeof(wanted), "socket:[%lu]", inode);
	folder = opendir(path);
	if (!folder)
		return false;
	while (!found && (entry = readdir(folder))) {
		const ssize_t len =
			readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);

		if (len > 0) {
			target[len] = '\0';
			found = !strcmp(target, wanted);
		}
	}
	closedir(folder);
	return found;
}

static void find_client(unsigned long inode, char name[9])
{
	DIR *folder = inode ? opendir("/proc") : NULL;
	struct dirent *entry;

	name[0] = '\0';
	while (folder && !name[0] && (entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]) && has_socket(entry->d_name, inode))
			read_name(entry->d_name, name);
	if (folder)
		closedir(folder);
}

int view_sockets(int tid, const char *client,
		 void (*take)(void *context, const struct netstat_socket *socket), void *context)
{
	static const char *const tables[] = {"tcp", "tcp6"};
	struct netstat_socket socket;
	unsigned long inode;
	int nr = 0;

	for (int i = 0; i < 2; i++) {
		FILE *file = open_table(tid, tables[i]);
		char line[512];

		if (!file && i == 0)
			return -errno;
		while (file && fgets(line, sizeof(line), file)) {
			if (!read_socket(line, i == 1, &socket, &inode))
				continue;
			find_client(inode, socket.client);
			if (client && strcasecmp(client, socket.client))
				continue;
			take(context, &socket);
			nr++;
		}
		if (file)
			fclose(file);
	}
	return nr;
}

void view_groups(int tid, const char *interface, struct netstat_link *state)
{
	FILE *file = open_table(tid, "igmp");
	bool mine = false;
	char line[256], name[32];
	unsigned int address, members;

	state->groups = 0;
	while (file && fgets(line, sizeof(line), file)) {
		/* "2\thsi0      : ", and "2\tHIPERSOCKETS: " */
		if (line[0] != '\t' && sscanf(line, "%*d %31[^: ]", name) == 1)
			mine = !strcmp(name, interface);
		else if (mine && state->groups < NETSTAT_GROUPS &&
			 sscanf(line, " %8x %u", &address, &members) == 2) {
			state->group[state->groups].address = ntohl(address);
			state->group[state->groups++].members = members;
		}
	}
	if (file)
		fclose(file);
}

void view_inet6(int tid, const char *interface, char text[VIEW_INET6])
{
	FILE *file = open_table(tid, "if_inet6");
	char line[256], hex[33], name[32], address[INET6_ADDRSTRLEN];
	unsigned int prefix, scope;
	struct in6_addr in6;

	text[0] = '\0';
	while (file && !text[0] && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%32s %*x %x %x %*x %31s", hex, &prefix, &scope, name) != 4 ||
		    strcmp(name, interface) || scope != 0x20 || strlen(hex) != 32)
			continue;
		for (size_t i = 0; i < 16; i++) {
			const char part[] = {hex[2 * i], hex[2 * i + 1], '\0'};

			in6.s6_addr[i] = (uint8_t)strtoul(part, NULL, 16);
		}
		inet_ntop(AF_INET6, &in6, address, sizeof(address));
		snprintf(text, VIEW_INET6, "%s/%u", address, prefix);
	}
	if (file)
		fclose(file);
}
