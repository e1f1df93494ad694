/* SPDX-License-Identifier: Apache-2.0 */
/* test-near-network.c - sockets of an empty network namespace, and the process that makes them */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ijblfp/near/near-datagram.h"
#include "ijblfp/near/near.h"
#include "ijblfp/near/near-network.h"
#include "tests/qemu-user.h"

static int setup(void **state)
{
	struct near_network *network = calloc(1, sizeof(*network));
	const char *step;
	int rc;

	assert_non_null(network);
	rc = near_network_start(network, &step);
	near_network_started(network);
	*state = rc ? NULL : network;
	if (rc)
		free(network);
	/* As in a container that has no namespaces. */
	return rc && rc != -EPERM && rc != -ENOSPC && rc != -EINVAL && rc != -ENOSYS ? -1 : 0;
}

static struct near_network *network_of(void **state)
{
	if (!*state)
		skip();
	return *state;
}

static int teardown(void **state)
{
	if (*state)
		near_network_finish(*state);
	free(*state);
	return 0;
}

static uint64_t netns_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len), 0);
	return cookie;
}

static int option_of(int fd, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	assert_int_equal(getsockopt(fd, SOL_SOCKET, name, &value, &len), 0);
	return value;
}

static void all_are_of_one_other_namespace(void **state)
{
	QEMU_USER_LACKS("SO_NETNS_COOKIE");
	struct near_network *network = network_of(state);
	int own = socket(AF_UNIX, SOCK_STREAM, 0), fds[2];
	uint64_t theirs = 0;

	for (int i = 0; i < 200; i++) {
		enum near_socket kind = (enum near_socket)(i % NEAR_SOCKETS);

		assert_int_equal(near_network_take(network, kind, fds), 0);
		if (!theirs)
			theirs = netns_of(fds[0]);
		assert_true(netns_of(fds[0]) == theirs && theirs != netns_of(own));
		assert_int_equal(option_of(fds[0], SO_DOMAIN), AF_UNIX);
		assert_int_equal(option_of(fds[0], SO_TYPE),
				 kind == NEAR_SOCKET_DATAGRAM ? SOCK_DGRAM : SOCK_STREAM);
		assert_int_equal(fcntl(fds[0], F_GETFD), FD_CLOEXEC);
		if (kind == NEAR_SOCKET_PAIR) {
			char c = 0;

			assert_int_equal(send(fds[0], "x", 1, 0), 1);
			assert_int_equal(recv(fds[1], &c, 1, 0), 1);
			close(fds[1]);
		}
		close(fds[0]);
	}
	close(own);
}

/* Abstract names of this namespace are not found from the maker's. */
static void reaches_nothing(void **state)
{
	struct near_network *network = network_of(state);
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fds[2];
	socklen_t len = sizeof(addr);

	assert_int_equal(bind(listener, (struct sockaddr *)&addr, sizeof(sa_family_t)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&addr, &len), 0);
	assert_int_equal(near_network_take(network, NEAR_SOCKET_STREAM, fds), 0);
	assert_int_equal(connect(fds[0], (struct sockaddr *)&addr, len), -1);
	assert_int_equal(errno, ECONNREFUSED);
	close(fds[0]);
	close(listener);
}

static void the_facts_hold_there(void **state)
{
	struct near_network *network = network_of(state);
	char dir[] = "/tmp/vselfpd-test-XXXXXX";
	struct near_maker maker;
	const char *fact;

	assert_non_null(mkdtemp(dir));
	assert_int_equal(near_maker_init(&maker, "07", dir, 65535, network), 0);
	fact = near_self_test(&maker);
	if (!fact)
		fact = near_datagram_self_test(&maker);
	if (fact)
		fail_msg("%s", fact);
	assert_true(maker.shows_errors);
	near_maker_finish(&maker);
	assert_int_equal(rmdir(dir), 0);
}

/* Returns a line of /proc/PID/status, without its name. */
static void status_of(pid_t pid, const char *name, char value[static 64])
{
	char path[64], line[256];
	FILE *file;

	*value = '\0';
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			(void)sscanf(line + strlen(name), ":%63s", value);
	fclose(file);
}

