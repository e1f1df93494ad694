/* SPDX-License-Identifier: Apache-2.0 */
/* test-datagram-frames.c - frames for datagram sockets that must not be end the path */
#include "datagram.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static void breaks(struct host *host, struct lfp_frame frame)
{
	host_deafen(host);
	if (lfp_is_data(frame.code))
		assert_int_equal(path_send_data(host->path, &frame), 0);
	else
		host_send(host, frame);
	host_until(host, !host->path);
}

static void for_a_stream(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id);

	breaks(host, (struct lfp_frame){.code = LFP_DATAGRAM, .sock = id});
	close(fd);
}

static void error_for_a_stream(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id);

	breaks(host, (struct lfp_frame){.code = LFP_DATAGRAM_ERROR,
					.sock = id,
					.datagram_error.error = EPERM});
	close(fd);
}

static void wrong_position(void **state)
{
	struct host *host = *state;
	struct sockaddr_un near;
	uint64_t id;
	int fd = new_datagram(host, &id, &near);

	breaks(host, (struct lfp_frame){.code = LFP_DATAGRAM, .sock = id, .datagram.position = 1});
	close(fd);
}

static void stream_frames(void **state)
{
	struct host *host = *state;
	struct sockaddr_un near;
	uint64_t id;
	int fd = new_datagram(host, &id, &near);

	breaks(host, (struct lfp_frame){.code = LFP_SHUTDOWN, .sock = id, .shutdown.how = 1});
	close(fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(for_a_stream),
		TEST(error_for_a_stream),
		TEST(wrong_position),
		TEST(stream_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
