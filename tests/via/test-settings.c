/* SPDX-License-Identifier: Apache-2.0 */
/* test-settings.c - via.conf: each key, and each wrong value with its line */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "via/settings.h"

static struct via_settings settings;
static struct lfp_reader_errors errs;

static int get(const char *text)
{
	const struct via_file file = {
		.name = "via.conf", .data = (const uint8_t *)text, .size = strlen(text)};

	return via_settings_read(&file, &settings, &errs);
}

static void all_keys(void **state)
{
	(void)state;
	assert_int_equal(get("# comment\r\n"
			     "HOST_NAME = via1   # another\n"
			     "\n"
			     "ADDRESS = 192.0.2.1/24\n"
			     "ADDRESS=2001:db8::1/64 eth1\n"
			     "DEVICE = hsi0 8192\n"
			     "DEVICE = 52:54:00:12:34:Ff\n"
			     "GATEWAY = 192.0.2.254\n"
			     "GATEWAY = 2001:db8::ff\n"
			     "NAME_SERVER = 192.0.2.53\n"
			     "TIME_SERVER = 192.0.2.123\n"
			     "CONTROLLER_HSUID = LINUX1\n"
			     "CONTROLLER = vsock 2\n"
			     "CONTROLLER = vsock 4 privileged\n"
			     "CONTROLLER = iucv OPERATOR\n"
			     "CONTROLLER = user 0"),
			 0);
	assert_string_equal(settings.host_name, "via1");
	assert_int_equal(settings.nr_addresses, 2);
	assert_int_equal(settings.addresses[0].ip.family, AF_INET);
	assert_memory_equal(settings.addresses[0].ip.bytes, "\xc0\0\x02\x01", 4);
	assert_int_equal(settings.addresses[0].prefix, 24);
	assert_string_equal(settings.addresses[0].device, "");
	assert_int_equal(settings.addresses[1].prefix, 64);
	assert_string_equal(settings.addresses[1].device, "eth1");
	assert_int_equal(settings.nr_devices, 2);
	assert_string_equal(settings.devices[0].name, "hsi0");
	assert_int_equal(settings.devices[0].mtu, 8192);
	assert_string_equal(settings.devices[1].name, "52:54:00:12:34:Ff");
	assert_int_equal(settings.devices[1].mtu, 0);
	assert_int_equal(settings.nr_gateways, 2);
	assert_int_equal(settings.nr_name_servers, 1);
	assert_string_equal(settings.name_servers[0], "192.0.2.53");
	assert_string_equal(settings.time_server, "192.0.2.123");
	assert_string_equal(settings.hsuid, "LINUX1");
	assert_int_equal(settings.nr_controllers, 4);
	assert_int_equal(settings.controllers[0].kind, VIA_CONTROLLER_VSOCK);
	assert_int_equal(settings.controllers[0].number, 2);
	assert_false(settings.controllers[0].privileged);
	assert_true(settings.controllers[1].privileged);
	assert_string_equal(settings.controllers[2].vmid, "OPERATOR");
	assert_int_equal(settings.controllers[3].kind, VIA_CONTROLLER_USER);
}

static void nothing_is_good(void **state)
{
	(void)state;
	assert_int_equal(get(""), 0);
	assert_int_equal(settings.nr_controllers, 0);
}

static void wrong_values(void **state)
{
	static const struct {
		const char *text, *start;
	} cases[] = {
		{"ADDRESS 192.0.2.1/24", "via.conf:1: the line"},
		{"\n\nADDRESS =", "via.conf:3: ADDRESS: has no value"},
		{"ADDRESSES = 1.2.3.4/5", "via.conf:1: ADDRESSES: there is no such key"},
		{"ADDRESS = 192.0.2.1", "via.conf:1: ADDRESS: must be"},
		{"ADDRESS = 192.0.2.1/33", "via.conf:1: ADDRESS: must be"},
		{"ADDRESS = 2001:db8::1/129", "via.conf:1: ADDRESS: must be"},
		{"ADDRESS = 192.0.2.1/24 eth0 x", "via.conf:1: ADDRESS: must be"},
		{"ADDRESS = 192.0.2.1/24 ../x", "via.conf:1: ADDRESS: ../x is no name"},
		{"DEVICE = eth0 100", "via.conf:1: DEVICE: must be"},
		{"DEVICE = eth0 1500 1", "via.conf:1: DEVICE: must be"},
		{"DEVICE = 52:54:00:12:34", "via.conf:1: DEVICE: must be"},
		{"DEVICE = 52:54:00:12:34:5g", "via.conf:1: DEVICE: must be"},
		{"DEVICE = ../..", "via.conf:1: DEVICE: must be"},
		{"GATEWAY = x", "via.conf:1: GATEWAY: must be"},
		{"GATEWAY = 1.2.3.4\nGATEWAY = 1.2.3.5", "via.conf:2: GATEWAY: there is already"},
		{"HOST_NAME = a_b", "via.conf:1: HOST_NAME: has a character"},
		{"HOST_NAME = a b", "via.conf:1: HOST_NAME: must be one name"},
		{"NAME_SERVER = localhost", "via.conf:1: NAME_SERVER: must be"},
		{"TIME_SERVER = a", "via.conf:1: TIME_SERVER: must be"},
		{"CONTROLLER = vsock", "via.conf:1: CONTROLLER: must be"},
		{"CONTROLLER = tcp 2", "via.conf:1: CONTROLLER: must be"},
		{"CONTROLLER = vsock 2 private", "via.conf:1: CONTROLLER: must be"},
		{"CONTROLLER = vsock 2 privileged x", "via.conf:1: CONTROLLER: must be"},
		{"CONTROLLER = user 0 privileged", "via.conf:1: CONTROLLER: must be"},
		{"CONTROLLER = vsock -1", "via.conf:1: CONTROLLER: -1 is no number"},
		{"CONTROLLER = iucv TOOLONGNAME", "via.conf:1: CONTROLLER: TOOLONGNAME is no z/VM"},
		{"CONTROLLER_HSUID = lower", "via.conf:1: CONTROLLER_HSUID: must have"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_not_equal(get(cases[i].text), 0);
		assert_int_equal(errs.nr, 1);
		if (strncmp(errs.list[0].text, cases[i].start, strlen(cases[i].start)) != 0)
			fail_msg("\"%s\" gave \"%s\"", cases[i].text, errs.list[0].text);
	}
}

static void lists_have_ends(void **state)
{
	char text[64 * 40] = "";

	(void)state;
	for (int i = 0; i <= VIA_ADDRESSES_MAX; i++)
		snprintf(text + strlen(text), 40, "ADDRESS = 10.0.0.%d/24\n", i);
	assert_int_not_equal(get(text), 0);
	assert_int_equal(errs.list[0].line, VIA_ADDRESSES_MAX + 1);
	assert_int_not_equal(get("NAME_SERVER = ::1\nNAME_SERVER = ::1\nNAME_SERVER = ::1\n"
				 "NAME_SERVER = ::1\n"),
			     0);
	assert_int_not_equal(get("CONTROLLER = user 1\nCONTROLLER = user 1\nCONTROLLER = user 1\n"
				 "CONTROLLER = user 1\nCONTROLLER = user 1\n"),
			     0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_keys),
		cmocka_unit_test(nothing_is_good),
		cmocka_unit_test(wrong_values),
		cmocka_unit_test(lists_have_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
