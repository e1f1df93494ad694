/* SPDX-License-Identifier: Apache-2.0 */
/* config-table.c - the keys of lfpd's configuration file: their ranges, defaults and destinations
 */
#include "lfpd/conf/config.h"

#include <assert.h>
#include <string.h>

/*
 * This table drives the reader of the file, the output of lfpd -n and of the status, the sample
 * file under etc/ (config-list.c prints it) and the comparison with lfpd.conf(5). IBM's keys come
 * first, in the order of IBM's sample. IBM has published one default, that of MAX_VSE_TASKS; all
 * other ranges and defaults are ours. A key is LIVE if reload.c applies its change.
 */
#define TO(kind, member) LFP_FIELD_##kind, offsetof(struct lfpd_config, member)
#define LIVE             LFP_FIELD_LIVE
#define OURS             LFP_FIELD_OURS

/* clang-format off: a line or two for a key */
static const struct lfp_field before_transports[] = {
	/* key, member, least, most, default, mandatory, description, flags, choices, sample */
	{"IUCV_SRC_APPNAME", TO(NAME, iucv_src_appname), 0, 0, NULL, true,
	 "IUCV application name of this instance, and its NAME", 0, NULL, "LINR02"},
	{"PEER_IUCV_VMID", TO(VMID, peer_iucv_vmid), 0, 0, NULL, false,
	 "z/VM user id that may connect (not set: any)", LIVE, NULL, "VSER05"},
	{"PEER_IUCV_APPNAME", TO(NAME, peer_iucv_appname), 0, 0, NULL, false,
	 "IUCV application name that may connect (not set: any)", LIVE, NULL, "TESTV"},
	{"IUCV_MSGLIMIT", TO(NUMBER, iucv_msglimit), 1, 65535, "1024", false,
	 "packets with data that the peer has not yet taken", 0, NULL, "1024"},
	{"MTU_SIZE", TO(NUMBER, mtu_size), 1024, 65536, "8192", false, "largest packet, in bytes",
	 0, NULL, "8192"},
	{"MAX_SOCKETS", TO(NUMBER, max_sockets), 1, 1000000, "1024", false,
	 "sockets of this instance", LIVE, NULL, "1024"},
	{"MAX_VSE_TASKS", TO(NUMBER, max_vse_tasks), 1, 65536, "512", false,
	 "z/VSE tasks served at once", LIVE, NULL, NULL},
	{"INITIAL_IO_BUFS", TO(NUMBER, initial_io_bufs), 1, 65536, "128", false,
	 "I/O buffers allocated at start, and kept", 0, NULL, "128"},
	{"WINDOW_SIZE", TO(NUMBER, window_size), 4096, 16777216, "65535", false,
	 "bytes of a socket on their way in one direction", 0, NULL, "65535"},
	{"WINDOW_THRESHOLD", TO(NUMBER, window_threshold), 1, 100, "25", false,
	 "percentage of the window consumed before the sender is told", 0, NULL, "25"},
	{"VSE_CODEPAGE", TO(CODEPAGE, vse_codepage), 0, 0, "EBCDIC-US", false,
	 "code page of names from z/VSE, by iconv's name", 0, NULL, "EBCDIC-US"},
	{"VSE_HOSTID", TO(IPV4, vse_hostid), 0, 0, NULL, false,
	 "IPv4 address that z/VSE appears under", LIVE, NULL, "10.0.0.1"},
	{"RESTRICT_TO_HOSTID", TO(YESNO, restrict_to_hostid), 0, 0, "no", false,
	 "whether sockets are confined to VSE_HOSTID and VSE_HOSTID6", LIVE, NULL, "yes"},
	{"LOG_INFO_MSG", TO(YESNO, log_info_msg), 0, 0, "yes", false,
	 "whether informational messages are logged", LIVE, NULL, "no"},

	{"VMID", TO(VMID, vmid), 0, 0, NULL, false,
	 "z/VM user id of this side (not set: LFP_VMID, else from the host name)", OURS, NULL,
	 "LINLFP"},
	{"VSE_HOSTID6", TO(IPV6, vse_hostid6), 0, 0, NULL, false,
	 "IPv6 address that z/VSE appears under", LIVE | OURS, NULL, NULL},
	{"ALLOW_LOOPBACK", TO(YESNO, allow_loopback), 0, 0, "no", false,
	 "whether confined sockets reach this host's loopback addresses", LIVE | OURS, NULL, NULL},
	{"HOST_INTERFACE", TO(INTERFACE, host_interface), 0, 0, NULL, false,
	 "network interface that sockets are confined to (not set: any)", LIVE | OURS, NULL, NULL},
	{"HOST_NETNS", TO(NETNS, host_netns), 0, 0, NULL, false,
	 "network namespace of lfpd: a name below /run/netns or a path (not set: the caller's)",
	 OURS, NULL, NULL},
	{"POLICY_FILE", TO(FILE, policy_file), 0, 0, NULL, false,
	 "file of rules about peers, ports and names (not set: all are allowed)", LIVE | OURS, NULL,
	 NULL},
	{"PUBLISH", TO(PUBLISH, publish), 0, 0, NULL, false,
	 "ports of programs at other ports or addresses of this host: [ADDR:]PORT:PORT ...",
	 LIVE | OURS, NULL, NULL},
	{"REFUSE_WITH", TO(CHOICE, refuse_with), 0, 0, "ECONNREFUSED", false,
	 "error of calls that the rules refuse", LIVE | OURS, "ECONNREFUSED EACCES", NULL},
	{"PRIVILEGED_PORTS", TO(CHOICE, privileged_ports), 0, 0, "any", false,
	 "users that may bind privileged ports without a rule: any, as far as lfpd may, or root",
	 LIVE | OURS, "any root", NULL},
	{"NAME_LIFETIME", TO(NUMBER, name_lifetime), 1, 86400, "3600", false,
	 "seconds that an address counts for rules about its name", LIVE | OURS, NULL, NULL},
	{"NAME_LIFETIME_MIN", TO(NUMBER, name_lifetime_min), 1, 86400, "300", false,
	 "least seconds that an address from a name server's answer counts", LIVE | OURS, NULL,
	 NULL},
	{"JOINED_SOCKETS", TO(YESNO, joined_sockets), 0, 0, "yes", false,
	 "whether data between two sockets of this instance leaves out the host's TCP", LIVE | OURS,
	 NULL, NULL},
};

