/* SPDX-License-Identifier: Apache-2.0 */
/* netstat-text.c - the output of NETSTAT */
#include "ijblfp/oper/netstat-text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lfp/admin.h"

#define KEY   32
#define VALUE 128
#define JOB   8 /* characters of a name */

/* "{key:9}" is a value, padded with blanks to 9. Some lines end with blanks. */
static const char head[] =
	"{title:33}TCPIP Name: {stack} {time}\n"
	"  DevName: {dev_name:18}DevType: {dev_type}\n"
	"  DevStatus: {dev_status}\n"
	"  LnkName: {link_name:18}LnkType: {link_type:11}LnkStatus: {link_status}\n"
	"    NetNum: {net_num:5}QueSize: {queue_size}\n"
	"    IpBroadcastCapability: {broadcast:4}\n"
	"    Cfg Router: {cfg_router:22}ActRouter: {act_router}\n"
	"    ArpOffload: {arp_offload:21}ArpOffloadInfo: {arp_offload_info}\n"
	"    ActMtu: {act_mtu}\n"
	"    ReadStorage: {read_storage}\n"
	"    SecClass: {sec_class:23}MonSysplex: {mon_sysplex}\n"
	"  BSD Routing Parameters:\n"
	"    MTU Size: {mtu_size:18}Metric: {metric}\n"
	"    DestAddr: {dest_addr:18}SubnetMask: {subnet_mask}\n"
	"  Multicast Specific:\n"
	"    Multicast Capability: {multicast}\n"
	"    Group             RefCnt\n";

static const char statistics[] = "  Link Statistics:\n"
				 "    BytesIn                           = {bytes_in}\n"
				 "    Inbound Packets                   = {packets_in}\n"
				 "    Inbound Packets In Error          = {errors_in:3}\n"
				 "    Inbound Packets Discarded         = {discarded_in}\n"
				 "    Inbound Packets With No Protocol  = {no_protocol}\n"
				 "    BytesOut                          = {bytes_out}\n"
				 "    Outbound Packets                  = {packets_out}\n"
				 "    Outbound Packets In Error         = {errors_out}\n"
				 "    Outbound Packets Discarded        = {discarded_out}\n";

/* Not in z/OS's output. */
static const char queues[] = "  Queue Statistics (of vselfpd, not of z/OS):\n"
			     "    Frame Size                        = {frame}\n"
			     "    Buffers                           = {buffers}\n"
			     "    Completion Queue                  = {cq}\n"
			     "    Transfers Pending                 = {pending}\n"
			     "    Transfers Pending, Most           = {pending_max}\n"
			     "    Transfers Pending, Ever           = {pending_ever}\n"
			     "    Completions                       = {done_ok}\n"
			     "    Completions, Unreachable          = {done_unreachable}\n"
			     "    Completions, Error                = {done_error}\n"
			     "    Completions, Twice                = {done_twice}\n"
			     "    Target Full                       = {target_full}\n"
			     "    SIGA, HiperSockets Busy           = {busy}\n"
			     "    SIGA, No Room For Transfer        = {siga_full}\n"
			     "    Interrupts Received               = {interrupts_in}\n"
			     "    Interrupts Presented              = {interrupts_out}\n"
			     "    Messages Not Yet Read             = {messages}\n"
			     "    Message Limit                     = {limit}\n";

/* Writes the value of the braces at @text to @out. Returns the length of the braces. */
static size_t fill(FILE *out, const char *text, const char *answer)
{
	size_t len = strcspn(text, "}"), name = strcspn(text, ":}") - 1;
	int width = name + 1 < len ? atoi(text + name + 2) : 0;
	char key[KEY], value[VALUE];

	snprintf(key, sizeof(key), "%.*s", (int)name, text + 1);
	if (lfp_admin_value(answer, key, value, sizeof(value)))
		strcpy(value, "n/a");
	fprintf(out, "%-*s", width, value);
	return len + 1;
}

static void expand(FILE *out, const char *text, const char *answer)
{
	while (*text) {
		size_t plain = strcspn(text, "{");

		fwrite(text, 1, plain, out);
		text += plain;
		if (*text)
			text += fill(out, text, answer);
	}
}

void netstat_print_device(FILE *out, const char *answer)
{
	char key[KEY], value[VALUE];
	const char *at = answer;

	expand(out, head, answer);
	while (lfp_admin_each(&at, key, sizeof(key), value, sizeof(value))) {
		char *count = strchr(value, ' ');

		if (strcmp(key, "group") || !count)
			continue;
		*count++ = '\0';
		fprintf(out, "    %-18s%s\n", value, count);
	}
	expand(out, statistics, answer);
	if (!lfp_admin_value(answer, "frame", value, sizeof(value)))
		expand(out, queues, answer);
}

unsigned int netstat_print_sockets(FILE *out, const char *answer, const char *job)
{
	char key[KEY], value[2 * VALUE];
	unsigned int nr = 0;

	while (lfp_admin_each(&answer, key, sizeof(key), value, sizeof(value))) {
		char *rest = value;
		const char *name = strsep(&rest, " "), *id = strsep(&rest, " ");
		const char *state = strsep(&rest, " "), *local = strsep(&rest, " ");

		if (strcmp(key, "socket") || !rest || (job && strncasecmp(job, name, JOB)))
			continue;
		nr++;
		fprintf(out, "%-8s %s %s\n  Local Socket: %s\n  Foreign Socket: %s\n", name, id,
			state, local, rest);
	}
	return nr;
}
