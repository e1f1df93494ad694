/* SPDX-License-Identifier: Apache-2.0 */
/* display.c - recognises commands, and the short answers */
#include "devemu/report/display.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "devemu/engine/display.h"
#include "devemu/fabric/zhpf.h"
#include "devemu/hipersockets/netstat.h"
#include "devemu/report/report.h"

static int refuse(char why[120], int rc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(char why[120], int rc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, 120, fmt, ap);
	va_end(ap);
	return rc;
}

/* Letters large, blanks only one at a time and none beside commas and brackets. */
static int normal(const char *text, char *result, size_t size)
{
	size_t len = 0;

	for (; *text; text++) {
		if (isspace((unsigned char)*text)) {
			if (len && result[len - 1] != ' ' && !strchr(",(=", result[len - 1]))
				result[len++] = ' ';
		} else {
			if (len && result[len - 1] == ' ' && strchr(",()=", *text))
				len--;
			result[len++] = (char)toupper((unsigned char)*text);
		}
		if (len + 1 >= size)
			return -EINVAL;
	}
	if (len && result[len - 1] == ' ')
		len--;
	result[len] = '\0';
	return 0;
}

/* PREFIX, 1 to @digits hexadecimal digits, ")"; returns what is behind it, or NULL. */
static const char *bracketed(const char *text, const char *prefix, int digits, unsigned int *number)
{
	const size_t len = strlen(prefix);
	unsigned int value = 0;
	int n;

	if (strncmp(text, prefix, len))
		return NULL;
	text += len;
	for (n = 0; isxdigit((unsigned char)text[n]); n++)
		value = value << 4 |
			(unsigned int)(isdigit((unsigned char)text[n]) ? text[n] - '0'
								       : text[n] - 'A' + 10);
	if (n < 1 || n > digits || text[n] != ')')
		return NULL;
	*number = value;
	return text + n + 1;
}

void display_head(const struct fabric *fabric, unsigned int number, FILE *out)
{
	char date[11], time[9];

	report_clock(fabric, fabric->sim.now, date, time);
	fprintf(out, "IEE174I %s DISPLAY M %03u\n", time, number);
}

const char *display_security(const struct fabric_path *path)
{
	static const char *const names[] = {
		[SECURITY_NONE] = "None",
		[SECURITY_AUTHENTICATED] = "Auth",
		[SECURITY_ENCRYPTED] = "Encr",
	};

	return names[path->security];
}

static int display_m(struct fabric *fabric, const char *what, unsigned int message, FILE *out,
		     char why[120])
{
	const struct fabric_device *device;
	const struct fabric_channel *channel;
	const char *rest;
	unsigned int number;

	if (!strcmp(what, "CPU")) {
		display_head(fabric, message, out);
		display_processors(fabric, out);
		return 0;
	}
	rest = bracketed(what, "DEV(", 5, &number);
	if (rest && !*rest) {
		device = fabric_device(fabric, number);
		if (!device)
			return refuse(why, -ENODEV, "device %05X does not exist", number);
		display_head(fabric, message, out);
		display_device(fabric, device, out);
		return 0;
	}
	rest = bracketed(what, "CHP(", 2, &number);
	if (rest && (!*rest || !strcmp(rest, ",PATHINFO"))) {
		channel = fabric_channel(fabric, number);
		if (!channel)
			return refuse(why, -ENODEV, "channel path %02X does not exist", number);
		display_head(fabric, message, out);
		display_channel(fabric, channel, *rest, out);
		return 0;
	}
	return refuse(why, -EINVAL, "D M= needs DEV(nnnn), CHP(nn), CHP(nn),PATHINFO or CPU");
}

/* The definitions of the tcpip member. No packets are simulated, so all counters are 0. Every host
 * is in the group of all hosts, 224.0.0.1 (RFC 1112). */
static int display_netstat(const struct fabric *fabric, const char *what, FILE *out, char why[120])
{
	struct netstat_link state = {.frame = fabric->config->hipersockets_frame,
				     .groups = 1,
				     .group = {{.address = 0xe0000001, .members = 1}}};
	const struct profile_link *link;
	char date[11];

	if (strncmp(what, "-D -K ", 6) || !what[6])
		return refuse(why, -EINVAL, "NETSTAT needs -d -K LINK");
	if (!fabric->config->profile)
		return refuse(why, -ENODEV, "the scenario has no tcpip statement");
	link = tcpip_profile_link(fabric->config->profile, what + 6);
	if (!link)
		return refuse(why, -ENODEV, "link %.40s does not exist", what + 6);
	report_clock(fabric, fabric->sim.now, date, state.time);
	state.time[2] = state.time[5] = ':';
	netstat_devlinks(fabric->config->profile, link, &state, out);
	return 0;
}

int display_command(struct fabric *fabric, const char *command, unsigned int number, FILE *out,
		    char why[120])
{
	char text[80];
	const char *rest;

	if (normal(command, text, sizeof(text)) < 0)
		return refuse(why, -EINVAL, "the command is longer than %zu characters",
			      sizeof(text) - 1);
	if (!strncmp(text, "SETIOS ", 7)) {
		if (zhpf_setios(fabric, text) < 0)
			return refuse(why, -EINVAL, "SETIOS needs ZHPF=YES or ZHPF=NO");
		zhpf_display(fabric, out);
		return 0;
	}
	if (!strncmp(text, "NETSTAT ", 8))
		return display_netstat(fabric, text + 8, out, why);
	rest = !strncmp(text, "D ", 2) ? text + 2 : !strncmp(text, "DISPLAY ", 8) ? text + 8 : NULL;
	if (!rest)
		return refuse(why, -EINVAL,
			      "the command is neither D (DISPLAY), SETIOS nor NETSTAT");
	if (!strcmp(rest, "IOS,ZHPF")) {
		zhpf_display(fabric, out);
		return 0;
	}
	if (!strncmp(rest, "M=", 2))
		return display_m(fabric, rest + 2, number, out, why);
	return refuse(why, -EINVAL, "D needs M= or IOS,ZHPF");
}

void display_processors(const struct fabric *fabric, FILE *out)
{
	const struct system_config *system = &fabric->config->system;
	const struct cpu_machine machine = {
		.machine = system->machine,
		.model = system->model,
		.capacity = system->capacity,
		.serial = system->serial,
		.cpc = system->cpc,
		.lpar = system->lpar,
		.lpar_id = system->lpar_id,
		.css = system->css,
		.mif = system->mif,
	};

	cpu_display(&machine, system->cpus, system->ziips, NULL, NULL, out);
}
