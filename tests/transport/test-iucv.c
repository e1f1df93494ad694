/* SPDX-License-Identifier: Apache-2.0 */
/* test-iucv.c - the transport iucv without a kernel that has it: names, and clear errors */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "transport/iucv-socket.h"
#include "transport/choice.h"

static void names(void **state)
{
	struct iucv_addr addr;
	char name[9];

	(void)state;
	iucv_addr_set(&addr, "LINUX1", "LINR02");
	assert_int_equal(addr.family, 32);
	assert_memory_equal(addr.nodeid, "        ", 8);
	assert_memory_equal(addr.user, "LINUX1  ", 8);
	assert_memory_equal(addr.name, "LINR02  ", 8);
	iucv_addr_set(&addr, "", "LONGERTHANEIGHT");
	assert_memory_equal(addr.user, "        ", 8);
	assert_memory_equal(addr.name, "LONGERTH", 8);
	iucv_addr_set(&addr, NULL, "12345678");
	assert_memory_equal(addr.user, "        ", 8);
	assert_memory_equal(addr.name, "12345678", 8);
	iucv_name_get(name, "VSE1    ");
	assert_string_equal(name, "VSE1");
	iucv_name_get(name, "HSLNX1\0\0");
	assert_string_equal(name, "HSLNX1");
	iucv_name_get(name, "12345678");
	assert_string_equal(name, "12345678");
	iucv_name_get(name, "A\n\x80 B   ");
	assert_string_equal(name, "A???B");
	iucv_name_get(name, "        ");
	assert_string_equal(name, "");
}

static bool has_iucv(void)
{
	int fd = socket(AF_IUCV, SOCK_SEQPACKET, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int status;
static unsigned int calls;

static void on_connected(void *data, int error, struct transport_conn *conn)
{
	(void)data;
	assert_null(conn);
	status = error;
	calls++;
}

static void says_what_is_missing(void **state)
{
	char why[TRANSPORT_WHY] = "";
	struct transport_where where = {
		.name = "LINR02", .own = "TESTV", .vmid = "LINUX1", .mtu = 8192, .why = why};
	struct transport_listener *listener;
	uv_loop_t loop;

	(void)state;
	if (has_iucv())
		skip();
	assert_int_equal(uv_loop_init(&loop), 0);
	assert_int_equal(transport_iucv.listen(&loop, &where, &listener), -EAFNOSUPPORT);
	assert_non_null(strstr(why, "this kernel does not have AF_IUCV"));
	*why = '\0';
	assert_int_equal(transport_iucv.connect(&loop, &where, on_connected, NULL), 0);
	assert_int_equal(calls, 0);
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(calls, 1);
	assert_int_equal(status, -EAFNOSUPPORT);
	assert_non_null(strstr(why, "this kernel does not have AF_IUCV"));
	where.why = NULL;
	assert_int_equal(transport_iucv.listen(&loop, &where, &listener), -EAFNOSUPPORT);
	assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(says_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
