/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.c - the numbers of an instance, in one table for lfpd-admin and for metrics */
#include "lfpd/watch/statistics.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "lfpd/state/session.h"
#include "lfpd/users/share.h"
#include "lfpd/watch/trace.h"

#define PREFIX "lfpd_"

#define VALUE(name, expression)                                                                    \
	static uint64_t name(const struct instance *inst)                                          \
	{                                                                                          \
		return expression;                                                                 \
	}

#define COUNTED(member) VALUE(get_##member, inst->counters.member)

COUNTED(paths)
COUNTED(paths_refused)
COUNTED(tasks)
COUNTED(tasks_refused)
COUNTED(sockets)
COUNTED(sockets_refused)
COUNTED(rules_refused)
COUNTED(limits_refused)
COUNTED(rates_held)
COUNTED(log_records)
COUNTED(log_left_out)
COUNTED(accepts)
COUNTED(connects)
COUNTED(connects_failed)
COUNTED(joins)
COUNTED(resets)
COUNTED(disagreements)
COUNTED(pauses)
COUNTED(bytes_to_host)
COUNTED(bytes_to_vse)
COUNTED(bytes_joined)
COUNTED(datagrams_to_host)
COUNTED(datagrams_to_vse)
COUNTED(datagram_bytes_to_host)
COUNTED(datagram_bytes_to_vse)

/* Returns the counts of ended paths plus those of the present one. */
#define OF_PATH(kept, member)                                                                      \
	VALUE(get_##kept,                                                                          \
	      inst->counters.kept + (inst->session ? path_stats(inst->session->path)->member : 0))

OF_PATH(packets_in, packets_in)
OF_PATH(packets_out, packets_out)
OF_PATH(path_bytes_in, bytes_in)
OF_PATH(path_bytes_out, bytes_out)
OF_PATH(frames_in, frames_in)
OF_PATH(frames_out, frames_out)
OF_PATH(limit_waits, limit_waits)
OF_PATH(data_in, data_in)
OF_PATH(data_out, data_out)
OF_PATH(credits_in, credits_in)
OF_PATH(credits_out, credits_out)
OF_PATH(windows_in, windows_in)
OF_PATH(windows_out, windows_out)
OF_PATH(spliced_in, spliced_in)
OF_PATH(spliced_out, spliced_out)
OF_PATH(calls_in, transport.calls_in)
OF_PATH(calls_out, transport.calls_out)
OF_PATH(transport_waits, transport.full)
OF_PATH(wakeups_in, transport.wakeups_in)
OF_PATH(wakeups_out, transport.wakeups_out)
OF_PATH(polls_hit, transport.polls_hit)
OF_PATH(polls_missed, transport.polls_missed)

VALUE(get_user_sockets_refused, inst->counters.refused_users[SHARE_SOCKETS])
VALUE(get_user_tasks_refused, inst->counters.refused_users[SHARE_TASKS])
VALUE(get_user_lookups_refused, inst->counters.refused_users[SHARE_LOOKUPS])
VALUE(get_users, inst->shares.users.count)
VALUE(get_connected, inst->session != NULL)
VALUE(get_start_time, (uint64_t)inst->start_time)
VALUE(get_active_tasks, inst->session ? inst->session->tasks.count : 0)
VALUE(get_max_tasks, inst->config.max_vse_tasks)
VALUE(get_active_sockets, inst->nr_sockets)
VALUE(get_associations, inst->nr_associations)
VALUE(get_max_sockets, inst->config.max_sockets)
VALUE(get_io_buffers, inst->pool.allocated)
VALUE(get_io_buffers_used, inst->pool.in_use)
VALUE(get_outstanding, inst->session ? path_stats(inst->session->path)->outstanding : 0)
VALUE(get_queued, inst->session ? path_stats(inst->session->path)->queued : 0)
VALUE(get_msglimit, inst->session ? path_msglimit(inst->session->path) : 0)
VALUE(get_trace_running, trace_is_on(inst))
VALUE(get_trace_records, trace_records(inst))
VALUE(get_trace_lost, trace_lost(inst))

static struct rusage own_usage(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return ru;
}

static uint64_t in_us(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_usec;
}

static uint64_t get_cpu(const struct instance *inst)
{
	struct rusage ru = own_usage();

	(void)inst;
	return in_us(ru.ru_utime) + in_us(ru.ru_stime);
}

static uint64_t get_cpu_user(const struct instance *inst)
{
	(void)inst;
	return in_us(own_usage().ru_utime);
}

