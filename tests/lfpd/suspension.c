/* SPDX-License-Identifier: Apache-2.0 */
/* suspension.c - an instance with a scripted z/VSE side that suspends a session and resumes it */
#include "tests/lfpd/suspension.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/datagram.h"
#include "lfpd/instance.h"
#include "lfpd/restart/suspend.h"
#include "lfpd/state/session.h"
#include "tests/qemu-user.h"

struct suspended left;
int nr_done, done_error;

int set_up(void **state)
{
	(void)state;
	host_init(&host);
	nr_done = 0;
	return 0;
}

void on_done(struct instance *inst, int error, struct suspended *what)
{
	(void)inst;
	nr_done++;
	done_error = error;
	if (error)
		return;
	left = *what;
	left.fds = malloc((what->nr + 1) * sizeof(*left.fds));
	assert_non_null(left.fds);
	memcpy(left.fds, what->fds, what->nr * sizeof(*left.fds));
}

struct lfp_hello_reply hello(uint64_t session)
{
	struct lfp_frame frame = {
		.code = LFP_HELLO,
		.hello = {.version = 1,
			  .threshold = 25,
			  .features = LFP_FEATURE_RESUME | LFP_FEATURE_EPOCH,
			  .session = session,
			  .mtu = 8192,
			  .msglimit = 64,
			  .window = VSE_WINDOW,
			  .vmid = "VSER05",
			  .appname = "TESTV",
			  .dest_vmid = "LINUX1",
			  .dest_appname = "TEST"},
	};

	vse_connect(&vse, &host);
	frame = vse_ask(&vse, frame);
	assert_int_equal(frame.status, 0);
	assert_int_equal(frame.hello_reply.features, LFP_FEATURE_RESUME | LFP_FEATURE_EPOCH);
	return frame.hello_reply;
}

/* A path with task 1; the number of the session. */
uint64_t start(void)
{
	struct lfp_frame task = {.code = LFP_TASK_BEGIN, .task = 1};
	uint64_t id;

	host_start(&host);
	id = hello(0).session;
	assert_true(id != 0);
	assert_int_equal(vse_ask(&vse, task).status, 0);
	return id;
}

void send_plain(enum lfp_code code)
{
	const struct lfp_frame frame = {.code = (uint8_t)code};

	vse_send(&vse, &frame);
}

void suspend(void)
{
	suspend_begin(&host.inst, on_done);
	vse_expect(&vse, LFP_SUSPEND);
}

/* Both sides have sent their last frame. */
void settle(void)
{
	QEMU_USER_LACKS("SO_COOKIE and F_GET_SEALS");
	send_plain(LFP_SUSPENDED);
	vse_expect(&vse, LFP_SUSPENDED);
	assert_int_equal(nr_done, 0);
	send_plain(LFP_BYE);
	vse_expect_end(&vse);
	assert_int_equal(nr_done, 1);
	assert_int_equal(done_error, 0);
}

/* The next lfpd. */
int take_over(void)
{
	int rc;

	instance_stop(&host.inst, "it was suspended");
	uv_run(&host.loop, UV_RUN_DEFAULT);
	assert_int_equal(host.inst.nr_sockets, 0);
	assert_int_equal(instance_start(&host.inst, &host.loop, &host.config, "LINUX1", true), 0);
	rc = resume_offer(&host.inst, &left);
	free(left.fds);
	return rc;
}

void hand_over(uint64_t session)
{
	suspend();
	settle();
	assert_int_equal(take_over(), 0);
	hello(session);
}

int resume(uint64_t id, uint64_t sent, uint64_t received)
{
	struct lfp_frame frame = {
		.code = LFP_RESUME,
		.sock = id,
		.resume = {.sent = sent, .received = received},
	};

	return vse_ask(&vse, frame).status;
}

void resumed(void)
{
	struct lfp_frame frame = {.code = LFP_RESUMED};

	assert_int_equal(vse_ask(&vse, frame).status, 0);
}
