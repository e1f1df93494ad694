/* SPDX-License-Identifier: Apache-2.0 */
/* both-loops.c - a loop for tests that is run by the reactor, or by libuv alone */
#include "tests/transport/both-loops.h"

#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

void by_libuv(uv_loop_t *loop)
{
	uv_run(loop, UV_RUN_DEFAULT);
}

void fixture_begin(struct fixture *f, void (*run)(uv_loop_t *loop))
{
	memset(f, 0, sizeof(*f));
	assert_int_equal(uv_loop_init(&f->loop), 0);
	f->run = run;
	for (int i = 0; i < 2; i++) {
		f->fds[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		f->watches[i].data = f->hooks[i].data = f;
	}
	f->set.data = f->timer.data = f->poll.data = f;
}

void fixture_run(struct fixture *f)
{
	f->run(&f->loop);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	close(f->fds[0]);
	close(f->fds[1]);
}

void fixture_on_closed(void *data)
{
	((struct fixture *)data)->closed++;
}
