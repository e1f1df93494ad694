/* SPDX-License-Identifier: Apache-2.0 */
/* test-hipersockets.c - definitions: every statement, every error, and sides that make no pair */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "devemu/hipersockets/pair.h"

#define DEVICE "DEVICE IUTIQDE1 MPCIPA\nLINK H IPAQIDIO IUTIQDE1\n"

static struct lfp_reader_error err;

static FILE *text_file(const char *text, size_t len)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, len, "r");

	assert_non_null(file);
	return file;
}

static int read_profile(struct tcpip_profile *profile, const char *text, size_t len)
{
	FILE *file = text_file(text, len);
	const int rc = tcpip_profile_read(profile, "p", file, &err);

	fclose(file);
	return rc;
}

static int read_side(struct linux_side *side, const char *name, const char *text)
{
	FILE *file = text_file(text, strlen(text));
	const int rc = linux_side_read(side, name, file, &err);

	fclose(file);
	return rc;
}

static void every_statement_is_read(void **state)
{
	static const char text[] =
		"dev IUTIQDFE mpcipa NoAutoR secr ; a comment\n"
		"DEVICE OSA MPCIPA PRIROUTER DEVICE V VIRTUAL 0\n"
		"link a\n  ipaqidio\n\tIUTIQDFE IPBCAST READSTORAGE AVG SECCLASS 7 MONSYSPLEX\r\n"
		"LINK B IPAQENET OSA LINK C VIRT 0 V\n"
		"HOME 10.0.0.1 A 10.0.0.2 B ; 10.0.0.9\n"
		"BEGINR ROUTE DEFAULT 10.0.0.5 B MTU DEFAULTSIZE\n"
		"ROUTE 10.0.0.7 HOST = A MTU 1492 ENDR START OSA";
	static struct tcpip_profile profile;

	(void)state;
	if (read_profile(&profile, text, strlen(text)) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(profile.devices, 3);
	assert_int_equal(profile.device[0].router, 'S');
	assert_false(profile.device[0].autorestart);
	assert_true(profile.device[1].started);
	assert_int_equal(profile.links, 3);
	assert_string_equal(profile.link[0].name, "A");
	assert_true(profile.link[0].broadcast && profile.link[0].monsysplex);
	assert_int_equal(profile.link[0].security_class, 7);
	assert_int_equal(profile_link_buffers(&profile.link[0], 65536), 96);
	assert_int_equal(profile_link_buffers(&profile.link[0], 16384), 126);
	assert_int_equal(profile.home[1].comment, 0);
	assert_int_equal(profile.routes, 2);
	assert_int_equal(profile.route[0].hop, 0x0a000005);
	assert_int_equal(profile.route[0].mask, 0);
	assert_int_equal(profile.route[1].mask, UINT32_MAX);
	assert_true(profile.end_routes);
}

static void errors_of_a_profile_have_their_place(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"PORT 23 TCP\n",
		 "p:1:1: 'PORT' is not one of DEVICE, LINK, START, HOME, BEGINROUTES, "
		 "ROUTE, ENDROUTES"},
		{"DEVICE", "p:1:7: the file ends where the name of a device is needed"},
		{"DEVICE LINK", "p:1:8: 'LINK' is not the name of a device"},
		{"DEVICE A%B MPCIPA", "p:1:8: 'A%B' is not the name of a device"},
		{"DEVICE ABCDEFGHIJKLMNOPQ MPCIPA",
		 "p:1:8: 'ABCDEFGHIJKLMNOPQ' is longer than 16 characters"},
		{"DEVICE A CTC 1", "p:1:10: 'CTC' is neither MPCIPA nor VIRTUAL"},
		{"DEVICE A MPCIPA FAST", "p:1:17: 'FAST' is not a parameter of DEVICE with MPCIPA"},
		{"DEVICE A MPCIPA\nDEVICE A MPCIPA", "p:2:8: device A is defined at line 1"},
		{"DEVICE V VIRTUAL x", "p:1:18: 'x' is not a device number from 0 to 65535"},
		{"LINK H IPAQIDIO X", "p:1:17: device X has no DEVICE statement"},
		{"DEVICE X MPCIPA LINK H IPAQIDIO X",
		 "p:1:33: the device of an IPAQIDIO link has the name IUTIQDxx, not X"},
		{"DEVICE V VIRTUAL 0 LINK H IPAQENET V", "p:1:36: device V has another type"},
		{DEVICE "LINK J IPAQIDIO IUTIQDE1", "p:3:17: device IUTIQDE1 already has link H"},
		{DEVICE "LINK H IPAQIDIO IUTIQDE1", "p:3:6: link H is defined at line 2"},
		{"LINK H TOKENRING X", "p:1:8: 'TOKENRING' is not IPAQIDIO, IPAQENET or VIRTUAL"},
		{"DEVICE IUTIQDE1 MPCIPA LINK H IPAQIDIO IUTIQDE1 SECCLASS 0",
		 "p:1:58: '0' is not a security class from 1 to 255"},
		{"DEVICE IUTIQDE1 MPCIPA LINK H IPAQIDIO IUTIQDE1 READSTORAGE 5",
		 "p:1:61: '5' is not GLOBAL, MAX, AVG or MIN"},
		{"DEVICE IUTIQDE1 MPCIPA LINK H IPAQIDIO IUTIQDE1 9",
		 "p:1:49: '9' is not a parameter of LINK"},
		{"START X", "p:1:7: device X has no DEVICE statement"},
		{"HOME\n", "p:2:1: the file ends where an address of HOME is needed"},
		{"HOME 10.1.2", "p:1:6: '10.1.2' is not an address of HOME"},
		{"HOME 10.1.2.1", "p:1:14: the file ends where the name of a link is needed"},
		{"HOME 10.1.2.1 A\n 10.1.2.1 B", "p:2:2: HOME has this address at line 1"},
		{"ROUTE DEFAULT = H MTU 1", "p:1:1: ROUTE without BEGINROUTES"},
		{"ENDROUTES", "p:1:1: ENDROUTES without BEGINROUTES"},
		{"BEGINROUTES\nBEGINROUTES", "p:2:1: BEGINROUTES comes twice"},
		{"BEGINROUTES\nHOME 1.2.3.4 A", "p:2:1: HOME within BEGINROUTES"},
		{"BEGINROUTES ROUTE 10.1.2.0 255.0.255.0 = H MTU 8192",
		 "p:1:28: '255.0.255.0' is neither a subnet mask nor HOST"},
		{"BEGINROUTES ROUTE 10.1.2.1 255.255.255.0 = H MTU 8192",
		 "p:1:19: the destination has bits outside of its mask"},
		{"BEGINROUTES ROUTE 10.1.2.0 255.255.255.0 = H MTU 8192",
		 "p:1:44: link H has no LINK statement"},
		{"BEGINROUTES ROUTE 10.1.2.0 255.255.255.0 H MTU 8192",
		 "p:1:42: 'H' is not a first hop or ="},
		{DEVICE "BEGINROUTES ROUTE 10.1.2.0 255.255.255.0 = H 8192",
		 "p:3:46: '8192' is not MTU"},
		{DEVICE "BEGINROUTES ROUTE 10.1.2.0 255.255.255.0 = H MTU 0",
		 "p:3:50: '0' is not a number of bytes from 576 to 65535"},
		{DEVICE "BEGINROUTES ROUTE DEFAULT = H MTU 8192 REPLACEABLE",
		 "p:3:40: 'REPLACEABLE' is not a parameter of ROUTE that is known here"},
		{"DEVICE\tA\001", "p:1:9: the byte X'01' is no printable character"},
		{"DEVICE \303\204", "p:1:8: the byte X'C3' is no printable character"},
	};
	static struct tcpip_profile profile;
	char longest[200] = "DEVICE ";

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(read_profile(&profile, cases[i].text, strlen(cases[i].text)),
				 -EINVAL);
		assert_string_equal(err.text, cases[i].error);
	}
	memset(longest + 7, 'A', sizeof(longest) - 8);
	assert_int_equal(read_profile(&profile, longest, strlen(longest)), -EINVAL);
	assert_string_equal(err.text, "p:1:8: the word is longer than 127 characters");
	assert_int_equal(read_profile(&profile, "DEVICE A\0", 9), -EINVAL);
	assert_string_equal(err.text, "p:1:9: the byte X'00' is no printable character");
}

