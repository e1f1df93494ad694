/* SPDX-License-Identifier: Apache-2.0 */
/* test-joined-restart.c - a connection that was joined, with the next lfpd */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lfpd/sock/host-socket.h"
#include "tests/lfpd/joining.h"
#include "tests/lfpd/suspension.h"
#include "tests/qemu-user.h"

/* The bytes that have left TCP out still count in TCP_INFO, and those that go by TCP now, too. */
static void info_goes_on(void **state)
{
	uint64_t session = start(), server = joining_make();

	(void)state;
	vse_data(&vse, CLIENT, 0, "question", 8);
	joining_expect(server, 0, "question", 8);
	vse_data(&vse, server, 0, "answer", 6);
	joining_expect(CLIENT, 0, "answer", 6);
	assert_int_equal(host.inst.counters.bytes_joined, 14);
	hand_over(session);
	assert_int_equal(resume(LISTENER, 0, 0), 0);
	assert_int_equal(resume(CLIENT, 8, 6), 0);
	assert_int_equal(resume(server, 6, 8), 0);
	resumed();
	assert_int_equal(joining_info(CLIENT, BYTES_SENT), 8);
	assert_int_equal(joining_info(CLIENT, BYTES_RECEIVED), 6);
	assert_int_equal(joining_info(server, BYTES_ACKED), 6);
	assert_true(get_socket(server)->stream.joined.was);
	vse_data(&vse, CLIENT, 8, "more", 4);
	joining_expect(server, 8, "more", 4);
	assert_int_equal(host.inst.counters.bytes_joined, 0);
	assert_int_equal(joining_info(server, BYTES_RECEIVED), 12);
	joining_close(server, 6, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(info_goes_on, set_up, one_path_tear_down),
	};

	QEMU_USER_CANNOT("TCP_INFO of 208 bytes, SO_COOKIE and F_GET_SEALS");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