static void the_maker_has_no_rights(void **state)
{
	struct near_network *network = network_of(state);
	char value[64];

	status_of(network->maker, "Name", value);
	assert_string_equal(value, "lfp-near");
	status_of(network->maker, "CapPrm", value);
	assert_string_equal(value, "0000000000000000");
	status_of(network->maker, "NoNewPrivs", value);
	assert_string_equal(value, "1");
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Takes sockets until there are none. Returns their number. */
static unsigned int drain(struct near_network *network)
{
	unsigned int nr = 0;
	int fds[2];

	while (!near_network_take(network, NEAR_SOCKET_STREAM, fds)) {
		close(fds[0]);
		assert_true(++nr < 1000);
	}
	return nr;
}

static void a_maker_that_has_ended(void **state)
{
	struct near_network *network = network_of(state);
	int fds[2];

	assert_int_equal(kill(network->maker, SIGKILL), 0);
	assert_int_equal(waitpid(network->maker, NULL, 0), network->maker);
	network->maker = 0;
	(void)drain(network);
	assert_int_equal(near_network_take(network, NEAR_SOCKET_STREAM, fds), -ENOBUFS);
	assert_int_equal(near_network_take(network, NEAR_SOCKET_STREAM, fds), -ENOBUFS);
	assert_true(near_network_has_ended(network));
}

static void a_maker_that_does_nothing(void **state)
{
	struct near_network *network = network_of(state);
	uint64_t since;
	int fds[2], status;

	assert_int_equal(kill(network->maker, SIGSTOP), 0);
	assert_int_equal(waitpid(network->maker, &status, WUNTRACED), network->maker);
	/* Few are in flight: they count against a limit of the user. */
	assert_true(drain(network) <= 4 * network->batch);
	since = now_ms();
	for (int i = 0; i < 1000; i++)
		assert_int_equal(near_network_take(network, NEAR_SOCKET_STREAM, fds), -ENOBUFS);
	assert_true(now_ms() - since < 60000); /* if each waited it would be 2,000 s */
	assert_false(near_network_has_ended(network));
	assert_int_equal(kill(network->maker, SIGCONT), 0);
	while (near_network_take(network, NEAR_SOCKET_STREAM, fds))
		assert_true(now_ms() - since < 60000);
	close(fds[0]);
}

/* During the start, so that other tests may have descriptors in flight. With few descriptors few
 * sockets are kept. A lack of them is reported, and ends. */
static int with_few_descriptors(void)
{
	struct rlimit limit = {64, 64};
	struct near_network network;
	int fds[128][2], nr = 0, rc;
	const char *step;

	if (setrlimit(RLIMIT_NOFILE, &limit) || near_network_start(&network, &step))
		return 1;
	if (network.batch != 1)
		return 2;
	/* The sockets that exist from the start. */
	if (near_network_take(&network, NEAR_SOCKET_PAIR, fds[nr++]))
		return 7;
	while (nr < 128 && !(rc = near_network_take(&network, NEAR_SOCKET_STREAM, fds[nr])))
		nr++;
	if (rc != -EMFILE || nr < 40)
		return 3;
	close(fds[--nr][0]);
	if (near_network_take(&network, NEAR_SOCKET_STREAM, fds[nr]))
		return 4;
	/* No half of a pair stays behind. */
	if (near_network_take(&network, NEAR_SOCKET_PAIR, fds[nr + 1]) != -EMFILE)
		return 5;
	close(fds[nr][0]);
	close(fds[nr - 1][0]);
	if (near_network_take(&network, NEAR_SOCKET_PAIR, fds[nr - 1]))
		return 6;
	near_network_finish(&network);
	return 0;
}

static void few_descriptors(void **state)
{
	pid_t child;
	int status;

	/* Descriptors that this process has in flight would count, too. */
	near_network_finish(network_of(state));
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(with_few_descriptors());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Returns 0, or -1 if no more may be in flight. */
static int send_one_fd(int to, int fd)
{
	char byte = 0;
	struct iovec iov = {&byte, 1};
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(32 * sizeof(int))];
	} control;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};

	memset(&control, 0, sizeof(control));
	control.align.cmsg_level = SOL_SOCKET;
	control.align.cmsg_type = SCM_RIGHTS;
	control.align.cmsg_len = CMSG_LEN(32 * sizeof(int));
	for (int i = 0; i < 32; i++)
		memcpy(CMSG_DATA(&control.align) + (size_t)i * sizeof(int), &fd, sizeof(fd));
	return sendmsg(to, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 0;
}

/* While other processes of the user have too many descriptors in flight, the maker can send
 * nothing. A call does not wait for that, and there are sockets again afterwards. */
