/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - via.conf: what the appliance as a whole needs */
#include "via/settings.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lfp/number.h"
#include "lfp/places.h"

#define LINE_MAX_BYTES 256
#define WORDS_MAX      3
#define MTU_MIN        576u
#define MTU_MAX        65535u

struct reader {
	struct via_settings *settings;
	struct lfp_reader_errors *errs;
	int line;
	const char *key;
};

static int __attribute__((format(printf, 2, 3))) wrong(struct reader *rd, const char *fmt, ...)
{
	struct lfp_reader_error err;
	va_list ap;

	va_start(ap, fmt);
	lfp_reader_fail(&err, VIA_SETTINGS_FILE, rd->line, rd->key, fmt, ap);
	va_end(ap);
	lfp_reader_errors_add(rd->errs, &err);
	return -EINVAL;
}

static int read_ip(const char *text, struct via_ip *ip)
{
	memset(ip, 0, sizeof(*ip));
	ip->family = strchr(text, ':') ? AF_INET6 : AF_INET;
	return inet_pton(ip->family, text, ip->bytes) == 1 ? 0 : -EINVAL;
}

static int take_host_name(struct reader *rd, char **words, size_t nr)
{
	size_t len = strlen(words[0]);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)words[0][i]) && !strchr("-.", words[0][i]))
			return wrong(rd, "has a character that no host name has");
	if (nr != 1 || len >= sizeof(rd->settings->host_name))
		return wrong(rd, "must be one name of at most 63 characters");
	memcpy(rd->settings->host_name, words[0], len + 1);
	return 0;
}

/* A name, as the kernel gives it, or a MAC address, six pairs of digits with colons. The kernel
 * does not always number several devices in the same order. */
static bool is_device(const char *text)
{
	size_t len = strlen(text);

	if (len < IFNAMSIZ && !via_name_check(text))
		return true;
	if (len != VIA_DEVICE_MAX - 1)
		return false;
	for (size_t i = 0; i < len; i++)
		if (i % 3 == 2 ? text[i] != ':' : !isxdigit((unsigned char)text[i]))
			return false;
	return true;
}

static int take_address(struct reader *rd, char **words, size_t nr)
{
	struct via_settings *to = rd->settings;
	struct via_address address = {.prefix = 0};
	char *slash = strchr(words[0], '/');
	unsigned long prefix;

	if (slash)
		*slash++ = '\0';
	if (nr > 2 || !slash || read_ip(words[0], &address.ip) ||
	    lfp_number(slash, 0, address.ip.family == AF_INET ? 32 : 128, &prefix))
		return wrong(rd, "must be ADDRESS/PREFIX [DEVICE], such as 192.0.2.1/24 eth0");
	if (nr == 2 && !is_device(words[1]))
		return wrong(rd, "%.20s is no name or MAC address of a network device", words[1]);
	if (to->nr_addresses == VIA_ADDRESSES_MAX)
		return wrong(rd, "more than %d addresses", VIA_ADDRESSES_MAX);
	address.prefix = (unsigned int)prefix;
	if (nr == 2)
		memcpy(address.device, words[1], strlen(words[1]) + 1);
	to->addresses[to->nr_addresses++] = address;
	return 0;
}

static int take_device(struct reader *rd, char **words, size_t nr)
{
	struct via_settings *to = rd->settings;
	struct via_device device = {.mtu = 0};
	unsigned long mtu = 0;

	if (nr > 2 || !is_device(words[0]) ||
	    (nr == 2 && lfp_number(words[1], MTU_MIN, MTU_MAX, &mtu)))
		return wrong(rd, "must be NAME [MTU], an MTU of %u to %u", MTU_MIN, MTU_MAX);
	if (to->nr_devices == VIA_DEVICES_MAX)
		return wrong(rd, "more than %d devices", VIA_DEVICES_MAX);
	device.mtu = (unsigned int)mtu;
	memcpy(device.name, words[0], strlen(words[0]) + 1);
	to->devices[to->nr_devices++] = device;
	return 0;
}

static int take_gateway(struct reader *rd, char **words, size_t nr)
{
	struct via_settings *to = rd->settings;
	struct via_ip ip;

	if (nr != 1 || read_ip(words[0], &ip))
		return wrong(rd, "must be an address");
	for (size_t i = 0; i < to->nr_gateways; i++)
		if (to->gateways[i].family == ip.family)
			return wrong(rd, "there is already one for %s",
				     ip.family == AF_INET ? "IPv4" : "IPv6");
	to->gateways[to->nr_gateways++] = ip;
	return 0;
}

static int take_server(struct reader *rd, char **words, size_t nr, char out[INET6_ADDRSTRLEN])
{
	struct via_ip ip;

	if (nr != 1 || read_ip(words[0], &ip))
		return wrong(rd, "must be an address");
	inet_ntop(ip.family, ip.bytes, out, INET6_ADDRSTRLEN);
	return 0;
}