static uint64_t get_page_reads(const struct instance *inst)
{
	(void)inst;
	return (uint64_t)own_usage().ru_majflt;
}

#define IN       "direction=\"in\""
#define OUT      "direction=\"out\""
#define TO_HOST  "direction=\"to_host\""
#define TO_VSE   "direction=\"to_vse\""
#define GOOD     "result=\"made\""
#define BAD      "result=\"failed\""
#define ADMITTED "result=\"admitted\""
#define REFUSED  "result=\"refused\""
#define HIT      "result=\"hit\""
#define MISSED   "result=\"missed\""

static const struct statistic table[] = {
	{"connected", "connected", "", STATISTIC_GAUGE, "Whether a z/VSE instance is connected.",
	 get_connected},
	{"start_time", "start_time_seconds", "", STATISTIC_GAUGE,
	 "When the instance was started, in seconds since 1970.", get_start_time},
	{"cpu", "cpu_seconds", "", STATISTIC_COUNTER_US,
	 "CPU time that the instance has used, in seconds.", get_cpu},
	{"cpu_user", "cpu_user_seconds", "", STATISTIC_COUNTER_US,
	 "CPU time in user mode, included in cpu_seconds.", get_cpu_user},
	{"page_reads", "page_reads", "", STATISTIC_COUNTER,
	 "Pages that were read from disk for the instance.", get_page_reads},
	{"paths_admitted", "paths", ADMITTED, STATISTIC_COUNTER,
	 "Paths of z/VSE instances, by result.", get_paths},
	{"paths_refused", "paths", REFUSED, STATISTIC_COUNTER, "", get_paths_refused},
	{"tasks", "tasks", "", STATISTIC_GAUGE, "Active z/VSE tasks.", get_active_tasks},
	{"tasks_max", "tasks_max", "", STATISTIC_GAUGE,
	 "Maximum of active z/VSE tasks, MAX_VSE_TASKS.", get_max_tasks},
	{"tasks_begun", "task_begins", ADMITTED, STATISTIC_COUNTER,
	 "Tasks that asked to begin, by result.", get_tasks},
	{"tasks_refused", "task_begins", REFUSED, STATISTIC_COUNTER, "", get_tasks_refused},
	{"sockets", "sockets", "", STATISTIC_GAUGE, "Active sockets.", get_active_sockets},
	{"sockets_max", "sockets_max", "", STATISTIC_GAUGE,
	 "Maximum of active sockets, MAX_SOCKETS.", get_max_sockets},
	{"sockets_made", "socket_calls", GOOD, STATISTIC_COUNTER,
	 "Sockets that z/VSE has asked for.", get_sockets},
	{"sockets_failed", "socket_calls", BAD, STATISTIC_COUNTER, "", get_sockets_refused},
	{"rules_refused", "rule_refusals", "", STATISTIC_COUNTER,
	 "Calls that the rules of POLICY_FILE have refused.", get_rules_refused},
	{"limits_refused", "limit_refusals", "", STATISTIC_COUNTER,
	 "Connections that a limit in POLICY_FILE has refused, included in rule_refusals.",
	 get_limits_refused},
	{"rates_held", "rate_holds", "", STATISTIC_COUNTER,
	 "Times that a rate in POLICY_FILE began to hold data.", get_rates_held},
	{"log_records", "log_records", "", STATISTIC_COUNTER,
	 "Records of the connection log, CONNECTION_LOG.", get_log_records},
	{"log_left_out", "log_left_out", "", STATISTIC_COUNTER,
	 "Records that the connection log lacks.", get_log_left_out},
	{"users", "users", "", STATISTIC_GAUGE, "Users that have tasks, sockets or look-ups.",
	 get_users},
	{"user_sockets_refused", "user_refusals", "what=\"socket\"", STATISTIC_COUNTER,
	 "Times that a user wanted more than its share, by kind.", get_user_sockets_refused},
	{"user_tasks_refused", "user_refusals", "what=\"task\"", STATISTIC_COUNTER, "",
	 get_user_tasks_refused},
	{"user_lookups_refused", "user_refusals", "what=\"lookup\"", STATISTIC_COUNTER, "",
	 get_user_lookups_refused},
	{"connects_made", "connects", GOOD, STATISTIC_COUNTER,
	 "TCP connections that z/VSE has asked for, by their result.", get_connects},
	{"connects_failed", "connects", BAD, STATISTIC_COUNTER, "", get_connects_failed},
	{"associations", "udp_associations", "", STATISTIC_GAUGE,
	 "Associations of UDP sockets with proxies of SOCKS5.", get_associations},
	{"accepts", "accepts", "", STATISTIC_COUNTER, "TCP connections that were accepted.",
	 get_accepts},
	{"joins", "joins", "", STATISTIC_COUNTER,
	 "TCP connections between two sockets of the instance, whose data leaves out the host's "
	 "TCP.",
	 get_joins},
	{"resets", "resets", "", STATISTIC_COUNTER, "TCP connections that were lost.", get_resets},
	{"disagreements", "disagreements", "", STATISTIC_COUNTER,
	 "Frames that did not fit the state of their socket, which was reset.", get_disagreements},
	{"accept_pauses", "accept_pauses", "", STATISTIC_COUNTER,
	 "Times that accepting began to pause, for lack of sockets or descriptors.", get_pauses},
	{"stream_bytes_to_host", "stream_bytes", TO_HOST, STATISTIC_COUNTER,
	 "Payload of TCP connections, in bytes.", get_bytes_to_host},
	{"stream_bytes_to_vse", "stream_bytes", TO_VSE, STATISTIC_COUNTER, "", get_bytes_to_vse},
	{"stream_bytes_joined", "stream_bytes_joined", "", STATISTIC_COUNTER,
	 "Payload that went from one TCP socket of the instance to another without the host's "
	 "TCP, in bytes, included in both directions of stream_bytes.",
	 get_bytes_joined},
	{"datagrams_to_host", "datagrams", TO_HOST, STATISTIC_COUNTER, "Datagrams of UDP.",
	 get_datagrams_to_host},
	{"datagrams_to_vse", "datagrams", TO_VSE, STATISTIC_COUNTER, "", get_datagrams_to_vse},
	{"datagram_bytes_to_host", "datagram_bytes", TO_HOST, STATISTIC_COUNTER,
	 "Payload of datagrams, in bytes.", get_datagram_bytes_to_host},
	{"datagram_bytes_to_vse", "datagram_bytes", TO_VSE, STATISTIC_COUNTER, "",
	 get_datagram_bytes_to_vse},
	{"packets_in", "path_packets", IN, STATISTIC_COUNTER, "Packets on the path.",
	 get_packets_in},
	{"packets_out", "path_packets", OUT, STATISTIC_COUNTER, "", get_packets_out},
	{"path_bytes_in", "path_bytes", IN, STATISTIC_COUNTER,
	 "Bytes of packets on the path, with their headers.", get_path_bytes_in},
	{"path_bytes_out", "path_bytes", OUT, STATISTIC_COUNTER, "", get_path_bytes_out},
	{"frames_in", "path_frames", IN, STATISTIC_COUNTER, "Frames on the path.", get_frames_in},
	{"frames_out", "path_frames", OUT, STATISTIC_COUNTER, "", get_frames_out},
	{"packets_waiting", "path_packets_waiting", "", STATISTIC_GAUGE,
	 "Packets with data that the peer has not yet taken off the path.", get_outstanding},
	{"packets_queued", "path_packets_queued", "", STATISTIC_GAUGE,
	 "Packets that the transport has not yet taken.", get_queued},
	{"msglimit", "path_message_limit", "", STATISTIC_GAUGE,
	 "The message limit in use, 0 without a path.", get_msglimit},
	{"limit_waits", "path_limit_waits", "", STATISTIC_COUNTER,
	 "Times that data waited for the message limit.", get_limit_waits},
	{"data_packets_in", "path_data_packets", IN, STATISTIC_COUNTER,
	 "Packets with data, which the message limit counts.", get_data_in},
	{"data_packets_out", "path_data_packets", OUT, STATISTIC_COUNTER, "", get_data_out},
	{"credits_in", "path_credits", IN, STATISTIC_COUNTER,
	 "Packets with data that the receiver has reported as taken off the path.", get_credits_in},
	{"credits_out", "path_credits", OUT, STATISTIC_COUNTER, "", get_credits_out},
	{"windows_in", "path_windows", IN, STATISTIC_COUNTER,
	 "WINDOW frames, which allow a socket to send more.", get_windows_in},
	{"windows_out", "path_windows", OUT, STATISTIC_COUNTER, "", get_windows_out},
	{"spliced_in", "path_spliced_bytes", IN, STATISTIC_COUNTER,
	 "Bytes of stream data that went by reference, in pipes, included in path_bytes.",
	 get_spliced_in},
	{"spliced_out", "path_spliced_bytes", OUT, STATISTIC_COUNTER, "", get_spliced_out},
	{"transport_calls_in", "transport_calls", IN, STATISTIC_COUNTER,
	 "Batches of packets that the transport has moved.", get_calls_in},
	{"transport_calls_out", "transport_calls", OUT, STATISTIC_COUNTER, "", get_calls_out},
	{"transport_waits", "transport_waits", "", STATISTIC_COUNTER,
	 "Times that the transport did not take all packets.", get_transport_waits},
	{"transport_wakeups_in", "transport_wakeups", IN, STATISTIC_COUNTER,
	 "Wake-ups between this instance and its peer.", get_wakeups_in},
	{"transport_wakeups_out", "transport_wakeups", OUT, STATISTIC_COUNTER, "", get_wakeups_out},
	{"transport_polls_hit", "transport_polls", HIT, STATISTIC_COUNTER,
	 "Polls before sleep, by whether a packet came.", get_polls_hit},
	{"transport_polls_missed", "transport_polls", MISSED, STATISTIC_COUNTER, "",
	 get_polls_missed},
	{"io_buffers", "io_buffers", "", STATISTIC_GAUGE, "I/O buffers that are allocated.",
	 get_io_buffers},
	{"io_buffers_used", "io_buffers_used", "", STATISTIC_GAUGE, "I/O buffers that are in use.",
	 get_io_buffers_used},
	{"trace_running", "trace_running", "", STATISTIC_GAUGE, "Whether a trace is running.",
	 get_trace_running},
	{"trace_records", "trace_records", "", STATISTIC_COUNTER, "Frames that were traced.",
	 get_trace_records},
	{"trace_lost", "trace_lost", "", STATISTIC_COUNTER, "Frames that a trace has lost.",
	 get_trace_lost},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct statistic *statistics(size_t *nr)
{
	*nr = COUNT(table);
	return table;
}

static void print_value(const struct statistic *statistic, const struct instance *inst, FILE *out)
{
	uint64_t value = statistic->value(inst);

	if (statistic->kind == STATISTIC_COUNTER_US)
		fprintf(out, "%" PRIu64 ".%06" PRIu64, value / 1000000, value % 1000000);
	else
		fprintf(out, "%" PRIu64, value);
}

void statistics_answer(const struct instance *inst, FILE *out)
{
	/* The time of the look, by which rates are made. */
	fprintf(out, "time_us\t%" PRIu64 "\n", uv_hrtime() / 1000);
	fprintf(out, "columns\tname:s\tkind:s\tvalue:n\n");
	for (size_t i = 0; i < COUNT(table); i++) {
		fprintf(out, "row\t%s\t%s\t", table[i].key,
			table[i].kind == STATISTIC_GAUGE ? "gauge" : "counter");
		print_value(&table[i], inst, out);
		putc('\n', out);
	}
}

static void print_head(const struct statistic *statistic, bool openmetrics, FILE *out)
{
	bool counter = statistic->kind != STATISTIC_GAUGE;
	const char *total = counter && !openmetrics ? "_total" : "";
	const char *family = statistic->family;

	/* 0.0.4 names the samples here, OpenMetrics the family. */
	fprintf(out, "# HELP " PREFIX "%s%s %s\n", family, total, statistic->help);
	fprintf(out, "# TYPE " PREFIX "%s%s %s\n", family, total, counter ? "counter" : "gauge");
}

void statistics_expose(const struct instance *inst, bool openmetrics, FILE *out)
{
	const char *name = inst->config.iucv_src_appname; /* has no quote and no backslash */
	const char *family = "";

	fprintf(out,
		"# HELP " PREFIX "%s Names and version of this lfpd.\n# TYPE " PREFIX "%s %s\n",
		openmetrics ? "build" : "build_info", openmetrics ? "build" : "build_info",
		openmetrics ? "info" : "gauge");
	fprintf(out, PREFIX "build_info{instance=\"%s\",vmid=\"%s\",version=\"%s\"} 1\n", name,
		inst->vmid, VSELFPD_VERSION);
	for (size_t i = 0; i < COUNT(table); i++) {
		const struct statistic *statistic = &table[i];

		if (strcmp(statistic->family, family) != 0)
			print_head(statistic, openmetrics, out);
		family = statistic->family;
		fprintf(out, PREFIX "%s%s{instance=\"%s\"%s%s} ", family,
			statistic->kind == STATISTIC_GAUGE ? "" : "_total", name,
			*statistic->label ? "," : "", statistic->label);
		print_value(statistic, inst, out);
		putc('\n', out);
	}
	if (openmetrics)
		fputs("# EOF\n", out);
}
