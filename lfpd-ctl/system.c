/* SPDX-License-Identifier: Apache-2.0 */
/* system.c - what /proc and /sys say about this system */
#include "lfpd-ctl/system.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QETH    "/sys/bus/ccwgroup/drivers/qeth"
#define IFF_UP_ 1ul

static bool set_path(char path[static PATH_MAX], const char *format, va_list args)
{
	const char *root = getenv("LFP_SYSTEM");
	int len = snprintf(path, PATH_MAX, "%s", root ? root : ""), more;

	if (len < 0 || len >= PATH_MAX)
		return false;
	more = vsnprintf(path + len, PATH_MAX - (size_t)len, format, args);
	return more >= 0 && more < PATH_MAX - len;
}

static bool build_path(char path[static PATH_MAX], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool build_path(char path[static PATH_MAX], const char *format, ...)
{
	va_list args;
	bool fits;

	va_start(args, format);
	fits = set_path(path, format, args);
	va_end(args);
	return fits;
}

bool system_has(const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	bool fits;

	va_start(args, format);
	fits = set_path(path, format, args);
	va_end(args);
	return fits && access(path, F_OK) == 0;
}

static void copy_trimmed(char out[static SYSTEM_NAME], const char *in)
{
	size_t len;

	in += strspn(in, " \t");
	len = strcspn(in, "\n");
	while (len && (in[len - 1] == ' ' || in[len - 1] == '\t'))
		len--;
	if (len >= SYSTEM_NAME)
		len = SYSTEM_NAME - 1;
	memcpy(out, in, len);
	out[len] = '\0';
}

bool system_line(char out[static SYSTEM_NAME], const char *format, ...)
{
	char path[PATH_MAX], line[256] = "";
	va_list args;
	FILE *in;
	bool fits;

	*out = '\0';
	va_start(args, format);
	fits = set_path(path, format, args);
	va_end(args);
	in = fits ? fopen(path, "re") : NULL;
	if (!in)
		return false;
	fits = fgets(line, sizeof(line), in);
	fclose(in);
	copy_trimmed(out, line);
	return fits;
}

bool system_value(char out[static SYSTEM_NAME], const char *path, const char *label)
{
	char full[PATH_MAX], line[256];
	size_t len = strlen(label);
	bool found = false;
	FILE *in;

	*out = '\0';
	in = build_path(full, "%s", path) ? fopen(full, "re") : NULL;
	if (!in)
		return false;
	while (!found && fgets(line, sizeof(line), in)) {
		found = !strncmp(line, label, len) && line[len] == ':';
		if (found)
			copy_trimmed(out, line + len + 1);
	}
	fclose(in);
	return found;
}

static bool is_one(const char *id, const char *attribute)
{
	char text[SYSTEM_NAME];

	return system_line(text, QETH "/%s/%s", id, attribute) && !strcmp(text, "1");
}

static void describe(struct system_device *device, const char *id)
{
	char text[SYSTEM_NAME];

	memset(device, 0, sizeof(*device));
	copy_trimmed(device->id, id);
	device->hipersockets =
		system_line(text, QETH "/%s/card_type", id) && strstr(text, "HiperSockets");
	device->layer2 = is_one(id, "layer2");
	device->online = is_one(id, "online");
	(void)system_line(device->interface, QETH "/%s/if_name", id);
	if (!*device->interface)
		return;
	if (system_line(text, "/sys/class/net/%s/mtu", device->interface))
		device->mtu = strtoul(text, NULL, 10);
	if (system_line(text, "/sys/class/net/%s/flags", device->interface))
		device->up = strtoul(text, NULL, 16) & IFF_UP_;
}

bool system_find_hsuid(struct system_device *out, const char *hsuid, unsigned int *devices)
{
	char path[PATH_MAX], text[SYSTEM_NAME];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	*devices = 0;
	dir = build_path(path, QETH) ? opendir(path) : NULL;
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		if (!strchr(entry->d_name, '.') || *entry->d_name == '.')
			continue;
		describe(out, entry->d_name);
		*devices += out->hipersockets;
		found = system_line(text, QETH "/%s/hsuid", entry->d_name) && !strcmp(text, hsuid);
	}
	closedir(dir);
	return found;
}

/* Local addresses are those of "/32 host LOCAL", each behind a line with the address itself. */
static bool has_ipv4(FILE *in, const char *text)
{
	char line[256], last[SYSTEM_NAME] = "";
	bool found = false;

	while (!found && fgets(line, sizeof(line), in)) {
		char *at = strstr(line, "|-- ");

		if (at)
			copy_trimmed(last, at + 4);
		else
			found = strstr(line, "host LOCAL") && !strcmp(last, text);
	}
	return found;
}

static bool has_ipv6(FILE *in, const char *text)
{
	char line[256], digits[33] = "";
	struct in6_addr addr;
	bool found = false;

	if (inet_pton(AF_INET6, text, &addr) != 1)
		return false;
	for (int i = 0; i < 16; i++)
		snprintf(digits + 2 * i, 3, "%02x", addr.s6_addr[i]);
	while (!found && fgets(line, sizeof(line), in))
		found = !strncmp(line, digits, 32);
	return found;
}

bool system_has_address(int family, const char *text)
{
	char path[PATH_MAX];
	bool ipv6 = family == AF_INET6, found;
	FILE *in = build_path(path, "/proc/net/%s", ipv6 ? "if_inet6" : "fib_trie")
			   ? fopen(path, "re")
			   : NULL;

	if (!in)
		return false;
	found = ipv6 ? has_ipv6(in, text) : has_ipv4(in, text);
	fclose(in);
	return found;
}

bool system_has_capability(pid_t pid, unsigned int capability)
{
	char path[SYSTEM_NAME], text[SYSTEM_NAME];

	if (pid)
		snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	else
		snprintf(path, sizeof(path), "/proc/self/status");
	return system_value(text, path, "CapEff") && strtoull(text, NULL, 16) >> capability & 1;
}
