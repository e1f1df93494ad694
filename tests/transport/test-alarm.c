/* SPDX-License-Identifier: Apache-2.0 */
/* test-alarm.c - timers of a loop that waits without an event, run in both ways */
#include "tests/transport/both-loops.h"

#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

/* Timers while the loop waits without an event. */
struct timers {
	struct fixture f;
	uv_timer_t late, early, again;
	uint64_t begun;
	int rounds;
};

static void on_late(uv_timer_t *timer)
{
	(void)timer;
	fail(); /* the loop ends before */
}

/* The third round of a timer ends the loop. */
static void on_again_and_again(uv_timer_t *timer)
{
	struct timers *t = timer->data;

	if (++t->rounds < 3)
		return;
	assert_true(uv_hrtime() - t->begun >= UINT64_C(300000000));
	uv_close((uv_handle_t *)&t->late, NULL);
	uv_close((uv_handle_t *)&t->again, NULL);
	watch_close(&t->f.watches[0], fixture_on_closed);
}

static void on_early(uv_timer_t *timer)
{
	struct timers *t = timer->data;

	assert_true(uv_hrtime() - t->begun >= UINT64_C(100000000));
	uv_close((uv_handle_t *)timer, NULL);
	uv_timer_start(&t->again, on_again_and_again, 60, 70);
}

/* Waits begin with a late timer. The earlier one, which is stopped, makes the alarm end one of them
 * for nothing. */
static void on_begun(struct watch *watch, int status, int events)
{
	struct timers *t = watch->data;
	eventfd_t value;

	(void)status;
	(void)events;
	eventfd_read(watch->fd, &value);
	if (!t->f.calls++) {
		uv_timer_start(&t->early, on_late, 60, 0);
		eventfd_write(watch->fd, 1);
		return;
	}
	uv_timer_stop(&t->early);
	uv_timer_start(&t->early, on_early, 110, 0);
}

/* A timer is never early, and a later one that began before does not hold it up. */
static void timers(void (*how)(uv_loop_t *loop))
{
	struct timers t = {.begun = uv_hrtime()};

	fixture_begin(&t.f, how);
	t.f.watches[0].data = t.late.data = t.early.data = t.again.data = &t;
	uv_timer_init(&t.f.loop, &t.late);
	uv_timer_init(&t.f.loop, &t.early);
	uv_timer_init(&t.f.loop, &t.again);
	uv_timer_start(&t.late, on_late, 50000, 0);
	assert_int_equal(watch_init(&t.f.loop, &t.f.watches[0], t.f.fds[0]), 0);
	watch_start(&t.f.watches[0], UV_READABLE, on_begun);
	assert_int_equal(eventfd_write(t.f.fds[0], 1), 0);
	fixture_run(&t.f);
	assert_int_equal(t.rounds, 3);
	assert_int_equal(t.f.calls, 2);
}

static void by_reactor_alone(uv_loop_t *loop)
{
	struct rlimit limit, none;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(eventfd(0, EFD_CLOEXEC), -1);
	reactor_run(loop);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* There is no descriptor for the alarm. */
static void timers_without_descriptor(void **state)
{
	(void)state;
	timers(by_reactor_alone);
}

/* The alarm ends while a callback runs, and the look at the set takes that from the kernel. */
static void on_long(struct watch *watch, int status, int events)
{
	struct fixture *f = watch->data;
	uint64_t begun = uv_hrtime();
	eventfd_t value;

	(void)status;
	(void)events;
	/* Nobody reads at first, so the next wait, which has a time limit, ends with this. */
	if (!f->status++)
		return;
	eventfd_read(watch->fd, &value);
	while (uv_hrtime() - begun < UINT64_C(150000000))
		usleep(10000);
	watch_set_poll(&f->set);
}

static void on_timer_alone(uv_timer_t *timer)
{
	struct fixture *f = timer->data;

	f->calls++;
	uv_close((uv_handle_t *)timer, NULL);
	watch_close(&f->watches[0], fixture_on_closed);
	watch_set_finish(&f->set);
}

static void on_done_alone(struct watch_set *set)
{
	((struct fixture *)set->data)->done++;
}

static void on_no_event(struct watch_set *set, uint64_t number, uint32_t events)
{
	(void)set;
	(void)number;
	(void)events;
	fail();
}

/* No event comes after that look, and the timer ends the wait all the same. */
static void set_now_and_timer(void (*how)(uv_loop_t *loop))
{
	struct fixture f;

	fixture_begin(&f, how);
	f.set.on_event = on_no_event;
	f.set.on_done = on_done_alone;
	assert_int_equal(watch_init(&f.loop, &f.watches[0], f.fds[0]), 0);
	assert_int_equal(watch_set_init(&f.loop, &f.set), 0);
	watch_start(&f.watches[0], UV_READABLE, on_long);
	assert_int_equal(eventfd_write(f.fds[0], 1), 0);
	uv_timer_init(&f.loop, &f.timer);
	uv_timer_start(&f.timer, on_timer_alone, 100, 0);
	fixture_run(&f);
	assert_int_equal(f.calls, 1);
	assert_int_equal(f.closed, 1);
}

BOTH(timers)
BOTH(set_now_and_timer)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTS(timers),
		TESTS(set_now_and_timer),
		cmocka_unit_test(timers_without_descriptor),
	};

	alarm(60); /* a loop that does not end is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
