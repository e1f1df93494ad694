/* SPDX-License-Identifier: Apache-2.0 */
/* test-hipersockets-paper.c - the definitions of IBM's paper about MQ, and its displays */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <arpa/inet.h>

#include "devemu/hipersockets/netstat.h"
#include "devemu/hipersockets/pair.h"

/* A test runs in the top folder or beside its source. */
static FILE *example(const char *name)
{
	static const char *const folders[] = {"zdev/examples/", "../../zdev/examples/"};
	char path[100];
	FILE *file = NULL;

	for (size_t i = 0; !file && i < 2; i++) {
		snprintf(path, sizeof(path), "%s%s", folders[i], name);
		file = fopen(path, "re");
	}
	assert_non_null(file);
	return file;
}

static void read_paper(struct tcpip_profile *profile, struct linux_side *side)
{
	static const char *const names[] = {"ifcfg-hsi0", "mq-linux.commands"};
	FILE *file = example("mq-profile.tcpip");
	struct lfp_reader_error err;

	assert_int_equal(tcpip_profile_read(profile, "mq-profile.tcpip", file, &err), 0);
	fclose(file);
	*side = (struct linux_side){0};
	for (size_t i = 0; i < 2; i++) {
		file = example(names[i]);
		if (linux_side_read(side, names[i], file, &err) < 0)
			fail_msg("%s", err.text);
		fclose(file);
	}
}

static void the_paper_is_read(void **state)
{
	static struct tcpip_profile profile;
	static struct linux_side side;
	struct hsi_pair pair;
	char why[PAIR_WHY];

	(void)state;
	read_paper(&profile, &side);
	assert_int_equal(profile.devices, 1);
	assert_true(profile.device[0].started && profile.device[0].autorestart);
	assert_int_equal(profile.links, 1);
	assert_int_equal(profile.homes, 4);
	assert_int_equal(profile.home[0].address, 0x09147a61);
	assert_int_equal(profile.home[0].comment, 0x09147ac5);
	assert_int_equal(profile.routes, 1);
	assert_int_equal(profile.route[0].mtu, 8192);
	assert_false(profile.end_routes);
	assert_int_equal(side.interfaces, 2);
	assert_int_equal(side.interface[0].mask.value, 0xfffffff0);
	assert_int_equal(side.interface[0].mtu.value, 8192);
	assert_int_equal(side.interface[0].queue.value, 1000);
	assert_int_equal(side.routes, 1);
	assert_int_equal(side.route[0].destination, 0x09142761);
	assert_int_equal(side.route[0].metric, 1);
	assert_int_equal(pair_find(&pair, &profile, &side, 65536, why), 0);
	assert_int_equal(pair.mtu, 57344);
	assert_int_equal(pair.buffers, 126);
	assert_int_equal(pair.home->address, 0x0a010201);
	assert_string_equal(pair.interface->name, "hsi0");
}

struct told {
	char text[2000];
};

static void tell(void *context, const char *text)
{
	struct told *told = context;
	const size_t used = strlen(told->text);

	snprintf(told->text + used, sizeof(told->text) - used, "%s\n", text);
}

static void the_papers_contradictions_are_told(void **state)
{
	static struct tcpip_profile profile;
	static struct linux_side side;
	struct told told = {""};
	struct hsi_pair pair;
	char why[PAIR_WHY];

	(void)state;
	read_paper(&profile, &side);
	assert_int_equal(pair_find(&pair, &profile, &side, 65536, why), 0);
	pair_warn(&pair, tell, &told);
	assert_string_equal(
		told.text,
		"mq-profile.tcpip:10:1: HOME gives 9.20.122.97 to link GE1, and the comment before "
		"it says 9.20.122.197\n"
		"mq-profile.tcpip:10:1: HOME gives 9.20.122.97 to link GE1, and Linux has it on "
		"interface eth0 (mq-linux.commands:12:15)\n"
		"mq-profile.tcpip:10:1: link GE1 of address 9.20.122.97 has no LINK statement\n"
		"mq-profile.tcpip:11:1: link VLINKEE of address 9.20.39.241 has no LINK statement\n"
		"mq-profile.tcpip:12:1: link EELINK of address 9.20.39.240 has no LINK statement\n"
		"mq-profile.tcpip:16:1: BEGINROUTES has no ENDROUTES\n"
		"mq-profile.tcpip:18:1: ROUTE has the mask 255.255.255.0, and interface hsi0 the mask "
		"255.255.255.240 (ifcfg-hsi0:6:1)\n"
		"mq-linux.commands:10:1: the route over hsi0 to 9.20.39.97 leads to no address of "
		"HOME\n");
}

