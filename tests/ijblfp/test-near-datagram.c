/* SPDX-License-Identifier: Apache-2.0 */
/* test-near-datagram.c - near ends of datagram sockets: facts, names, directories; and sources */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ijblfp/near/near-datagram.h"
#include "ijblfp/near/sources.h"
#include "tests/thread-sanitizer.h"

#define NO_NAMESPACE 77

struct fixture {
	char dir[64];
	struct near_maker maker;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strcpy(f->dir, "/tmp/vselfpd-test-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	assert_int_equal(near_maker_init(&f->maker, "07", f->dir, 65535, NULL), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	near_maker_finish(&f->maker);
	/* Nothing is left in it. */
	assert_int_equal(rmdir(f->dir), 0);
	free(f);
	return 0;
}

static void facts_hold(void **state)
{
	struct fixture *f = *state;
	const char *fact = near_datagram_self_test(&f->maker);

	if (fact)
		fail_msg("%s", fact);
	assert_true(f->maker.shows_errors);
}

/* Also where the queues of datagram sockets are long, as systemd makes them. */
static int facts_with_queue(const struct fixture *f, const char *qlen)
{
	struct near_maker maker;
	char path[128];
	FILE *file;

	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return NO_NAMESPACE;
	file = fopen("/proc/sys/net/unix/max_dgram_qlen", "w");
	if (!file || fputs(qlen, file) < 0 || fclose(file))
		return NO_NAMESPACE;
	snprintf(path, sizeof(path), "%s/%s", f->dir, qlen);
	if (mkdir(path, 0700) || near_maker_init(&maker, "08", path, 65535, NULL))
		return 2;
	if (near_datagram_self_test(&maker) || !maker.shows_errors)
		return 3;
	near_maker_finish(&maker);
	return rmdir(path) ? 4 : 0;
}

static void facts_hold_with_any_queue(void **state)
{
	static const char *const queues[] = {"1", "11", "270", "512", "10000"};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
		pid_t child = fork();
		int status;

		assert_true(child >= 0);
		if (!child)
			_exit(facts_with_queue(f, queues[i]));
		assert_int_equal(waitpid(child, &status, 0), child);
		if (WIFEXITED(status) && WEXITSTATUS(status) == NO_NAMESPACE)
			skip();
		if (status)
			fail_msg("max_dgram_qlen %s: status 0x%x", queues[i], (unsigned int)status);
	}
}

static void names(void **state)
{
	struct fixture *f = *state;
	struct near_id id, found;
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);
	int fd = near_datagram_create(&f->maker, true, &id), v4;

	assert_true(fd >= 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	assert_true(lfp_near_path(&addr, len));
	assert_true(lfp_near_is_datagram(&addr) && lfp_near_is_v6(&addr));
	assert_int_equal(near_identify(&f->maker, fd, &found), 0);
	assert_true(found.name == id.name && found.cookie == id.cookie);

	assert_false(near_names_is_gone(&f->maker.names, id.name));
	close(fd);
	assert_true(near_names_is_gone(&f->maker.names, id.name));
	near_names_forget(&f->maker.names, id.name);
	assert_true(near_names_is_gone(&f->maker.names, id.name));
	v4 = near_datagram_create(&f->maker, false, &id);
	assert_true(v4 >= 0);
	len = sizeof(addr);
	assert_int_equal(getsockname(v4, (struct sockaddr *)&addr, &len), 0);
	assert_true(lfp_near_is_datagram(&addr) && !lfp_near_is_v6(&addr));
	f->maker.names.run++;
	assert_int_equal(near_identify(&f->maker, v4, &found), -ESTALE);
	f->maker.names.run--;
	close(v4);
}

static void adopted(void **state)
{
	struct fixture *f = *state;
	struct near_id id, found;
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0), stream = socket(AF_UNIX, SOCK_STREAM, 0);
	int inet = socket(AF_INET, SOCK_DGRAM, 0), pair[2];

	assert_int_equal(near_datagram_adopt(&f->maker, fd, false, &id), 0);
	assert_int_equal(near_identify(&f->maker, fd, &found), 0);
	assert_true(found.name == id.name && found.cookie == id.cookie);
	assert_int_equal(near_datagram_adopt(&f->maker, stream, false, &id), -EINVAL);
	assert_int_equal(near_datagram_adopt(&f->maker, inet, false, &id), -EINVAL);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	assert_int_equal(near_datagram_adopt(&f->maker, pair[0], false, &id), -EINVAL);
	close(pair[0]);
	close(pair[1]);
	close(inet);
	close(stream);
	close(fd);
}

/* The next run removes the directory of a killed run. */
static void runs_before(void **state)
{
	struct fixture *f = *state;
	struct near_names next;
	struct sockaddr_un addr;
	struct near_id id;
	struct stat st;
	char path[256];
	int fd = near_datagram_create(&f->maker, false, &id);

	assert_true(fd >= 0);
	close(fd);
	near_names_addr(&f->maker.names, id.name, &addr);
	snprintf(path, sizeof(path), "%s/%s", f->dir, addr.sun_path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(near_names_init(&next, "07", f->dir), 0);
	assert_int_equal(stat(path, &st), -1);
	near_names_finish(&next);
}

static void source_sockets(void **state)
{
	struct fixture *f = *state;
	struct sources *sources = malloc(sizeof(*sources));
	struct lfp_meta meta = {.ttl = 1};
	struct near_id id;
	int fd = near_datagram_create(&f->maker, false, &id), first, again;
	char c;

	assert_non_null(sources);
	sources_init(sources, 1, NULL);
	first = sources_get(sources, &f->maker, id.name, &meta);
	assert_true(first >= 0);
	assert_int_equal(sources_get(sources, &f->maker, id.name, &meta), first);
	/* More sources than are kept: the least recently used one goes. */
	for (unsigned int i = 0; i < SOURCES_MAX; i++) {
		meta.drops = i;
		meta.ttl = 2;
		again = sources_get(sources, &f->maker, i % 2 ? id.name : 0, &meta);
		assert_true(again >= 0);
	}
	meta = (struct lfp_meta){.ttl = 1};
	again = sources_get(sources, &f->maker, id.name, &meta);
	assert_int_equal(send(again, "x", 1, 0), 1);
	assert_int_equal(recv(fd, &c, 1, MSG_DONTWAIT), 1);
	close(fd);
	sources_drop(sources, id.name);
	assert_int_equal(sources_get(sources, &f->maker, id.name, &meta), -ECONNREFUSED);
	sources_finish(sources);
	free(sources);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(facts_hold, setup, teardown),
		cmocka_unit_test_setup_teardown(facts_hold_with_any_queue, setup, teardown),
		cmocka_unit_test_setup_teardown(names, setup, teardown),
		cmocka_unit_test_setup_teardown(adopted, setup, teardown),
		cmocka_unit_test_setup_teardown(runs_before, setup, teardown),
		cmocka_unit_test_setup_teardown(source_sockets, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
