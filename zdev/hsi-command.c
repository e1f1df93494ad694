/* SPDX-License-Identifier: Apache-2.0 */
/* hsi-command.c - the commands of zdev hsi */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "devemu/hipersockets/view.h"
#include "json/json.h"
#include "zdev/hsi.h"

enum { WORDS = 5 };

static int refuse(char why[HSI_WHY], const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int refuse(char why[HSI_WHY], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, HSI_WHY, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int show_link(const struct hsi_run *run, const char *name, FILE *out, char why[HSI_WHY])
{
	struct netstat_link state = {.frame = run->pair.frame};
	const time_t now = time(NULL);
	struct tm local;

	if (strcasecmp(name, run->pair.link->name))
		return refuse(why, "link %.40s is not %s", name, run->pair.link->name);
	if (localtime_r(&now, &local))
		strftime(state.time, sizeof(state.time), "%H:%M:%S", &local);
	lan_counters(run->lan, LAN_ZOS, &state.counters);
	view_groups(lan_thread(run->lan, LAN_ZOS), run->pair.link->name, &state);
	netstat_devlinks(run->pair.profile, run->pair.link, &state, out);
	return 1;
}

static void show_socket(void *context, const struct netstat_socket *socket)
{
	netstat_socket(socket, context);
}

static int show_sockets(const struct hsi_run *run, const char *client, FILE *out, char why[HSI_WHY])
{
	const int rc = view_sockets(lan_thread(run->lan, LAN_ZOS), client, show_socket, out);

	return rc < 0 ? refuse(why, "the sockets cannot be read: %s", strerror(-rc)) : 1;
}

static int show_interface(const struct hsi_run *run, const char *name, FILE *out, char why[HSI_WHY])
{
	struct linux_interface interface = *run->pair.interface;
	struct netstat_counters counters;
	char inet6[VIEW_INET6];

	if (name && strcmp(name, interface.name))
		return refuse(why, "interface %.40s is not %s", name, interface.name);
	lan_linux_values(run->lan, &interface);
	lan_counters(run->lan, LAN_LINUX, &counters);
	view_inet6(lan_thread(run->lan, LAN_LINUX), interface.name, inet6);
	netstat_ifconfig(&interface, inet6, &counters, out);
	return 1;
}

static json_t *counters_json(const struct hsi_run *run, enum lan_end end)
{
	struct netstat_counters counters;
	const struct {
		const char *name;
		const uint64_t *count;
	} fields[] = {
		{"bytes_in", &counters.bytes_in},
		{"packets_in", &counters.packets_in},
		{"discarded_in", &counters.discarded_in},
		{"no_protocol", &counters.no_protocol},
		{"bytes_out", &counters.bytes_out},
		{"packets_out", &counters.packets_out},
		{"discarded_out", &counters.discarded_out},
		{"discarded_out_bytes", &counters.discarded_out_bytes},
	};
	json_t *object = json_object();

	lan_counters(run->lan, end, &counters);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		json_object_set_new(object, fields[i].name, json_count(*fields[i].count));
	json_object_set_new(object, "waiting", json_count(lan_waiting(run->lan, end)));
	return object;
}

static int show_counters(const struct hsi_run *run, FILE *out, char why[HSI_WHY])
{
	json_t *object = json_object();

	json_object_set_new(object, "zos", counters_json(run, LAN_ZOS));
	json_object_set_new(object, "linux", counters_json(run, LAN_LINUX));
	return json_line(object, 0, out) < 0 ? refuse(why, "the counters cannot be written") : 1;
}

static int hold(const struct hsi_run *run, const char *end, bool held, char why[HSI_WHY])
{
	if (!strcasecmp(end, "ZOS"))
		lan_hold(run->lan, LAN_ZOS, held);
	else if (!strcasecmp(end, "LINUX"))
		lan_hold(run->lan, LAN_LINUX, held);
	else
		return refuse(why, "'%.40s' is neither ZOS nor LINUX", end);
	return 1;
}

static int netstat(const struct hsi_run *run, char *const word[WORDS], unsigned int words,
		   FILE *out, char why[HSI_WHY])
{
	if (words == 4 && !strcmp(word[1], "-d") && !strcmp(word[2], "-K"))
		return show_link(run, word[3], out, why);
	if (words == 2 && !strcmp(word[1], "-a"))
		return show_sockets(run, NULL, out, why);
	if (words == 4 && !strcmp(word[1], "-a") && !strcmp(word[2], "-E"))
		return show_sockets(run, word[3], out, why);
	return refuse(why, "NETSTAT needs -d -K LINK, -a, or -a -E CLIENT");
}

static int obey(const struct hsi_run *run, char *const word[WORDS], unsigned int words, FILE *out,
		char why[HSI_WHY])
{
	if (!strcasecmp(word[0], "NETSTAT"))
		return netstat(run, word, words, out, why);
	if (!strcasecmp(word[0], "ifconfig") && words <= 2)
		return show_interface(run, word[1], out, why);
	if (!strcasecmp(word[0], "COUNTERS") && words == 1)
		return show_counters(run, out, why);
	if (!strcasecmp(word[0], "HOLD") && words == 2)
		return hold(run, word[1], true, why);
	if (!strcasecmp(word[0], "RELEASE") && words == 2)
		return hold(run, word[1], false, why);
	if (!strcasecmp(word[0], "STOP") && words == 1)
		return 0;
	return refuse(why,
		      "'%.40s' is not a command: NETSTAT, ifconfig, COUNTERS, HOLD, RELEASE, "
		      "STOP",
		      word[0]);
}

int hsi_command(const struct hsi_run *run, const char *line, FILE *out, char why[HSI_WHY])
{
	char copy[HSI_COMMAND + 1], *word[WORDS] = {NULL}, *save = NULL;
	unsigned int words = 0;
	int rc;

	if (strlen(line) >= HSI_COMMAND)
		return refuse(why, "the command is longer than %d characters", HSI_COMMAND - 1);
	strcpy(copy, line);
	for (char *next = strtok_r(copy, " \t", &save); next; next = strtok_r(NULL, " \t", &save)) {
		if (words == WORDS)
			return refuse(why, "the command has more than %d words", WORDS);
		word[words++] = next;
	}
	rc = words ? obey(run, word, words, out, why) : 1;
	if (rc > 0)
		putc('\n', out);
	return rc;
}