static int take_name_server(struct reader *rd, char **words, size_t nr)
{
	struct via_settings *to = rd->settings;

	if (to->nr_name_servers == VIA_SERVERS_MAX)
		return wrong(rd, "more than %d name servers", VIA_SERVERS_MAX);
	if (take_server(rd, words, nr, to->name_servers[to->nr_name_servers]))
		return -EINVAL;
	to->nr_name_servers++;
	return 0;
}

static int take_time_server(struct reader *rd, char **words, size_t nr)
{
	return take_server(rd, words, nr, rd->settings->time_server);
}

static int take_hsuid(struct reader *rd, char **words, size_t nr)
{
	if (nr != 1 || lfp_check_vmid(words[0]))
		return wrong(rd, "must have 1 to 8 characters of A to Z, 0 to 9 and $#@_+-:");
	memcpy(rd->settings->hsuid, words[0], strlen(words[0]) + 1);
	return 0;
}

static int take_controller(struct reader *rd, char **words, size_t nr)
{
	static const char *const kinds[] = {"vsock", "iucv", "user"};
	struct via_settings *to = rd->settings;
	struct via_controller one = {.number = 0};
	unsigned long number = 0;
	size_t kind = 0;

	while (kind < 3 && strcasecmp(words[0], kinds[kind]) != 0)
		kind++;
	one.kind = (enum via_controller_kind)kind;
	one.privileged =
		nr == 3 && !strcasecmp(words[2], "privileged") && one.kind == VIA_CONTROLLER_VSOCK;
	if (nr < 2 || nr > 3 || kind == 3 || (nr == 3 && !one.privileged))
		return wrong(rd, "must be vsock CID [privileged], iucv USERID or user NUMBER");
	if (one.kind == VIA_CONTROLLER_IUCV) {
		if (lfp_check_vmid(words[1]))
			return wrong(rd, "%.20s is no z/VM user id", words[1]);
		memcpy(one.vmid, words[1], strlen(words[1]) + 1);
	} else if (lfp_number(words[1], 0, UINT_MAX - 1, &number)) {
		return wrong(rd, "%.20s is no number", words[1]);
	}
	one.number = (uint32_t)number;
	if (to->nr_controllers == VIA_CONTROLLERS_MAX)
		return wrong(rd, "more than %d controllers", VIA_CONTROLLERS_MAX);
	to->controllers[to->nr_controllers++] = one;
	return 0;
}

static const struct key {
	const char *word;
	int (*take)(struct reader *rd, char **words, size_t nr);
} keys[] = {
	{"HOST_NAME", take_host_name},     {"ADDRESS", take_address},
	{"DEVICE", take_device},           {"GATEWAY", take_gateway},
	{"NAME_SERVER", take_name_server}, {"TIME_SERVER", take_time_server},
	{"CONTROLLER", take_controller},   {"CONTROLLER_HSUID", take_hsuid},
};

static size_t split(char *text, char *words[WORDS_MAX])
{
	size_t nr = 0;
	char *save = NULL;

	for (char *word = strtok_r(text, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		if (nr < WORDS_MAX)
			words[nr] = word;
		nr++;
	}
	return nr;
}

static int take_line(struct reader *rd, char *text)
{
	char *words[WORDS_MAX], *value, *comment = strchr(text, '#');
	size_t nr;

	rd->key = "";
	if (comment)
		*comment = '\0';
	text = lfp_reader_trim(text);
	if (!*text)
		return 0;
	value = strchr(text, '=');
	if (!value)
		return wrong(rd, "the line is not KEY = VALUE");
	*value++ = '\0';
	text = lfp_reader_trim(text);
	rd->key = text;
	nr = split(value, words);
	if (!nr)
		return wrong(rd, "has no value");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(text, keys[i].word))
			return keys[i].take(rd, words, nr);
	return wrong(rd, "there is no such key");
}

int via_settings_read(const struct via_file *file, struct via_settings *settings,
		      struct lfp_reader_errors *errs)
{
	struct reader rd = {.settings = settings, .errs = errs, .key = ""};
	const char *at = (const char *)file->data, *end = at + file->size;

	memset(settings, 0, sizeof(*settings));
	errs->nr = 0;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline ? newline : end) - at);
		char line[LINE_MAX_BYTES];

		rd.line++;
		rd.key = "";
		if (len >= sizeof(line) || memchr(at, '\0', len)) {
			(void)wrong(&rd, "the line is too long, or has a byte of zero");
		} else {
			memcpy(line, at, len);
			line[len] = '\0';
			if (len && line[len - 1] == '\r')
				line[len - 1] = '\0';
			(void)take_line(&rd, line);
		}
		at += len + 1;
	}
	return errs->nr ? -EINVAL : 0;
}
