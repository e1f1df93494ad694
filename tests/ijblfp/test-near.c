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

#include "ijblfp/near-facts.h"
#include "ijblfp/near.h"
#include "tests/qemu-user.h"

struct fixture {
	char dir[64], path[96];
	struct near_maker maker;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strcpy(f->dir, "/tmp/vselfpd-test-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/pair", f->dir);
	assert_int_equal(near_maker_init(&f->maker, "07", f->path, 65535), 0);
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
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);
	uint64_t ino, id = 0, found = 0;
	char want[64];
	int fd = near_create(&f->maker, 0x1234abcdu, &ino);

	assert_true(fd >= 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	assert_int_equal(len, offsetof(struct sockaddr_un, sun_path) + LFP_NAME_LEN);
	snprintf(want, sizeof(want), "vselfp/07/%016llx/000000001234abcd",
		 (unsigned long long)f->maker.run);
	assert_memory_equal(addr.sun_path + 1, want, LFP_NAME_LEN - 1);
	assert_int_equal(near_identify(&f->maker, fd, &id, &found), 0);
	assert_int_equal(id, 0x1234abcdu);
	assert_int_equal(found, ino);
	close(fd);
}

static void strangers(void **state)
{
	struct fixture *f = *state;
	struct near_maker other = f->maker;
	uint64_t ino, id;
	int fds[2], fd = near_create(&f->maker, 9, &ino);

	other.run++;
	assert_int_equal(near_identify(&other, fd, &id, &ino), -ESTALE);
	strcpy(other.nn, "08");
	assert_int_equal(near_identify(&other, fd, &id, &ino), -EBADF);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(near_identify(&f->maker, fds[0], &id, &ino), -EBADF);
	assert_int_equal(near_identify(&f->maker, 0, &id, &ino), -EBADF);
	close(fds[0]);
	close(fds[1]);
	close(fd);
}

static void gone(void **state)
{
	struct fixture *f = *state;
	uint64_t ino;
	int fd = near_create(&f->maker, 5, &ino), copy = dup(fd);

	assert_false(near_is_gone(&f->maker, 5));
	close(fd);
	assert_false(near_is_gone(&f->maker, 5));
	close(copy);
	assert_true(near_is_gone(&f->maker, 5));
	assert_true(near_is_gone(&f->maker, 5)); /* asking leaves nothing behind */
}

/* A stranger of the same user in the private listener's queue is not taken for a near end. */
static void pairs_only_own(void **state)
{
	struct fixture *f = *state;
	int fds[2], go[2], far, near;
	uint64_t ino;
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
	near = near_create(&f->maker, 6, &ino);
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
	uint64_t ino;
	int near = near_create(&f->maker, 7, &ino);

	assert_int_equal(listen(near, 1), 0);
	assert_true(near_pair(&f->maker, near) < 0);
	close(near);
}

static void record_carries_near_end(void **state)
{
	struct fixture *f = *state;
	struct lfp_addr peer = {.family = LFP_AF_INET, .port = 4711},
			local = {.family = LFP_AF_INET};
	struct lfp_accept_record record;
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = {&record, sizeof(record)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control,
			     .msg_controllen = sizeof(control)};
	int near, far, listener, conn, fd;
	uint64_t ino, id = 0;

	listener = near_create(&f->maker, 1, &ino);
	far = near_pair(&f->maker, listener);
	assert_int_equal(near_create_pair(&f->maker, LFP_ID_LFPD | 3, &ino, &near, &conn), 0);
	assert_int_equal(near_send_record(far, &peer, &local, near), 0);
	close(near);
	assert_int_equal(recvmsg(listener, &msg, 0), sizeof(record));
	assert_int_equal(record.magic, LFP_CTL_MAGIC);
	assert_int_equal(record.peer.port, 4711);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	assert_int_equal(near_identify(&f->maker, fd, &id, &ino), 0);
	assert_true(id == (LFP_ID_LFPD | 3));
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

/* A program does not get descriptors into the instance by way of its data, where the kernel can
 * refuse them. */
static void far_ends_take_no_descriptors(void **state)
{
	struct fixture *f = *state;
	int near, far, value;
	socklen_t len = sizeof(value);
	uint64_t ino;

	QEMU_USER_LACKS("SO_PASSRIGHTS");
	assert_int_equal(near_create_pair(&f->maker, LFP_ID_LFPD | 5, &ino, &near, &far), 0);
	if (getsockopt(far, SOL_SOCKET, NEAR_PASSRIGHTS, &value, &len)) {
		close(near);
		close(far);
		skip();
	}
	assert_int_equal(send_descriptor(near, 0), -1);
	assert_int_equal(errno, EPERM);
	close(near);
	close(far);
	near = near_create(&f->maker, 6, &ino);
	far = near_pair(&f->maker, near);
	assert_int_equal(send_descriptor(near, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(send(near, "x", 1, 0), 1);
	close(near);
	close(far);
}

/* In a process without capabilities: keep as many descriptors on the way as its user may, and try
 * the facts then. */
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
	if (near_maker_init(&maker, "08", path, 65535))
		return 3;
	return near_self_test(&maker) ? 4 : 0;
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
	snprintf(f->path, sizeof(f->path), "%s/short", f->dir);
	unlink(f->path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(facts_hold, setup, teardown),
		cmocka_unit_test_setup_teardown(facts_hold_without_room_for_descriptors, setup,
						teardown),
		cmocka_unit_test_setup_teardown(names, setup, teardown),
		cmocka_unit_test_setup_teardown(strangers, setup, teardown),
		cmocka_unit_test_setup_teardown(gone, setup, teardown),
		cmocka_unit_test_setup_teardown(pairs_only_own, setup, teardown),
		cmocka_unit_test_setup_teardown(near_end_used_raw, setup, teardown),
		cmocka_unit_test_setup_teardown(record_carries_near_end, setup, teardown),
		cmocka_unit_test_setup_teardown(far_ends_take_no_descriptors, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
