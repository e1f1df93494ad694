/* SPDX-License-Identifier: Apache-2.0 */
/* test-reactor.c - descriptors, hooks and libuv's handles on one loop, run in both ways */
#include "tests/transport/both-loops.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define HIGH (UINT64_C(1) << 63 | 7) /* a number that uses the highest bit */

static void on_again(uv_timer_t *timer);

static void on_level(struct watch *watch, int status, int events)
{
	struct fixture *f = watch->data;

	assert_int_equal(status, 0);
	assert_int_equal(events, UV_READABLE);
	/* Nobody reads, so it is told again; a stopped watch is not. */
	if (++f->calls == 2) {
		watch_stop(watch);
		uv_timer_start(&f->timer, on_again, 5, 0);
	}
	if (f->calls == 3)
		watch_close(watch, fixture_on_closed);
}

static void on_again(uv_timer_t *timer)
{
	struct fixture *f = timer->data;

	assert_int_equal(f->calls, 2);
	watch_start(&f->watches[0], UV_READABLE, on_level);
	uv_close((uv_handle_t *)timer, NULL);
}

static void level(void (*how)(uv_loop_t *loop))
{
	struct fixture f;

	fixture_begin(&f, how);
	assert_int_equal(eventfd_write(f.fds[0], 1), 0);
	assert_int_equal(watch_init(&f.loop, &f.watches[0], f.fds[0]), 0);
	watch_start(&f.watches[0], UV_READABLE, on_level);
	uv_timer_init(&f.loop, &f.timer);
	fixture_run(&f);
	assert_int_equal(f.calls, 3);
	assert_int_equal(f.closed, 1);
}

static void on_first(struct watch *watch, int status, int events)
{
	struct fixture *f = watch->data;

	(void)status;
	(void)events;
	f->calls++;
	for (int i = 0; i < 2; i++)
		watch_close(&f->watches[i], fixture_on_closed);
}

/* Both have an event in one turn, and the first callback closes both. */
static void closed_meanwhile(void (*how)(uv_loop_t *loop))
{
	struct fixture f;

	fixture_begin(&f, how);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(eventfd_write(f.fds[i], 1), 0);
		assert_int_equal(watch_init(&f.loop, &f.watches[i], f.fds[i]), 0);
		watch_start(&f.watches[i], UV_READABLE, on_first);
	}
	fixture_run(&f);
	assert_int_equal(f.calls, 1);
	assert_int_equal(f.closed, 2);
}

static void on_error(struct watch *watch, int status, int events)
{
	struct fixture *f = watch->data;

	f->status = status;
	f->events = events;
	assert_int_equal(watch->events, 0); /* stopped */
	watch_close(watch, fixture_on_closed);
}

/* A pipe whose reader is gone: EPOLLERR. */
static void error(void (*how)(uv_loop_t *loop))
{
	struct fixture f;
	int ends[2];

	fixture_begin(&f, how);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(watch_init(&f.loop, &f.watches[0], ends[1]), 0);
	watch_start(&f.watches[0], UV_WRITABLE | UV_READABLE, on_error);
	fixture_run(&f);
	close(ends[1]);
	assert_true(f.status < 0);
	assert_int_equal(f.events, UV_WRITABLE | UV_READABLE);
}

static void on_poll_now(struct watch *watch, int status, int events)
{
	struct fixture *f = watch->data;

	(void)status;
	(void)events;
	/* Whether or not this turn has already taken it from the kernel. */
	if (!f->calls)
		watch_set_poll(&f->set);
	assert_int_equal(f->calls, 1);
	watch_close(watch, fixture_on_closed);
}

static void on_number(struct watch_set *set, uint64_t number, uint32_t events)
{
	struct fixture *f = set->data;

	assert_true(events & EPOLLIN);
	f->number = number;
	f->calls++;
}

static void on_done(struct watch_set *set)
{
	struct fixture *f = set->data;

	f->done++;
	if (f->calls)
		watch_set_finish(set);
}