static void too_much_is_on_its_way(void **state)
{
	struct near_network *network = *state;
	const struct rlimit few = {64, 64};
	struct timespec before, after;
	int pair[2], fds[2], rc, sent = 0;

	QEMU_USER_LACKS("prlimit() of another process");
	assert_int_equal(prlimit(network->maker, RLIMIT_NOFILE, &few, NULL), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	while (sent < 200 && !send_one_fd(pair[0], pair[1]))
		sent++;
	while (!(rc = near_network_take(network, NEAR_SOCKET_STREAM, fds)) && sent) {
		close(fds[0]);
		if (++sent > 10000)
			break;
	}
	/* A user that may have more on its way than the limit says has shown it; others cannot. */
	if (rc) {
		assert_int_equal(rc, -ENOBUFS);
		clock_gettime(CLOCK_MONOTONIC, &before);
		for (int i = 0; i < 10; i++)
			assert_int_equal(near_network_take(network, NEAR_SOCKET_STREAM, fds),
					 -ENOBUFS);
		clock_gettime(CLOCK_MONOTONIC, &after);
		assert_true(after.tv_sec - before.tv_sec < 10);
	}
	close(pair[0]);
	close(pair[1]);
	for (int i = 0; rc && i < 1000; i++) {
		rc = near_network_take(network, NEAR_SOCKET_STREAM, fds);
		if (rc)
			usleep(10000);
		else
			close(fds[0]);
	}
	assert_int_equal(rc, 0);
}

/* Puts more descriptors in flight than the maker may have, and ends @ms later. */
static _Noreturn void crowd(int told, unsigned int ms)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
		_exit(1);
	for (int i = 0; i < 10; i++)
		(void)send_one_fd(pair[0], told);
	(void)!write(told, "x", 1);
	usleep(ms * 1000);
	_exit(0);
}

/* A start waits until other processes of the user have fewer descriptors in flight. */
static void a_start_waits(void **state)
{
	struct near_network *network = network_of(state);
	const struct rlimit few = {64, 64};
	int told[2], fds[2];
	pid_t child;
	char byte;

	QEMU_USER_LACKS("prlimit() of another process");
	assert_int_equal(prlimit(network->maker, RLIMIT_NOFILE, &few, NULL), 0);
	while (network->stocks[NEAR_SOCKET_STREAM].nr) {
		assert_int_equal(near_network_take(network, NEAR_SOCKET_STREAM, fds), 0);
		close(fds[0]);
	}
	assert_int_equal(pipe(told), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		crowd(told[1], 300);
	assert_int_equal(read(told[0], &byte, 1), 1);
	network->is_starting = true;
	for (int i = 0; i < 40; i++) {
		assert_int_equal(near_network_take(network, NEAR_SOCKET_STREAM, fds), 0);
		close(fds[0]);
	}
	close(told[0]);
	close(told[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void without_a_namespace(void **state)
{
	int fds[2], own = socket(AF_UNIX, SOCK_STREAM, 0);

	QEMU_USER_LACKS("SO_NETNS_COOKIE");
	(void)state;
	assert_int_equal(near_network_take(NULL, NEAR_SOCKET_DATAGRAM, fds), 0);
	assert_true(netns_of(fds[0]) == netns_of(own));
	close(fds[0]);
	close(own);
}

/* The kernel counts descriptors in flight by user, and instances of root may have some: with root's
 * capabilities this process becomes a user that has no other one. */
static void become_lone_user(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];
	const uid_t uid = 61000 + (uid_t)getpid() % 4000;

	if (geteuid() != 0 || syscall(SYS_capget, &head, caps))
		return;
	assert_return_code(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), errno);
	assert_return_code(setresuid(uid, uid, uid), errno);
	assert_return_code(syscall(SYS_capset, &head, caps), errno);
	assert_return_code(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), errno);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_are_of_one_other_namespace, setup, teardown),
		cmocka_unit_test_setup_teardown(reaches_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(too_much_is_on_its_way, setup, teardown),
		cmocka_unit_test_setup_teardown(a_start_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(the_facts_hold_there, setup, teardown),
		cmocka_unit_test_setup_teardown(the_maker_has_no_rights, setup, teardown),
		cmocka_unit_test_setup_teardown(a_maker_that_has_ended, setup, teardown),
		cmocka_unit_test_setup_teardown(a_maker_that_does_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(few_descriptors, setup, teardown),
		cmocka_unit_test(without_a_namespace),
	};

	become_lone_user();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