/* Behind the keys of the transports. */
static const struct lfp_field after_transports[] = {
	{"USER", TO(USER, user), 0, 0, NULL, false,
	 "user that lfpd becomes when root starts it (not set: lfpd)", OURS, NULL, NULL},
	{"PEER_USER", TO(USER, peer_user), 0, 0, NULL, false,
	 "user of this host whose processes may connect (not set: any)", LIVE | OURS, NULL, NULL},
	{"PEER_GROUP", TO(GROUP, peer_group), 0, 0, NULL, false,
	 "group of this host whose processes may connect (not set: any)", LIVE | OURS, NULL, NULL},
	{"ADMIN_GROUP", TO(GROUP, admin_group), 0, 0, NULL, false,
	 "group of this host that may use lfpd-admin (not set: lfpd's own)", LIVE | OURS, NULL,
	 NULL},
	{"MAX_SOCKETS_USER", TO(NUMBER, max_sockets_user), 0, 1000000, "0", false,
	 "sockets of one user of the z/VSE side, except root (0: three quarters of MAX_SOCKETS)",
	 LIVE | OURS, NULL, NULL},
	{"MAX_TASKS_USER", TO(NUMBER, max_tasks_user), 0, 65536, "0", false,
	 "tasks of one user of the z/VSE side, except root (0: three quarters of MAX_VSE_TASKS)",
	 LIVE | OURS, NULL, NULL},
	{"MAX_LOOKUPS", TO(NUMBER, max_lookups), 1, 65536, "1024", false,
	 "look-ups of names under way at once", LIVE | OURS, NULL, NULL},
	{"CLOSE_TIMEOUT", TO(NUMBER, close_timeout), 1, 86400, "120", false,
	 "seconds that the rest of a closed connection waits for its peer", LIVE | OURS, NULL,
	 NULL},
	{"LOG_LEVEL", TO(CHOICE, log_level), 0, 0, "info", false,
	 "the least important messages that are logged", LIVE | OURS, "error warning info debug",
	 NULL},
	{"CONNECTION_LOG", TO(LOG, connection_log), 0, 0, NULL, false,
	 "where each call of a program is logged: journal, memory or a file (not set: nowhere)",
	 OURS, NULL, NULL},
	{"CONNECTION_LOG_RATE", TO(NUMBER, connection_log_rate), 1, 1000000, "1000", false,
	 "records that one user may make in a second", LIVE | OURS, NULL, NULL},
	{"HISTORY", TO(PLACE, history), 0, 0, NULL, false,
	 "file with the growth of all counters in each interval (not set: none)", OURS, NULL, NULL},
	{"HISTORY_INTERVAL", TO(NUMBER, history_interval), 1, 3600, "60", false,
	 "seconds of an interval of HISTORY", OURS, NULL, NULL},
	{"HISTORY_SIZE", TO(SIZE, history_size), 65536, 1073741824, "4M", false,
	 "size of that file in bytes; it keeps the newest intervals", OURS, NULL, NULL},
	{"METRICS_LISTEN", TO(ENDPOINT, metrics_listen), 0, 0, NULL, false,
	 "UNIX socket or loopback port with metrics for Prometheus (not set: none)", LIVE | OURS,
	 NULL, NULL},
	{"TRACE_FILE", TO(PLACE, trace_file), 0, 0, NULL, false,
	 "file of a trace (not set: trace in the instance's run-time directory)", LIVE | OURS, NULL,
	 NULL},
	{"TRACE_SIZE", TO(SIZE, trace_size), 262144, 1073741824, "16M", false,
	 "size of that file in bytes; a trace keeps the newest part", LIVE | OURS, NULL, NULL},
};
/* clang-format on */

#define NR(table) (sizeof(table) / sizeof((table)[0]))

_Static_assert(NR(before_transports) + 1 + NR(after_transports) <= LFPD_KEYS_MAX,
	       "the reader has room for them");

const struct lfp_field *lfpd_config_fields(size_t *nr)
{
	static struct lfp_field fields[LFPD_KEYS_MAX];
	static size_t n;
	const size_t at = offsetof(struct lfpd_config, transport);

	if (!n) {
		memcpy(fields, before_transports, sizeof(before_transports));
		n = NR(before_transports);
		fields[n++] = transport_choice_field(TRANSPORT_LFPD, at);
		n += transport_fields(TRANSPORT_LFPD, at, fields + n,
				      LFPD_KEYS_MAX - NR(after_transports) - n);
		assert(n + NR(after_transports) <= LFPD_KEYS_MAX);
		memcpy(fields + n, after_transports, sizeof(after_transports));
		n += NR(after_transports);
	}
	*nr = n;
	return fields;
}
