/* SPDX-License-Identifier: Apache-2.0 */
/* holding.c - an instance whose scripted lfpd goes away and comes back */
#include "holding.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "ijblfp/link/hold.h"
#include "ijblfp/link/link.h"

static int setup_time(void **state, unsigned int seconds)
{
	struct host *host = host_create();

	host->features = LFP_FEATURE_RESUME;
	host->session = SESSION;
	host->hold_time = seconds;
	host_start(host);
	assert_int_equal(host->started, 0);
	*state = host;
	return 0;
}

int hold_setup(void **state)
{
	return setup_time(state, 30);
}

int hold_setup_short(void **state)
{
	return setup_time(state, HOLD_SHORT / 1000000000);
}

int hold_setup_none(void **state)
{
	return setup_time(state, 0);
}

int listening(struct host *host, uint64_t *id)
{
	int fd = listening_socket(host, id, 4);

	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 2);
	return fd;
}

void send_plain(struct host *host, uint8_t code)
{
	host_send(host, (struct lfp_frame){.code = code});
}

void suspend(struct host *host)
{
	send_plain(host, LFP_SUSPEND);
	host_expect(host, LFP_SUSPENDED);
}

void go_away(struct host *host)
{
	host->asked_for = 0;
	*host->bye = '\0';
	send_plain(host, LFP_SUSPENDED);
	/* The next path may be there at once. */
	host_until(host, *host->bye);
	assert_string_equal(host->bye, "suspended");
	assert_int_equal(host->seen, host->nr_got);
	host_until(host, host->path && host->asked_for);
	assert_int_equal(host->asked_for, SESSION);
}

void answer_resume(struct host *host, struct got got, uint16_t status, uint64_t sent,
		   uint64_t received)
{
	host_send(host, (struct lfp_frame){.code = LFP_RESUME_REPLY,
					   .sock = got.sock,
					   .request = got.request,
					   .status = status,
					   .resume = {.sent = sent, .received = received}});
}

struct got resume_all(struct host *host, unsigned int nr, uint64_t other)
{
	struct got found = {.code = 0};

	for (unsigned int i = 0; i < nr; i++) {
		struct got got = host_expect(host, LFP_RESUME);

		if (got.sock == other)
			found = got;
		else
			answer_resume(host, got, 0, got.resume.received, got.resume.sent);
	}
	return found;
}

void finish_resume(struct host *host)
{
	host_answer(host, host_expect(host, LFP_RESUMED), 0);
	host_until(host, host->inst->link->hold.phase == HOLD_NONE);
}

void accepted(struct host *host, uint64_t listener, uint64_t id)
{
	host_send(host, (struct lfp_frame){.code = LFP_ACCEPTED,
					   .sock = listener,
					   .accepted = {.id = LFP_ID_LFPD | id,
							.peer = some_addr(1000),
							.local = some_addr(80)}});
}