static void set_now(void (*how)(uv_loop_t *loop))
{
	struct fixture f;

	fixture_begin(&f, how);
	f.set.on_event = on_number;
	f.set.on_done = on_done;
	assert_int_equal(watch_init(&f.loop, &f.watches[0], f.fds[0]), 0);
	assert_int_equal(watch_set_init(&f.loop, &f.set), 0);
	watch_start(&f.watches[0], UV_READABLE, on_poll_now);
	assert_int_equal(watch_set_control(&f.set, EPOLL_CTL_ADD, f.fds[1], HIGH, EPOLLIN), 0);
	assert_int_equal(eventfd_write(f.fds[0], 1), 0);
	assert_int_equal(eventfd_write(f.fds[1], 1), 0);
	fixture_run(&f);
	assert_true(f.number == HIGH);
	assert_int_equal(f.calls, 1);
	assert_int_equal(f.done, 1);
}

static void note(struct turn_hook *hook, char what)
{
	struct fixture *f = hook->data;
	size_t len = strlen(f->order);

	if (len + 1 < sizeof(f->order))
		f->order[len] = what;
}

static void on_idle(struct turn_hook *hook)
{
	note(hook, 'i');
}

static void before_second(struct turn_hook *hook)
{
	note(hook, '2');
}

static void before_first(struct turn_hook *hook)
{
	note(hook, '1');
}

static void after_first(struct turn_hook *hook)
{
	struct fixture *f = hook->data;

	note(hook, 'a');
	if (++f->calls < 2)
		return;
	turn_hook_close(&f->hooks[1], fixture_on_closed);
	turn_hook_close(&f->hooks[0], fixture_on_closed);
}

/* The later hook is called first, and turns go on while one asks. */
static void hooks(void (*how)(uv_loop_t *loop))
{
	struct fixture f;

	fixture_begin(&f, how);
	f.hooks[0].before = before_first;
	f.hooks[0].after = after_first;
	f.hooks[1].before = before_second;
	f.hooks[1].idle = on_idle;
	assert_int_equal(turn_hook_init(&f.loop, &f.hooks[0]), 0);
	assert_int_equal(turn_hook_init(&f.loop, &f.hooks[1]), 0);
	turn_hook_ask(&f.hooks[1], true);
	fixture_run(&f);
	assert_string_equal(f.order, "i21ai21a");
	assert_int_equal(f.closed, 2);
}

static void on_uv_poll(uv_poll_t *poll, int status, int events)
{
	struct fixture *f = poll->data;

	(void)status;
	(void)events;
	f->calls++;
	uv_close((uv_handle_t *)poll, NULL);
}

static void starts_a_handle(struct watch *watch, int status, int events)
{
	struct fixture *f = watch->data;

	(void)status;
	(void)events;
	assert_int_equal(uv_poll_init(&f->loop, &f->poll, f->fds[1]), 0);
	assert_int_equal(uv_poll_start(&f->poll, UV_READABLE, on_uv_poll), 0);
	watch_close(watch, fixture_on_closed);
}

/* A handle of libuv that a callback starts has its event, too. */
static void uv_handle(void (*how)(uv_loop_t *loop))
{
	struct fixture f;

	fixture_begin(&f, how);
	assert_int_equal(eventfd_write(f.fds[0], 1), 0);
	assert_int_equal(eventfd_write(f.fds[1], 1), 0);
	assert_int_equal(watch_init(&f.loop, &f.watches[0], f.fds[0]), 0);
	watch_start(&f.watches[0], UV_READABLE, starts_a_handle);
	fixture_run(&f);
	assert_int_equal(f.calls, 1);
}

static void stops_the_loop(struct watch *watch, int status, int events)
{
	struct fixture *f = watch->data;

	(void)status;
	(void)events;
	if (!f->calls++)
		reactor_stop(&f->loop);
	else
		watch_close(watch, fixture_on_closed);
}

