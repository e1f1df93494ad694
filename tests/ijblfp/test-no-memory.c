/* SPDX-License-Identifier: Apache-2.0 */
/* test-no-memory.c - a lack of memory costs one connection */
#include "bystander.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/sock/vsock.h"

static bool armed;

void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);

void *__wrap_calloc(size_t nr, size_t size)
{
	if (armed && size == sizeof(struct vsock)) {
		errno = ENOMEM;
		return NULL;
	}
	return __real_calloc(nr, size);
}

/* That connection is reset, and its credit goes to the next one. */
static void no_memory_for_a_connection(void **state)
{
	struct host *host = *state;
	struct lfp_frame frame = {.code = LFP_ACCEPTED,
				  .accepted = {.id = LFP_ID_LFPD | 1,
					       .peer = some_addr(1),
					       .local = some_addr(2)}};
	int fd = listening_socket(host, &frame.sock, 2);
	struct got got;

	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
	begin_bystander(host);
	armed = true;
	put(host, frame);
	got = host_expect(host, LFP_CLOSE);
	armed = false;
	assert_true(got.sock == (LFP_ID_LFPD | 1));
	assert_int_equal(got.how, 1);
	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
	frame.accepted.id++;
	put(host, frame);
	host_until(host, poll_now(fd) & POLLIN);
	bystander_lives(host);
	assert_int_equal(host->inst->disagreements, 0);
	close(fd);
	close(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_memory_for_a_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