static void lists_have_their_limits(void **state)
{
	static struct tcpip_profile profile;
	static struct linux_side side;
	static char text[20000];
	size_t used;

	(void)state;
	used = 0;
	for (int i = 0; i < PROFILE_DEVICES + 1; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "DEVICE D%d MPCIPA\n",
					 i);
	assert_int_equal(read_profile(&profile, text, used), -EINVAL);
	assert_string_equal(err.text, "p:17:8: more than 16 devices");
	used = (size_t)snprintf(text, sizeof(text), "HOME\n");
	for (int i = 0; i < PROFILE_HOMES + 1; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "10.0.0.%d L\n", i);
	assert_int_equal(read_profile(&profile, text, used), -EINVAL);
	assert_string_equal(err.text, "p:66:1: more than 64 addresses");
	used = (size_t)snprintf(text, sizeof(text), DEVICE "BEGINROUTES\n");
	for (int i = 0; i < PROFILE_ROUTES + 1; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "ROUTE DEFAULT = H MTU DEFAULTSIZE\n");
	assert_int_equal(read_profile(&profile, text, used), -EINVAL);
	assert_string_equal(err.text, "p:68:1: more than 64 routes");
	text[0] = '\0';
	for (int i = 0, at = 0; i < INTERFACES + 1; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "ifconfig hsi%d up\n", i);
	side = (struct linux_side){0};
	assert_int_equal(read_side(&side, "c", text), -EINVAL);
	assert_string_equal(err.text, "c:17:10: more than 16 interfaces");
}

