/* SPDX-License-Identifier: Apache-2.0 */
/* test-near.c - near ends: the facts about AF_UNIX sockets, names, gates, records */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ijblfp/near/near.h"
#include "lfp/datagram.h"
#include "tests/qemu-user.h"
#include "tests/thread-sanitizer.h"

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
	assert_int_equal(rmdir(f->dir), 0);
	free(f);
	return 0;
}

static void facts_hold(void **state)
{
	struct fixture *f = *state;
	const char *fact = near_self_test(&f->maker);

	if (fact)
		fail_msg("%s", fact);
}

/* Each name is as ctl.h describes it, and is found again by the descriptor alone. */
static void names(void **state)
{
	struct fixture *f = *state;
	char want[64], before[256], after[256];
	struct near_id id, found, other;
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);
	int fd, second;

	assert_non_null(getcwd(before, sizeof(before)));
	fd = near_create(&f->maker, &id);
	second = near_create(&f->maker, &other);
	assert_non_null(getcwd(after, sizeof(after)));
	assert_string_equal(before, after);
	assert_true(fd >= 0 && second >= 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	assert_true(lfp_near_path(&addr, len));
	assert_false(lfp_near_is_datagram(&addr));
	snprintf(want, sizeof(want), "vselfp/07/%016llx/%016llx",
		 (unsigned long long)f->maker.names.run, (unsigned long long)id.name);
	assert_string_equal(addr.sun_path, want);
	assert_int_equal(near_identify(&f->maker, fd, &found), 0);
	assert_true(found.name == id.name && found.cookie == id.cookie);
	/* Names are drawn at random. */
	assert_true(other.name - id.name > 1 && id.name - other.name > 1);
	assert_true(other.cookie != id.cookie);
	close(fd);
	close(second);
}

/* The instance does not mistake another socket with a near end's name for the near end. */
static void same_name(void **state)
{
	struct fixture *f = *state;
	int fd, other = socket(AF_UNIX, SOCK_STREAM, 0);
	struct near_id id, found;

	fd = near_create(&f->maker, &id);
	near_names_forget(&f->maker.names, id.name);
	assert_int_equal(near_names_bind(&f->maker.names, other, id.name), 0);
	assert_int_equal(near_identify(&f->maker, other, &found), 0);
	assert_true(found.name == id.name);
	assert_true(found.cookie != id.cookie);
	close(fd);
	close(other);
}

/* Until Linux 5.3 a socket of another network namespace may have the cookie of a near end. */
static void cookies(void **state)
{
	struct fixture *f = *state;
	struct near_id id;
	int fd = near_create(&f->maker, &id), pipes[2];
	uint64_t cookie;

	assert_true(near_cookies_are_unique("5.4.0"));
	assert_true(near_cookies_are_unique("6.1.0-37-amd64"));
	assert_false(near_cookies_are_unique("4.18.0-553.el8.s390x"));
	assert_false(near_cookies_are_unique("5.3.18"));
	assert_false(near_cookies_are_unique("other"));
	assert_int_equal(pipe(pipes), 0);
	f->maker.unique_cookies = true;
	assert_int_equal(near_cookie(&f->maker, fd, &cookie), 0);
	assert_true(cookie == id.cookie);
	assert_int_equal(near_cookie(&f->maker, pipes[0], &cookie), -EBADF);
	f->maker.unique_cookies = false;
	assert_int_equal(near_cookie(&f->maker, fd, &cookie), -EBADF);
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
}

static void strangers(void **state)
{
	struct fixture *f = *state;
	struct near_maker other = f->maker;
	struct near_id id;
	int fds[2], fd = near_create(&f->maker, &id);

	other.names.run++;
	assert_int_equal(near_identify(&other, fd, &id), -ESTALE);
	strcpy(other.names.nn, "08");
	assert_int_equal(near_identify(&other, fd, &id), -EBADF);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(near_identify(&f->maker, fds[0], &id), -EBADF);
	assert_int_equal(near_identify(&f->maker, 0, &id), -EBADF);
	close(fds[0]);
	close(fds[1]);
	close(fd);
}

