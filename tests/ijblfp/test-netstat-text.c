/* SPDX-License-Identifier: Apache-2.0 */
/* test-netstat-text.c - NETSTAT's layouts are those that IBM's MQ paper shows, to the byte */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ijblfp/oper/netstat-text.h"

/* netstat -d -K HSOCKE1 */
static const char device[] = "MVS TCP/IP NETSTAT CS V1R8       TCPIP Name: TCPIP 14:42:50\n"
			     "  DevName: IUTIQDE1          DevType: MPCIPA\n"
			     "  DevStatus: Ready\n"
			     "  LnkName: HSOCKE1           LnkType: IPAQIDIO   LnkStatus: Ready\n"
			     "    NetNum: n/a  QueSize: n/a\n"
			     "    IpBroadcastCapability: No  \n"
			     "    Cfg Router: Non                   ActRouter: Non\n"
			     "    ArpOffload: Yes                  ArpOffloadInfo: Yes\n"
			     "    ActMtu: 57344\n"
			     "    ReadStorage: GLOBAL (8064K)\n"
			     "    SecClass: 255                    MonSysplex: No\n"
			     "  BSD Routing Parameters:\n"
			     "    MTU Size: 65535             Metric: 00\n"
			     "    DestAddr: 0.0.0.0           SubnetMask: 255.255.255.0\n"
			     "  Multicast Specific:\n"
			     "    Multicast Capability: Yes\n"
			     "    Group             RefCnt\n"
			     "    224.0.0.1         0000000001\n"
			     "  Link Statistics:\n"
			     "    BytesIn                           = 5156803584\n"
			     "    Inbound Packets                   = 418706\n"
			     "    Inbound Packets In Error          = 0  \n"
			     "    Inbound Packets Discarded         = 0\n"
			     "    Inbound Packets With No Protocol  = 0\n"
			     "    BytesOut                          = 5079461900\n"
			     "    Outbound Packets                  = 431173\n"
			     "    Outbound Packets In Error         = 0\n"
			     "    Outbound Packets Discarded        = 0\n";

static const char device_values[] =
	"title\tMVS TCP/IP NETSTAT CS V1R8\nstack\tTCPIP\ntime\t14:42:50\n"
	"dev_name\tIUTIQDE1\ndev_type\tMPCIPA\ndev_status\tReady\n"
	"link_name\tHSOCKE1\nlink_type\tIPAQIDIO\nlink_status\tReady\n"
	"broadcast\tNo\ncfg_router\tNon\nact_router\tNon\n"
	"arp_offload\tYes\narp_offload_info\tYes\nact_mtu\t57344\n"
	"read_storage\tGLOBAL (8064K)\nsec_class\t255\nmon_sysplex\tNo\n"
	"mtu_size\t65535\nmetric\t00\ndest_addr\t0.0.0.0\nsubnet_mask\t255.255.255.0\n"
	"multicast\tYes\ngroup\t224.0.0.1 0000000001\n"
	"bytes_in\t5156803584\npackets_in\t418706\nerrors_in\t0\ndiscarded_in\t0\n"
	"no_protocol\t0\nbytes_out\t5079461900\npackets_out\t431173\nerrors_out\t0\n"
	"discarded_out\t0\n";

/* netstat -a -E mqpvchin */
static const char sockets[] = "MQPVCHIN 00007F93 Listen\n"
			      "  Local Socket: ::..2424\n"
			      "  Foreign Socket: ::..0\n"
			      "MQPVCHIN 00008B3C Establsh\n"
			      "  Local Socket: ::ffff:10.1.2.1..2424\n"
			      "  Foreign Socket: ::ffff:10.1.2.2..34577\n";

static const char socket_values[] =
	"socket\tMQPVCHIN 00007F93 Listen ::..2424 ::..0\n"
	"socket\tOTHER 00000001 Listen ::..1 ::..0\n"
	"socket\tMQPVCHIN 00008B3C Establsh ::ffff:10.1.2.1..2424 ::ffff:10.1.2.2..34577\n";

static char *text;
static size_t size;

static FILE *begin(void)
{
	free(text);
	return open_memstream(&text, &size);
}

static void test_device(void **state)
{
	FILE *out = begin();

	(void)state;
	netstat_print_device(out, device_values);
	fclose(out);
	assert_string_equal(text, device);
}

/* A value that LFP lacks is n/a, and every field of the layout is there. */
static void test_unknown(void **state)
{
	const char *line = device;
	FILE *out = begin();

	(void)state;
	netstat_print_device(out, "ok\n");
	fclose(out);
	assert_non_null(strstr(text, "    ActMtu: n/a\n"));
	assert_null(strstr(text, "Queue Statistics"));
	for (; *line; line += strcspn(line, "\n") + 1) {
		size_t name = strcspn(line, ":=");
		char field[64];

		if (line[name] == '\0' || strcspn(line, "\n") < name)
			continue;
		snprintf(field, sizeof(field), "\n%.*s%c", (int)name, line, line[name]);
		assert_true(line == device || strstr(text, field));
	}
}

static void test_queues(void **state)
{
	FILE *out = begin();

	(void)state;
	netstat_print_device(out, "frame\t24576\nbuffers\t128\ncq\tYes\npending_max\t7\n");
	fclose(out);
	assert_non_null(strstr(text, "  Queue Statistics (of vselfpd, not of z/OS):\n"
				     "    Frame Size                        = 24576\n"
				     "    Buffers                           = 128\n"));
	assert_non_null(strstr(text, "    Transfers Pending, Most           = 7\n"));
}

static void test_sockets(void **state)
{
	FILE *out = begin();

	(void)state;
	assert_int_equal(netstat_print_sockets(out, socket_values, "mqpvchin"), 2);
	fclose(out);
	assert_string_equal(text, sockets);
	out = begin();
	assert_int_equal(netstat_print_sockets(out, socket_values, NULL), 3);
	assert_int_equal(netstat_print_sockets(out, socket_values, "MQ"), 0);
	assert_int_equal(netstat_print_sockets(out, socket_values, "mqpvchinese"), 2);
	fclose(out);
}

static int finish(void **state)
{
	(void)state;
	free(text);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_queues),
		cmocka_unit_test(test_sockets),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
