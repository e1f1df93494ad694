/* SPDX-License-Identifier: Apache-2.0 */
/* ipsec-command.c - commands to a running zdev ipsec */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "zdev/ipsec.h"

static int refuse(char why[120], const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int refuse(char why[120], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, 120, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Capital letters, one blank between words. */
static int normal(const char *command, char text[IPSEC_COMMAND])
{
	size_t nr = 0;

	for (; *command; command++) {
		const bool blank = isspace((unsigned char)*command);

		if (blank && (!nr || text[nr - 1] == ' '))
			continue;
		if (nr + 1 == IPSEC_COMMAND)
			return -EINVAL;
		text[nr++] = blank ? ' ' : (char)toupper((unsigned char)*command);
	}
	if (nr && text[nr - 1] == ' ')
		nr--;
	text[nr] = '\0';
	return 0;
}

static void show_drops(const atomic_uint_fast64_t *drop, FILE *out)
{
	for (int i = 1; i < DROP_REASONS; i++)
		if (atomic_load(&drop[i]))
			fprintf(out, " %s=%" PRIuFAST64, drop_name((enum ipsec_drop)i),
				atomic_load(&drop[i]));
}

static void show_sa(struct sa *sa, bool current, FILE *out)
{
	const struct sa_config *config = &sa->config;
	char src[IP_ADDR_TEXT], dst[IP_ADDR_TEXT];

	fprintf(out,
		"%-12s %-3s %s SPI %" PRIu32 " %s > %s packets=%" PRIuFAST64 " bytes=%" PRIuFAST64
		" sequence=%" PRIu64,
		config->name, config->inbound ? "in" : "out", config->ah ? "AH " : "ESP",
		config->spi, ip_addr_text(&config->src, src), ip_addr_text(&config->dst, dst),
		atomic_load(&sa->counters.packets), atomic_load(&sa->counters.bytes),
		config->inbound ? sa_highest(sa) : (uint64_t)atomic_load(&sa->sequence));
	if (!config->inbound)
		fprintf(out, " mtu=%u%s", atomic_load(&sa->mtu), current ? " current" : "");
	show_drops(sa->counters.drop, out);
	fputc('\n', out);
}

static void show_sas(const struct ipsec_run *run, FILE *out)
{
	const struct stack *stack = ipsec_path_stack(run->path);
	const struct policy *policy = run->policy;
	struct ipsec_path_counters counters;

	for (unsigned int i = 0; i < policy->actions; i++)
		for (unsigned int g = 0; g < policy->action[i].generations; g++) {
			show_sa(stack_sa(stack, i, g, true), false, out);
			show_sa(stack_sa(stack, i, g, false), stack_generation(stack, i) == g, out);
		}
	ipsec_path_read(run->path, &counters);
	fprintf(out,
		"all: sent=%" PRIu64 " delivered=%" PRIu64 " eligible-out=%" PRIu64
		" ineligible-out=%" PRIu64,
		counters.out_packets, counters.in_packets, counters.eligible_out,
		counters.ineligible_out);
	for (int i = 1; i < DROP_REASONS; i++)
		if (stack_drops(stack, (enum ipsec_drop)i))
			fprintf(out, " %s=%" PRIu64, drop_name((enum ipsec_drop)i),
				stack_drops(stack, (enum ipsec_drop)i));
	fputc('\n', out);
}

/* "CPU(02),OFFLINE" */
static int configure(struct ipsec_run *run, const char *text, char why[120])
{
	unsigned int engine = 0;
	bool online;
	int end = 0, rc;

	if (sscanf(text, "CPU(%2x)%n", &engine, &end) != 1 || !end ||
	    (strcmp(text + end, ",ONLINE") && strcmp(text + end, ",OFFLINE")))
		return refuse(why, "CONFIG needs CPU(nn),ONLINE or CPU(nn),OFFLINE");
	online = !strcmp(text + end, ",ONLINE");
	rc = pool_vary(run->pool, engine, online);
	if (rc == -ENODEV)
		return refuse(why, "CPU %02X does not exist", engine);
	if (rc == -EBUSY)
		return refuse(why, "CPU %02X is the last general processor online", engine);
	if (rc == -EALREADY)
		return refuse(why, "CPU %02X is %s already", engine, online ? "online" : "offline");
	return 1;
}

int ipsec_command(struct ipsec_run *run, const char *command, FILE *out, char why[120])
{
	char text[IPSEC_COMMAND];

	if (normal(command, text) < 0)
		return refuse(why, "the command is longer than %d characters", IPSEC_COMMAND - 1);
	if (!text[0])
		return 1;
	if (!strcmp(text, "STOP"))
		return 0;
	if (!strcmp(text, "SA")) {
		show_sas(run, out);
		return 1;
	}
	if (!strncmp(text, "CONFIG ", 7))
		return configure(run, text + 7, why);
	if (!strncmp(text, "CF ", 3))
		return configure(run, text + 3, why);
	return refuse(why, "the command is none of SA, CONFIG (CF), STOP");
}
