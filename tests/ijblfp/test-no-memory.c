/* SPDX-License-Identifier: Apache-2.0 */
/* test-no-memory.c - a lack of memory costs a connection or a call, of descriptors a start */
#include "bystander.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/sock/vsock.h"
#include "ijblfp/wiring.h"
#include "lfp/places.h"

static size_t lacking; /* allocations of this size fail */
static bool no_eventfd;

void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);

void *__wrap_calloc(size_t nr, size_t size)
{
	if (lacking && size == lacking) {
		errno = ENOMEM;
		return NULL;
	}
	return __real_calloc(nr, size);
}

int __real_eventfd(unsigned int count, int flags);
int __wrap_eventfd(unsigned int count, int flags);

int __wrap_eventfd(unsigned int count, int flags)
{
	if (no_eventfd) {
		errno = EMFILE;
		return -1;
	}
	return __real_eventfd(count, flags);
}

/* That connection is reset, and its credit goes to the next one. */
static void no_memory_for_a_connection(void **state)
{
	struct host *host = *state;
	struct lfp_frame frame = {
		.code = LFP_ACCEPTED,
		.accepted = {.id = LFP_ID_LFPD | 1, .peer = some_addr(1), .local = some_addr(2)}};
	int fd = listening_socket(host, &frame.sock, 2);
	struct got got;

	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
	begin_bystander(host);
	lacking = sizeof(struct vsock);
	put(host, frame);
	got = host_expect(host, LFP_CLOSE);
	lacking = 0;
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

/* The call fails with ENOMEM, and the next one succeeds. */
static void no_memory_for_a_call(void **state)
{
	struct host *host = *state;
	int conn = call_send(host, LFP_CTL_PING, 0, 0, 0, 0, "", 0, -1);

	lacking = sizeof(struct ctl_conn);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENOMEM);
	lacking = 0;
	assert_int_equal(call(host, LFP_CTL_PING, 0, 0, -1), 0);
}

/* Another instance cannot start, reports why, and leaves nothing on the loop. */
static void no_descriptor_at_a_start(void **state)
{
	struct host *host = *state;
	struct instance_config config = host->inst->config;
	char path[LFP_PLACE_MAX];
	int error = 0;

	strcpy(config.st.id, "08");
	assert_int_equal(lfp_place_vse(path, "08", "ctl"), 0);
	assert_int_equal(lfp_place_make_parent(path), 0);
	begin_bystander(host);
	no_eventfd = true;
	assert_null(instance_create(&host->loop, &config, &error));
	no_eventfd = false;
	assert_int_equal(error, -EMFILE);
	bystander_lives(host);
	close(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_memory_for_a_connection),
		TEST(no_memory_for_a_call),
		TEST(no_descriptor_at_a_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
