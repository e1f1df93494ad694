/* SPDX-License-Identifier: Apache-2.0 */
/* system.c - what /proc and /sys say about this system */
#include "lfp/system.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool set_path(char path[static PATH_MAX], const char *format, va_list args)
{
	const char *root = getenv("LFP_SYSTEM");
	int len = snprintf(path, PATH_MAX, "%s", root ? root : ""), more;

	if (len < 0 || len >= PATH_MAX)
		return false;
	more = vsnprintf(path + len, PATH_MAX - (size_t)len, format, args);
	return more >= 0 && more < PATH_MAX - len;
}

bool lfp_system_path(char path[static PATH_MAX], const char *format, ...)
{
	va_list args;
	bool fits;

	va_start(args, format);
	fits = set_path(path, format, args);
	va_end(args);
	return fits;
}

bool lfp_system_has(const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	bool fits;

	va_start(args, format);
	fits = set_path(path, format, args);
	va_end(args);
	return fits && access(path, F_OK) == 0;
}

static void copy_trimmed(char out[static LFP_SYSTEM_NAME], const char *in)
{
	size_t len;

	in += strspn(in, " \t");
	len = strcspn(in, "\n");
	while (len && (in[len - 1] == ' ' || in[len - 1] == '\t'))
		len--;
	if (len >= LFP_SYSTEM_NAME)
		len = LFP_SYSTEM_NAME - 1;
	memcpy(out, in, len);
	out[len] = '\0';
}

bool lfp_system_line(char out[static LFP_SYSTEM_NAME], const char *format, ...)
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

bool lfp_system_value(char out[static LFP_SYSTEM_NAME], const char *path, const char *label)
{
	char full[PATH_MAX], line[256];
	size_t len = strlen(label);
	bool found = false;
	FILE *in;

	*out = '\0';
	in = lfp_system_path(full, "%s", path) ? fopen(full, "re") : NULL;
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

/* Local addresses are those of "/32 host LOCAL", each behind a line with the address itself. */
static bool has_ipv4(FILE *in, const char *text)
{
	char line[256], last[LFP_SYSTEM_NAME] = "";
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

bool lfp_system_has_address(int family, const char *text)
{
	char path[PATH_MAX];
	bool ipv6 = family == AF_INET6, found;
	FILE *in = lfp_system_path(path, "/proc/net/%s", ipv6 ? "if_inet6" : "fib_trie")
			   ? fopen(path, "re")
			   : NULL;

	if (!in)
		return false;
	found = ipv6 ? has_ipv6(in, text) : has_ipv4(in, text);
	fclose(in);
	return found;
}

bool lfp_system_has_capability(pid_t pid, unsigned int capability)
{
	char path[LFP_SYSTEM_NAME], text[LFP_SYSTEM_NAME];

	if (pid)
		snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	else
		snprintf(path, sizeof(path), "/proc/self/status");
	return lfp_system_value(text, path, "CapEff") && strtoull(text, NULL, 16) >> capability & 1;
}