/* A loop that was stopped goes on with the next run. */
static void stop(void (*how)(uv_loop_t *loop))
{
	struct fixture f;

	fixture_begin(&f, how);
	assert_int_equal(eventfd_write(f.fds[0], 1), 0);
	assert_int_equal(watch_init(&f.loop, &f.watches[0], f.fds[0]), 0);
	watch_start(&f.watches[0], UV_READABLE, stops_the_loop);
	how(&f.loop);
	assert_int_equal(f.calls, 1);
	fixture_run(&f);
	assert_int_equal(f.calls, 2);
	assert_int_equal(f.closed, 1);
}

static void on_one_of_many(struct watch *watch, int status, int events)
{
	struct fixture *f = watch->data;

	assert_int_equal(status, 0);
	assert_int_equal(events, UV_READABLE);
	f->calls++;
	watch_close(watch, fixture_on_closed);
	close(watch->fd);
}

/* More watches than fit into the first table. */
static void many(void (*how)(uv_loop_t *loop))
{
	enum { NR = 200 };
	static struct watch watches[NR];
	struct fixture f;

	fixture_begin(&f, how);
	for (int i = 0; i < NR; i++) {
		watches[i].data = &f;
		assert_int_equal(watch_init(&f.loop, &watches[i], eventfd(1, EFD_CLOEXEC)), 0);
		watch_start(&watches[i], UV_READABLE, on_one_of_many);
	}
	fixture_run(&f);
	assert_int_equal(f.calls, NR);
	assert_int_equal(f.closed, NR);
}

static void on_edge(struct watch *watch, int status, int events)
{
	(void)status;
	(void)events;
	watch_close(watch, fixture_on_closed);
}

static void one_of_crowd(struct watch *watch, int status, int events)
{
	struct fixture *f = watch->data;

	(void)status;
	(void)events;
	if (!f->status) {
		assert_int_equal(eventfd_write(f->fds[0], 1), 0);
		assert_int_equal(eventfd_write(f->fds[1], 1), 0);
		watch_set_poll(&f->set);
		f->status = f->calls ? 1 : -1;
	}
	watch_close(watch, fixture_on_closed);
	close(watch->fd);
}

/* A look at a set finds its edge behind many descriptors that stay ready, and takes no edge of a
 * watch away: without that edge the loop would not end. */
static void crowd(void (*how)(uv_loop_t *loop))
{
	enum { NR = 700 };
	static struct watch watches[NR];
	struct fixture f;

	fixture_begin(&f, how);
	f.set.on_event = on_number;
	f.set.on_done = on_done;
	assert_int_equal(watch_init(&f.loop, &f.watches[0], f.fds[0]), 0);
	watch_start(&f.watches[0], UV_READABLE | WATCH_EDGES, on_edge);
	assert_int_equal(watch_set_init(&f.loop, &f.set), 0);
	assert_int_equal(watch_set_control(&f.set, EPOLL_CTL_ADD, f.fds[1], HIGH, EPOLLIN), 0);
	for (int i = 0; i < NR; i++) {
		watches[i].data = &f;
		assert_int_equal(watch_init(&f.loop, &watches[i], eventfd(1, EFD_CLOEXEC)), 0);
		watch_start(&watches[i], UV_READABLE, one_of_crowd);
	}
	fixture_run(&f);
	assert_int_equal(f.status, 1);
	assert_int_equal(f.closed, NR + 1);
}

/* Makes the first descriptor one that is closed, with a number that nothing else gets. */
static void close_first(struct fixture *f)
{
	int number = fcntl(f->fds[0], F_DUPFD_CLOEXEC, 500);

	assert_true(number >= 500);
	close(f->fds[0]);
	close(number);
	f->fds[0] = number;
}

static void on_entered(struct watch *watch, int status, int events)
{
	struct fixture *f = watch->data;

	assert_ptr_equal(watch, &f->watches[0]);
	assert_int_equal(status, 0);
	assert_int_equal(events, UV_READABLE);
	f->calls++;
	watch_close(watch, fixture_on_closed);
}