static void gone(void **state)
{
	struct fixture *f = *state;
	struct near_id id;
	int fd = near_create(&f->maker, &id), copy = dup(fd), far;

	assert_false(near_names_is_gone(&f->maker.names, id.name));
	close(fd);
	assert_false(near_names_is_gone(&f->maker.names, id.name));
	far = near_pair(&f->maker, copy);
	assert_false(near_names_is_gone(&f->maker.names, id.name));
	close(copy);
	assert_true(near_names_is_gone(&f->maker.names, id.name));
	near_names_forget(&f->maker.names, id.name);
	assert_true(near_names_is_gone(&f->maker.names, id.name));
	close(far);
}

/* A directory that has been moved does not look like a near end that is closed. */
static void gone_elsewhere(void **state)
{
	struct fixture *f = *state;
	char elsewhere[sizeof(f->dir) + 8];
	struct near_id id;
	int fd = near_create(&f->maker, &id);

	snprintf(elsewhere, sizeof(elsewhere), "%s.moved", f->dir);
	assert_int_equal(rename(f->dir, elsewhere), 0);
	assert_false(near_names_is_gone(&f->maker.names, id.name));
	close(fd);
	assert_true(near_names_is_gone(&f->maker.names, id.name));
	assert_int_equal(rename(elsewhere, f->dir), 0);
	assert_true(near_names_is_gone(&f->maker.names, id.name));
	near_names_forget(&f->maker.names, id.name);
}

/* The check needs no free descriptor. */
static void gone_at_the_limit(void **state)
{
	struct fixture *f = *state;
	struct rlimit limit, none;
	struct near_id id;
	int fd = near_create(&f->maker, &id);

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){0, limit.rlim_max};
	none.rlim_cur = (rlim_t)f->maker.names.home + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	while (dup(0) >= 0)
		;
	assert_int_equal(errno, EMFILE);
	for (int i = 0; i < 3; i++)
		assert_false(near_names_is_gone(&f->maker.names, id.name));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	close(fd);
}

/* The instance does not take a stranger of the same user in the private listener's queue for a near
 * end. */
static void pairs_only_own(void **state)
{
	struct fixture *f = *state;
	int fds[2], go[2], far, near;
	struct near_id id;
	char c;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pipe(go), 0);
	if (!fork()) {
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		connect(fd, (struct sockaddr *)&f->maker.addr, sizeof(f->maker.addr));
		(void)!write(fd, "stranger", 8);
		(void)!write(fds[1], "x", 1);
		(void)!read(go[0], &c, 1);
		_exit(0);
	}
	assert_int_equal(read(fds[0], &c, 1), 1);
	near = near_create(&f->maker, &id);
	far = near_pair(&f->maker, near);
	assert_true(far >= 0);
	assert_int_equal(send(near, "own", 3, 0), 3);
	char buf[16] = "";
	assert_int_equal(recv(far, buf, sizeof(buf), 0), 3);
	assert_string_equal(buf, "own");
	assert_int_equal(write(go[1], "x", 1), 1);
	close(near);
	close(far);
	close(fds[0]);
	close(fds[1]);
	close(go[0]);
	close(go[1]);
}

static void near_end_used_raw(void **state)
{
	struct fixture *f = *state;
	struct near_id id;
	int near = near_create(&f->maker, &id);

	assert_int_equal(listen(near, 1), 0);
	assert_true(near_pair(&f->maker, near) < 0);
	close(near);
}

static void record_carries_near_end(void **state)
{
	struct fixture *f = *state;
	const struct lfp_accept_record sent = {.magic = LFP_CTL_RECORD_MAGIC,
					       .peer = {.family = LFP_AF_INET, .port = 4711},
					       .local = {.family = LFP_AF_INET}};
	struct lfp_accept_record record;
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = {&record, sizeof(record)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control,
			     .msg_controllen = sizeof(control)};
	int near, far, listener, conn, fd;
	struct near_id id, found;

	listener = near_create(&f->maker, &id);
	far = near_pair(&f->maker, listener);
	assert_int_equal(near_create_pair(&f->maker, &id, &near, &conn), 0);
	assert_int_equal(near_send_record(far, &sent, near), 0);
	close(near);
	assert_int_equal(recvmsg(listener, &msg, 0), sizeof(record));
	assert_int_equal(record.magic, LFP_CTL_RECORD_MAGIC);
	assert_int_equal(record.peer.port, 4711);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	assert_int_equal(near_identify(&f->maker, fd, &found), 0);
	assert_true(found.name == id.name && found.cookie == id.cookie);
	close(fd);
	close(conn);
	close(far);
	close(listener);
}