static void errors_of_linux_have_their_place(void **state)
{
	static const struct {
		const char *name, *text, *error;
	} cases[] = {
		{"ifcfg-hsi0", "IPADDR=10.1.2\n", "ifcfg-hsi0:1:1: '10.1.2' is not an address"},
		{"ifcfg-hsi0", "\n NETMASK='255.0.0.255'\n",
		 "ifcfg-hsi0:2:2: '255.0.0.255' is not a netmask"},
		{"ifcfg-hsi0", "MTU=0\n", "ifcfg-hsi0:1:1: '0' is not an MTU from 576 to 65535"},
		{"ifcfg-hsi0", "BOOTPROTO=dhcp\n",
		 "ifcfg-hsi0:1:1: BOOTPROTO 'dhcp' is not known here"},
		{"ifcfg-hsi0", "GATEWAY=1\n", "ifcfg-hsi0:1:1: key 'GATEWAY' is not known here"},
		{"ifcfg-hsi0", "IPADDR\n", "ifcfg-hsi0:1:1: 'IPADDR' is not KEY=value"},
		{"ifcfg-hsi0", "NAME=Hiper (HSI)\n",
		 "ifcfg-hsi0:1:12: '(HSI)' comes after the value: a value with blanks needs quotes"},
		{"ifcfg-hsi0", "NAME='Hiper\n", "ifcfg-hsi0:1:1: the quote ' is not closed"},
		{"ifcfg-hsi0", "IPADDR=10.1.2.2\nIPADDR=10.1.2.3\n",
		 "ifcfg-hsi0:2:1: an address differs from the one at ifcfg-hsi0:1:1"},
		{"dir/ifcfg-", "IPADDR=10.1.2.2\n",
		 "dir/ifcfg-:1:1: '' is not the name of an interface"},
		{"c", "reboot now\n",
		 "c:1:1: 'reboot' is neither ifconfig nor route, and no display of ifconfig"},
		{"c", "ifconfig\n",
		 "c:1:9: the line ends where the name of an interface is needed"},
		{"c", "ifconfig hsi0 netmask\n", "c:1:22: the line ends where a value is needed"},
		{"c", "ifconfig hsi0 mtu 9k\n", "c:1:19: '9k' is not an MTU from 576 to 65535"},
		{"c", "ifconfig hsi0 promisc 1\n",
		 "c:1:15: 'promisc' is no parameter of ifconfig that is known here"},
		{"c", "ifconfig 0 up\n", "c:1:10: '0' is not the name of an interface"},
		{"c", "route del -host 1.2.3.4 hsi0\n", "c:1:7: 'del' is not add"},
		{"c", "route add 1.2.3.4 hsi0\n", "c:1:11: '1.2.3.4' is neither -host nor -net"},
		{"c", "route add -host 1.2.3 hsi0\n",
		 "c:1:17: '1.2.3' is not the address of a host"},
		{"c", "route add -net 1.2.3.4 hsi0\n", "c:1:24: 'hsi0' is not netmask"},
		{"c", "route add -net 1.2.3.4 netmask 255.255.255.0 hsi0\n",
		 "c:1:32: the network has bits outside of its netmask"},
		{"c", "route add -host 1.2.3.4 metric 1\n",
		 "c:1:33: the line ends where the name of an interface is needed"},
		{"c", "route add -host 1.2.3.4 hsi0 hsi1\n", "c:1:30: a second interface, 'hsi1'"},
		{"c", "hsi0 Link encap:Ethernet\n   MTU:70000\n",
		 "c:2:4: '70000' is not an MTU from 576 to 65535"},
		{"c", "hsi0 Link encap:Ethernet\n RX bytes:x\n",
		 "c:2:5: 'x' is not a count of bytes"},
		{"c", "hsi0 Link encap:Ethernet\n RX speed\n",
		 "c:2:5: 'speed' is not known in a display of ifconfig"},
		{"c", "hsi0 Link encap:Ethernet HWaddr\n",
		 "c:1:32: the line ends where a hardware address is needed"},
	};
	static struct linux_side side;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		side = (struct linux_side){0};
		assert_int_equal(read_side(&side, cases[i].name, cases[i].text), -EINVAL);
		assert_string_equal(err.text, cases[i].error);
	}
}