static void on_room(uv_timer_t *timer)
{
	struct fixture *f = timer->data;

	assert_int_equal(f->calls, 0);
	assert_false(f->watches[0].inside || f->watches[1].inside);
	watch_close(&f->watches[1], fixture_on_closed);
	assert_int_equal(dup2(f->fds[1], f->fds[0]), f->fds[0]);
	uv_close((uv_handle_t *)timer, NULL);
}

/* The kernel refuses a descriptor at first: the number is of none then. The reactor tries again. A
 * watch that is closed meanwhile is not tried again. */
static void refused_at_first(void (*how)(uv_loop_t *loop))
{
	struct fixture f;

	fixture_begin(&f, how);
	assert_int_equal(eventfd_write(f.fds[1], 1), 0);
	close_first(&f);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(watch_init(&f.loop, &f.watches[i], f.fds[0]), 0);
		watch_start(&f.watches[i], UV_WRITABLE, on_entered);
		watch_start(&f.watches[i], UV_READABLE | UV_WRITABLE, on_entered);
		watch_stop(&f.watches[i]);
		watch_start(&f.watches[i], UV_READABLE, on_entered);
	}
	uv_timer_init(&f.loop, &f.timer);
	uv_timer_start(&f.timer, on_room, 25, 0);
	fixture_run(&f);
	assert_int_equal(f.calls, 1);
	assert_int_equal(f.closed, 2);
}

/* A watch that was refused and stopped keeps no loop alive. */
static void refused_and_stopped(void (*how)(uv_loop_t *loop))
{
	struct fixture f;

	fixture_begin(&f, how);
	close_first(&f);
	assert_int_equal(watch_init(&f.loop, &f.watches[0], f.fds[0]), 0);
	watch_start(&f.watches[0], UV_READABLE, on_entered);
	watch_stop(&f.watches[0]);
	f.run(&f.loop);
	assert_false(f.watches[0].inside);
	watch_close(&f.watches[0], fixture_on_closed);
	fixture_run(&f);
	assert_int_equal(f.closed, 1);
}

static void on_freed(void *data)
{
	struct watch *watch = data;

	memset(watch, 0xa5, sizeof(*watch));
	free(watch);
}

static void never(struct watch *watch, int status, int events)
{
	(void)watch;
	(void)status;
	(void)events;
	fail();
}

static void close_before(struct turn_hook *hook)
{
	struct fixture *f = hook->data;

	watch_close(f->freed, on_freed);
	turn_hook_close(hook, fixture_on_closed);
}

/* A hook closes a watch that has an event, before the loop asks for events. Its memory is gone
 * then. */
static void freed_before_events(void (*how)(uv_loop_t *loop))
{
	struct fixture f;

	fixture_begin(&f, how);
	f.freed = calloc(1, sizeof(*f.freed));
	assert_non_null(f.freed);
	f.freed->data = f.freed;
	assert_int_equal(eventfd_write(f.fds[0], 1), 0);
	assert_int_equal(watch_init(&f.loop, f.freed, f.fds[0]), 0);
	watch_start(f.freed, UV_READABLE, never);
	f.hooks[0].before = close_before;
	assert_int_equal(turn_hook_init(&f.loop, &f.hooks[0]), 0);
	fixture_run(&f);
	assert_int_equal(f.closed, 1);
}

BOTH(level)
BOTH(closed_meanwhile)
BOTH(error)
BOTH(set_now)
BOTH(hooks)
BOTH(uv_handle)
BOTH(stop)
BOTH(many)
BOTH(crowd)
BOTH(refused_at_first)
BOTH(refused_and_stopped)
BOTH(freed_before_events)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTS(level),
		TESTS(closed_meanwhile),
		TESTS(error),
		TESTS(set_now),
		TESTS(hooks),
		TESTS(uv_handle),
		TESTS(stop),
		TESTS(many),
		TESTS(crowd),
		TESTS(refused_at_first),
		TESTS(refused_and_stopped),
		TESTS(freed_before_events),
	};

	alarm(60); /* a loop that does not end is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