static int send_descriptor(int near, int fd)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control = {0};
	char byte = 'x';
	struct iovec iov = {&byte, 1};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};

	CMSG_FIRSTHDR(&msg)->cmsg_level = SOL_SOCKET;
	CMSG_FIRSTHDR(&msg)->cmsg_type = SCM_RIGHTS;
	CMSG_FIRSTHDR(&msg)->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(CMSG_FIRSTHDR(&msg)), &fd, sizeof(fd));
	return (int)sendmsg(near, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* A program cannot pass descriptors to the instance with its data, where the kernel can refuse
 * them. */
static void far_ends_take_no_descriptors(void **state)
{
	struct fixture *f = *state;
	int near, far, value;
	socklen_t len = sizeof(value);
	struct near_id id;

	QEMU_USER_LACKS("SO_PASSRIGHTS");
	assert_int_equal(near_create_pair(&f->maker, &id, &near, &far), 0);
	if (getsockopt(far, SOL_SOCKET, NEAR_PASSRIGHTS, &value, &len)) {
		close(near);
		close(far);
		skip();
	}
	assert_int_equal(send_descriptor(near, 0), -1);
	assert_int_equal(errno, EPERM);
	close(near);
	close(far);
	near = near_create(&f->maker, &id);
	far = near_pair(&f->maker, near);
	assert_int_equal(send_descriptor(near, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(send(near, "x", 1, 0), 1);
	close(near);
	close(far);
}

/* In a process without capabilities: keeps as many descriptors in flight as its user may, and then
 * tries the facts. */
static int without_room_for_descriptors(const char *dir)
{
	struct rlimit limit = {64, 64};
	struct near_maker maker;
	char path[96];
	int pair[2], nr = 0;

	if (chmod(dir, 0777) || (!getuid() && (setgid(65534) || setuid(65534))) ||
	    setrlimit(RLIMIT_NOFILE, &limit) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	while (send_descriptor(pair[0], 0) == 1)
		nr++;
	if (errno != ETOOMANYREFS || nr > 1000)
		return 2;
	snprintf(path, sizeof(path), "%s/short", dir);
	if (mkdir(path, 0700) || near_maker_init(&maker, "08", path, 65535, NULL))
		return 3;
	if (near_self_test(&maker))
		return 4;
	near_maker_finish(&maker);
	return rmdir(path) ? 5 : 0;
}

static void facts_hold_without_room_for_descriptors(void **state)
{
	struct fixture *f = *state;
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child)
		_exit(without_room_for_descriptors(f->dir));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(facts_hold, setup, teardown),
		cmocka_unit_test_setup_teardown(facts_hold_without_room_for_descriptors, setup,
						teardown),
		cmocka_unit_test_setup_teardown(names, setup, teardown),
		cmocka_unit_test_setup_teardown(strangers, setup, teardown),
		cmocka_unit_test_setup_teardown(same_name, setup, teardown),
		cmocka_unit_test_setup_teardown(cookies, setup, teardown),
		cmocka_unit_test_setup_teardown(gone, setup, teardown),
		cmocka_unit_test_setup_teardown(gone_elsewhere, setup, teardown),
		cmocka_unit_test_setup_teardown(gone_at_the_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(pairs_only_own, setup, teardown),
		cmocka_unit_test_setup_teardown(near_end_used_raw, setup, teardown),
		cmocka_unit_test_setup_teardown(record_carries_near_end, setup, teardown),
		cmocka_unit_test_setup_teardown(far_ends_take_no_descriptors, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
