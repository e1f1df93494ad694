/* SPDX-License-Identifier: Apache-2.0 */
/* ipsec-command.c - commands to a running zdev ipsec */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "devemu/engine/display.h"
#include "devemu/engine/workload.h"
#include "devemu/fabric/preset.h"
#include "json/json.h"
#include "zdev/ipsec.h"

/* Velocity goal and importance as in IBM's report. */
#define GOAL 5.0

static int refuse(char why[120], const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int refuse(char why[120], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, 120, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Folds @text to capital letters and one blank between words. */
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

/* @to: a stream */
static void show_sa(struct sa *sa, bool current, void *to)
{
	FILE *out = to;
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

/* Shows an SA, to a stream or an array. */
typedef void (*show_function)(struct sa *sa, bool current, void *to);

static void show_generation(const struct ipsec_run *run, unsigned int action,
			    unsigned int generation, show_function show, void *to)
{
	const struct stack *stack = ipsec_path_stack(run->path);

	for (int inbound = 1; inbound >= 0; inbound--) {
		const bool current = !inbound && stack_generation(stack, action) == generation;
		struct sa *around = stack_sa_around(stack, action, generation, inbound);
		struct sa *sa = stack_sa(stack, action, generation, inbound);

		if (around)
			show(around, current, to);
		if (sa)
			show(sa, current, to);
	}
}

static void show_all(const struct ipsec_run *run, show_function show, void *to)
{
	const struct policy *policy = run->policy;

	for (unsigned int i = 0; i < policy->actions; i++)
		for (unsigned int g = 0; g < policy->action[i].generations; g++)
			show_generation(run, i, g, show, to);
}

static void show_sas(const struct ipsec_run *run, FILE *out)
{
	const struct stack *stack = ipsec_path_stack(run->path);
	struct ipsec_path_counters counters;

	show_all(run, show_sa, out);
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

static json_t *drops_json(uint64_t (*count)(const void *of, enum ipsec_drop reason), const void *of)
{
	json_t *object = json_object();

	for (int i = 1; i < DROP_REASONS; i++) {
		const uint64_t nr = count(of, (enum ipsec_drop)i);

		if (nr)
			json_object_set_new(object, drop_name((enum ipsec_drop)i), json_count(nr));
	}
	return object;
}

static uint64_t sa_drops(const void *of, enum ipsec_drop reason)
{
	const struct sa *sa = of;

	return atomic_load(&sa->counters.drop[reason]);
}

static uint64_t all_drops(const void *of, enum ipsec_drop reason)
{
	return stack_drops(of, reason);
}

/* @to: an array */
static void sa_json(struct sa *sa, bool current, void *to)
{
	const struct sa_config *config = &sa->config;
	char src[IP_ADDR_TEXT], dst[IP_ADDR_TEXT];
	json_t *object = json_object();

	json_object_set_new(object, "action", json_text(config->name));
	json_object_set_new(object, "direction", json_text(config->inbound ? "in" : "out"));
	json_object_set_new(object, "protocol", json_text(config->ah ? "AH" : "ESP"));
	json_object_set_new(object, "spi", json_count(config->spi));
	json_object_set_new(object, "source", json_text(ip_addr_text(&config->src, src)));
	json_object_set_new(object, "destination", json_text(ip_addr_text(&config->dst, dst)));
	json_object_set_new(object, "packets", json_count(atomic_load(&sa->counters.packets)));
	json_object_set_new(object, "bytes", json_count(atomic_load(&sa->counters.bytes)));
	json_object_set_new(object, "sequence",
			    json_count(config->inbound ? sa_highest(sa)
						       : (uint64_t)atomic_load(&sa->sequence)));
	if (!config->inbound) {
		json_object_set_new(object, "mtu", json_count(atomic_load(&sa->mtu)));
		json_object_set_new(object, "current", json_boolean(current));
	}
	json_object_set_new(object, "drops", drops_json(sa_drops, sa));
	json_array_append_new(to, object);
}

static void sas_json(const struct ipsec_run *run, FILE *out)
{
	const struct stack *stack = ipsec_path_stack(run->path);
	json_t *object = json_object(), *sas = json_array(), *all = json_object();
	struct ipsec_path_counters counters;

	show_all(run, sa_json, sas);
	ipsec_path_read(run->path, &counters);
	json_object_set_new(all, "sent", json_count(counters.out_packets));
	json_object_set_new(all, "delivered", json_count(counters.in_packets));
	json_object_set_new(all, "eligible-out", json_count(counters.eligible_out));
	json_object_set_new(all, "ineligible-out", json_count(counters.ineligible_out));
	json_object_set_new(all, "drops", drops_json(all_drops, stack));
	json_object_set_new(object, "sas", sas);
	json_object_set_new(object, "all", all);
	(void)json_line(object, JSON_COMPACT, out);
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

static bool is_online(const void *context, unsigned int cpu)
{
	const struct pool_account *account = context;

	return account->engine[cpu].online;
}

static unsigned int configured(const struct ipsec_run *run, enum engine_kind kind)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < run->pool_config.engines; i++)
		nr += run->pool_config.engine[i].kind == kind;
	return nr;
}

/* Prints the machine of IBM's display, with the processors of this pool. */
static void display_cpu(struct ipsec_run *run, FILE *out)
{
	static const struct cpu_machine machine = {"2094",    "S38", "730", "29B8E", "RP569",
						   "RALNS42", 2,     0,     2};
	const time_t now = time(NULL);
	struct pool_account account;
	struct tm tm;

	localtime_r(&now, &tm);
	pool_read(run->pool, &account);
	fprintf(out, "IEE174I %02d.%02d.%02d DISPLAY M %03u\n", tm.tm_hour, tm.tm_min, tm.tm_sec,
		++run->messages);
	cpu_display(&machine, configured(run, ENGINE_CP), configured(run, ENGINE_ZIIP), is_online,
		    &account, out);
}

static void show_switches(const struct ipsec_run *run, FILE *out)
{
	fprintf(out,
		"GLOBAL CONFIGURATION INFORMATION:\n"
		"ZIIP:\n"
		"  IPSECURITY: %s\n"
		"IIPHONORPRIORITY=%s PROJECTCPU=%s\n",
		run->switches.ziip_ipsecurity ? "YES" : "NO",
		run->switches.honor_priority ? "YES" : "NO",
		run->switches.project_cpu ? "YES" : "NO");
}

static void switches_json(const struct ipsec_run *run, FILE *out)
{
	json_t *object = json_object();

	json_object_set_new(object, "ziip_ipsecurity", json_boolean(run->switches.ziip_ipsecurity));
	json_object_set_new(object, "iiphonorpriority", json_boolean(run->switches.honor_priority));
	json_object_set_new(object, "projectcpu", json_boolean(run->switches.project_cpu));
	(void)json_line(object, JSON_COMPACT, out);
}

static void show_engines(const struct pool_account *account, unsigned int engines, FILE *out)
{
	for (unsigned int i = 0; i < engines; i++) {
		const struct engine_account *engine = &account->engine[i];

		fprintf(out,
			"CPU %02X %-4s %-7s cpu_s=%.6f class_s=%.6f eligible_s=%.6f online_s=%.6f\n",
			i, engine->kind == ENGINE_CP ? "CP" : "zIIP",
			engine->online ? "online" : "offline", (double)engine->thread_ns / 1e9,
			(double)engine->charged_ns / 1e9, (double)engine->eligible_ns / 1e9,
			(double)engine->online_ns / 1e9);
	}
}

/* Prints the report of the interval since the last report. */
static void report(struct ipsec_run *run, bool json, FILE *out)
{
	const unsigned int engines = run->pool_config.engines;
	struct pool_account now, interval;
	struct workload workload = {.importance = run->pool_config.class[run->class].importance,
				    .goal = GOAL,
				    .units = preset_ziip.units,
				    .ziips = configured(run, ENGINE_ZIIP) > 0,
				    .project = run->switches.project_cpu};
	const uint64_t io_ns = ipsec_path_cpu_ns(run->path);
	struct projection projection;

	pool_read(run->pool, &now);
	pool_account_between(&run->begin, &now, &interval);
	strcpy(workload.class, run->pool_config.class[run->class].name);
	workload.interval = (double)interval.now_ns / 1e9;
	workload.account = interval.class[run->class];
	if (json) {
		workload_json(&workload, out);
	} else {
		workload_text(&workload, out);
		fprintf(out, "\nNOT IN THE CLASS: TCP/IP cpu_s=%.6f, %s cpu_s=%.6f\n",
			(double)(io_ns - run->begin_io_ns) / 1e9,
			run->pool_config.class[run->other].name,
			(double)interval.class[run->other].cp_ns / 1e9);
		fprintf(out, "ELIGIBLE UNITS ON CPS WHILE A ZIIP IS ONLINE: help=%u held=%u\n",
			interval.helped, interval.promoted);
		show_engines(&interval, engines, out);
		if (workload.project && !workload.ziips) {
			projection_compute((double)workload.account.iipcp_ns / 1e7 /
						   workload.interval,
					   run->pool_config.engine[0].share,
					   workload_capture(&interval, engines), &projection);
			projection_text(&projection, out);
		}
	}
	run->begin = now;
	run->begin_io_ns = io_ns;
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
	if (!strcmp(text, "SA JSON")) {
		sas_json(run, out);
		return 1;
	}
	if (!strcmp(text, "D M=CPU") || !strcmp(text, "DISPLAY M=CPU")) {
		display_cpu(run, out);
		return 1;
	}
	if (!strcmp(text, "NETSTAT CONFIG")) {
		show_switches(run, out);
		return 1;
	}
	if (!strcmp(text, "NETSTAT CONFIG JSON")) {
		switches_json(run, out);
		return 1;
	}
	if (!strcmp(text, "REPORT") || !strcmp(text, "REPORT JSON")) {
		report(run, text[6], out);
		return 1;
	}
	if (!strncmp(text, "CONFIG ", 7))
		return configure(run, text + 7, why);
	if (!strncmp(text, "CF ", 3))
		return configure(run, text + 3, why);
	return refuse(
		why,
		"the command is none of REPORT, D M=CPU, NETSTAT CONFIG, SA, CONFIG (CF), STOP");
}
