/* SPDX-License-Identifier: Apache-2.0 */
/* test-early.c - the options that a program sets without a call on the control channel */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/ctl.h"
#include "lfp/early.h"
#include "lfp/sockopt.h"
#include "tests/qemu-user.h"

/* A program gets no answer: so no early flag may be one that the host can refuse. */
static void flags_are_certain(void **state)
{
	(void)state;
	for (int i = 0; i < LFP_EARLY_FLAGS; i++) {
		const struct lfp_early_option *at = lfp_early_at(i);

		assert_true(lfp_opt_certain(at->level, at->name, sizeof(int)));
		assert_int_equal(lfp_early_find(at->level, at->name), i);
	}
	assert_int_equal(lfp_early_find(IPPROTO_TCP, TCP_CONGESTION), LFP_EARLY_CONGESTION);
	/* Other sockets depend on it. */
	assert_int_equal(lfp_early_find(SOL_SOCKET, SO_REUSEADDR), -1);
	assert_int_equal(lfp_early_find(SOL_SOCKET, TCP_NODELAY), -1);
}

/* A UNIX stream stores what is put into each place, in that place alone, and goes on as before. */
static void places_hold(void **state)
{
	int ends[2], value, found;
	socklen_t len = sizeof(found);

	(void)state;
	QEMU_USER_LACKS("SO_MAX_PACING_RATE and SO_INCOMING_CPU");
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	for (int i = 0; i < LFP_EARLY_NR; i++) {
		int place = lfp_early_at(i)->place;

		value = 1;
		assert_int_equal(setsockopt(ends[0], SOL_SOCKET, place, &value, sizeof(value)), 0);
		for (int other = i + 1; other < LFP_EARLY_NR; other++) {
			int at = lfp_early_at(other)->place;

			assert_int_equal(getsockopt(ends[0], SOL_SOCKET, at, &found, &len), 0);
			assert_int_not_equal(found, 1);
		}
		assert_int_equal(getsockopt(ends[0], SOL_SOCKET, place, &found, &len), 0);
		assert_int_equal(found, 1);
	}
	assert_int_equal(getsockopt(ends[0], SOL_SOCKET, LFP_EARLY_WORD, &found, &len), 0);
	assert_true(found < 0);
	assert_int_equal(getsockopt(ends[0], SOL_SOCKET, LFP_EARLY_MARK, &found, &len), 0);
	assert_int_equal(found, 0);
	assert_int_equal(write(ends[0], "x", 1), 1);
	assert_int_equal(read(ends[1], &value, 1), 1);
	close(ends[0]);
	close(ends[1]);
}

/* The number of a congestion control and the mark of a fresh socket leave each other alone. */
static void control_and_mark(void **state)
{
	uint64_t mark = lfp_fresh_mark("07", AF_INET6), place = UINT64_MAX;
	char nn[3];

	(void)state;
	assert_int_equal(lfp_early_get_control(place), -1);
	assert_int_equal(lfp_early_get_control(mark), -1);
	for (int number = -1; lfp_early_control(number) || number < 0; number++) {
		place = lfp_early_put_control(place, number);
		assert_int_equal(lfp_early_get_control(place), number);
		assert_true(lfp_fresh_read(place, nn) < 0);
		mark = lfp_early_put_control(mark, number);
		assert_int_equal(lfp_early_get_control(mark), number);
		assert_int_equal(lfp_fresh_read(mark, nn), AF_INET6);
		assert_string_equal(nn, "07");
	}
}

static void words(void **state)
{
	int all = 0;

	(void)state;
	for (int i = 0; i < LFP_EARLY_FLAGS; i++) {
		assert_int_equal(all & (LFP_EARLY_KNOWN(i) | LFP_EARLY_VALUE(i, 1)), 0);
		all |= LFP_EARLY_KNOWN(i) | LFP_EARLY_VALUE(i, 1);
		assert_int_equal(LFP_EARLY_VALUE(i, 0), 0);
	}
	assert_true(all > 0);
}

static void controls(void **state)
{
	int number;

	(void)state;
	for (number = 0; lfp_early_control(number); number++) {
		const char *name = lfp_early_control(number);

		assert_true(strlen(name) < 16); /* TCP_CA_NAME_MAX */
		assert_int_equal(lfp_early_find_control(name, strlen(name)), number);
		assert_int_equal(lfp_early_find_control(name, strlen(name) + 1), number);
		assert_int_equal(lfp_early_find_control(name, strlen(name) - 1), -1);
	}
	assert_true(number > 2 && number < 32); /* bits of a word */
	assert_null(lfp_early_control(-1));
	assert_null(lfp_early_control(INT32_MAX));
	assert_int_equal(lfp_early_find_control("cubic and more", 14), -1);
	assert_int_equal(lfp_early_find_control("", 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_are_certain), cmocka_unit_test(places_hold),
		cmocka_unit_test(control_and_mark),  cmocka_unit_test(words),
		cmocka_unit_test(controls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