static const char netstat_of_the_paper[] =
	"MVS TCP/IP NETSTAT CS V1R8       TCPIP Name: TCPIP 14:42:50\n"
	"  DevName: IUTIQDE1          DevType: MPCIPA\n"
	"  DevStatus: Ready\n"
	"  LnkName: HSOCKE1           LnkType: IPAQIDIO   LnkStatus: Ready\n"
	"    NetNum: n/a  QueSize: n/a\n"
	"    IpBroadcastCapability: No\n"
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
	"    Inbound Packets In Error          = 0\n"
	"    Inbound Packets Discarded         = 0\n"
	"    Inbound Packets With No Protocol  = 0\n"
	"    BytesOut                          = 5079461900\n"
	"    Outbound Packets                  = 431173\n"
	"    Outbound Packets In Error         = 0\n"
	"    Outbound Packets Discarded        = 0\n";

static const char sockets_of_the_paper[] = "MQPVCHIN 00007F93 Listen\n"
					   "  Local Socket: ::..2424\n"
					   "  Foreign Socket: ::..0\n"
					   "MQPVCHIN 00008B3C Establsh\n"
					   "  Local Socket: ::ffff:10.1.2.1..2424\n"
					   "  Foreign Socket: ::ffff:10.1.2.2..34577\n";

static const char ifconfig_of_the_paper[] =
	"hsi0      Link encap:Ethernet  HWaddr 00:00:00:00:00:00\n"
	"          inet addr:10.1.2.2  Mask:255.255.255.240\n"
	"          inet6 addr: fe80::200:ff:fe00:0/64 Scope:Link\n"
	"          UP RUNNING NOARP MULTICAST  MTU:8192  Metric:1\n"
	"          RX packets:36100207 errors:0 dropped:0 overruns:0 frame:0\n"
	"          TX packets:32071322 errors:0 dropped:0 overruns:0 carrier:0\n"
	"          collisions:0 txqueuelen:1000\n"
	"          RX bytes:38834381952 (37035.3 Mb)  TX bytes:38603507580 (36815.1 Mb)\n";

static void displays_have_the_papers_layout(void **state)
{
	static struct tcpip_profile profile;
	static struct linux_side side;
	const struct netstat_link link = {
		.time = "14:42:50",
		.frame = 65536,
		.counters = {.bytes_in = 5156803584,
			     .packets_in = 418706,
			     .bytes_out = 5079461900,
			     .packets_out = 431173},
		.groups = 1,
		.group = {{0xe0000001, 1}},
	};
	const struct netstat_counters hsi0 = {.bytes_in = 38834381952,
					      .packets_in = 36100207,
					      .bytes_out = 38603507580,
					      .packets_out = 32071322};
	struct netstat_socket listens = {.client = "MQPVCHIN",
					 .number = 0x7f93,
					 .state = "Listen",
					 .ipv6 = true,
					 .local_port = 2424};
	struct netstat_socket connected = {.client = "MQPVCHIN",
					   .number = 0x8b3c,
					   .state = "Establsh",
					   .ipv6 = true,
					   .local_port = 2424,
					   .foreign_port = 34577};
	char *text = NULL;
	size_t size;
	FILE *out;

	(void)state;
	read_paper(&profile, &side);
	inet_pton(AF_INET6, "::ffff:10.1.2.1", &connected.local);
	inet_pton(AF_INET6, "::ffff:10.1.2.2", &connected.foreign);

	out = open_memstream(&text, &size);
	netstat_devlinks(&profile, &profile.link[0], &link, out);
	fclose(out);
	assert_string_equal(text, netstat_of_the_paper);
	free(text);

	out = open_memstream(&text, &size);
	netstat_socket(&listens, out);
	netstat_socket(&connected, out);
	fclose(out);
	assert_string_equal(text, sockets_of_the_paper);
	free(text);

	out = open_memstream(&text, &size);
	netstat_ifconfig(&side.interface[0], "fe80::200:ff:fe00:0/64", &hsi0, out);
	fclose(out);
	assert_string_equal(text, ifconfig_of_the_paper);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_paper_is_read),
		cmocka_unit_test(the_papers_contradictions_are_told),
		cmocka_unit_test(displays_have_the_papers_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