#define HOMES "START IUTIQDE1 HOME 10.1.2.1 H\n"
#define ROUTE "BEGINROUTES ROUTE 10.1.2.0 255.255.255.0 = H MTU 8192 ENDROUTES"
#define HSI0  "ifconfig hsi0 10.1.2.2 netmask 255.255.255.0\n"

static void definitions_that_make_no_pair(void **state)
{
	static const struct {
		const char *profile, *commands, *why;
		uint32_t frame;
	} cases[] = {
		{";", HSI0, "no LINK of type IPAQIDIO is defined", 65536},
		{DEVICE "DEVICE IUTIQDE2 MPCIPA LINK J IPAQIDIO IUTIQDE2", HSI0,
		 "links H and J are both of type IPAQIDIO", 65536},
		{DEVICE, HSI0, "device IUTIQDE1 has no START statement", 65536},
		{DEVICE "START IUTIQDE1", HSI0, "link H has no address in HOME", 65536},
		{DEVICE HOMES ROUTE, "ifconfig eth0 10.1.2.2\n",
		 "Linux has no interface hsi0, hsi1, ...", 65536},
		{DEVICE HOMES ROUTE, "ifconfig hsi0 up\n", "interface hsi0 has no address", 65536},
		{DEVICE HOMES ROUTE, "ifconfig hsi0 10.1.2.2\n", "interface hsi0 has no netmask",
		 65536},
		{DEVICE HOMES ROUTE, "ifconfig hsi0 up\nifconfig hsi1 up\n",
		 "interfaces hsi0 and hsi1 are both of HiperSockets", 65536},
		{DEVICE HOMES ROUTE, "ifconfig hsi0 10.1.2.1 netmask 255.255.255.0\n",
		 "link H and interface hsi0 have the same address, 10.1.2.1", 65536},
		{DEVICE HOMES, HSI0, "no ROUTE over link H leads to 10.1.2.2, the address of hsi0",
		 65536},
		{DEVICE HOMES ROUTE, "ifconfig hsi0 10.1.2.200 netmask 255.255.255.240\n",
		 "neither the netmask of hsi0 nor a route leads to 10.1.2.1 of link H", 65536},
		{DEVICE HOMES ROUTE, HSI0 "ifconfig hsi0 mtu 9000\n",
		 "the MTU of interface hsi0 is 9000, and frames of 16384 bytes have 8192 at most",
		 16384},
		{DEVICE HOMES "BEGINROUTES ROUTE DEFAULT = H MTU 9000", HSI0,
		 "p:4:13: the MTU of this ROUTE is 9000, and frames of 16384 bytes have 8192 at most",
		 16384},
	};
	static struct tcpip_profile profile;
	static struct linux_side side;
	struct hsi_pair pair;
	char why[PAIR_WHY];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (read_profile(&profile, cases[i].profile, strlen(cases[i].profile)) < 0)
			fail_msg("%s", err.text);
		side = (struct linux_side){0};
		if (read_side(&side, "c", cases[i].commands) < 0)
			fail_msg("%s", err.text);
		assert_int_equal(pair_find(&pair, &profile, &side, cases[i].frame, why), -EINVAL);
		assert_string_equal(why, cases[i].why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_statement_is_read),
		cmocka_unit_test(errors_of_a_profile_have_their_place),
		cmocka_unit_test(lists_have_their_limits),
		cmocka_unit_test(errors_of_linux_have_their_place),
		cmocka_unit_test(definitions_that_make_no_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
