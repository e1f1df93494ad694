/* SPDX-License-Identifier: Apache-2.0 */
/* test-socket.c - socket(): number, flags, kinds; names, options, ioctl; calls by number */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/libvsesock/fake.h"
#include "tests/libvsesock/near.h"
#include "tests/qemu-user.h"

static void test_lowest_number(void **state)
{
	int low = open("/dev/null", O_RDONLY), high = open("/dev/null", O_RDONLY);
	int fd;

	(void)state;
	close(low);
	fd = near_new();
	assert_int_equal(fd, low);
	/* and nothing else is left open */
	assert_int_equal(open("/dev/null", O_RDONLY), high + 1);
	close(high + 1);
	close(high);
	close(fd);
}

static void test_flags(void **state)
{
	int fd = near_new();

	(void)state;
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	assert_int_equal(fcntl(fd, F_GETFL), O_RDWR);
	close(fd);
	fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL), O_RDWR);
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	assert_int_equal(fcntl(fd, F_GETFL), O_RDWR | O_NONBLOCK);
	close(fd);
}

static void test_other_kinds(void **state)
{
	int fd, pair[2];

	(void)state;
	assert_fails(socket(AF_INET, SOCK_DGRAM, 0), EPROTONOSUPPORT);
	assert_fails(socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6), EPROTONOSUPPORT);
	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	assert_true(fd >= 0);
	assert_fails(listen(fd, 1), EOPNOTSUPP);
	close(fd);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(send(pair[0], "x", 1, 0), 1);
	close(pair[0]);
	close(pair[1]);
}

static void test_errno_is_preserved(void **state)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	int fd, yes = 1;

	(void)state;
	errno = 12345;
	fd = near_connected();
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	assert_int_equal(errno, 12345);
	close(fd);
}

static void test_names_are_cut_off(void **state)
{
	struct sockaddr_storage addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&addr;
	socklen_t len = sizeof(addr);
	int fd = near_connected();

	(void)state;
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	assert_int_equal(len, sizeof(*in));
	assert_int_equal(in->sin_family, AF_INET);
	assert_int_equal(ntohs(in->sin_port), FAKE_LOCAL_PORT);
	assert_int_equal(in->sin_addr.s_addr, inet_addr(FAKE_LOCAL));

	memset(&addr, 0xee, sizeof(addr));
	len = 4;
	assert_int_equal(getpeername(fd, (struct sockaddr *)&addr, &len), 0);
	assert_int_equal(len, sizeof(*in));
	assert_int_equal(ntohs(in->sin_port), FAKE_PEER_PORT);
	assert_int_equal(in->sin_addr.s_addr, 0xeeeeeeee);

	len = 0;
	assert_int_equal(getpeername(fd, NULL, &len), 0);
	assert_int_equal(len, sizeof(*in));
	len = (socklen_t)-1;
	assert_fails(getpeername(fd, (struct sockaddr *)&addr, &len), EINVAL);
	close(fd);

	fd = near_new();
	len = sizeof(addr);
	assert_fails(getpeername(fd, (struct sockaddr *)&addr, &len), ENOTCONN);
	close(fd);
}

static void test_options(void **state)
{
	struct timeval tv = {.tv_sec = 3};
	int fd = near_new(), value = 1;
	socklen_t len = sizeof(value);
	int calls = fake_ask(fd, FAKE_CALLS);

	(void)state;
	/* timeouts are the kernel's business */
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)), 0);
	assert_int_equal(fake_ask(fd, FAKE_CALLS), calls + 1);
	assert_fails(setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &value, sizeof(value)), EOPNOTSUPP);
	assert_fails(setsockopt(fd, SOL_TCP, TCP_ULP, "tls", 4), ENOPROTOOPT);
	assert_fails(setsockopt(fd, FAKE, 99, &value, sizeof(value)), ENOPROTOOPT);
	/* a short room gets the first bytes */
	len = 1;
	value = 0;
	assert_int_equal(getsockopt(fd, FAKE, FAKE_CALLS, &value, &len), 0);
	assert_int_equal(len, 1);
	len = (socklen_t)-1;
	assert_fails(getsockopt(fd, FAKE, FAKE_CALLS, &value, &len), EINVAL);
	assert_fails(getsockopt(fd, FAKE, FAKE_CALLS, &value, NULL), EFAULT);
	close(fd);
}

static void test_ioctl(void **state)
{
	int fd = near_connected(), value = 0, yes = 1;

	(void)state;
	assert_int_equal(ioctl(fd, SIOCOUTQ, &value), 0);
	assert_int_equal(value, 4242);
	fake_tell(fd, FAKE_SEND, 7);
	assert_int_equal(ioctl(fd, FIONREAD, &value), 0);
	assert_int_equal(value, 7);
	assert_int_equal(ioctl(fd, FIONBIO, &yes), 0);
	assert_int_equal(fcntl(fd, F_GETFL), O_RDWR | O_NONBLOCK);
	close(fd);
}

static void test_short_addresses(void **state)
{
	struct sockaddr_in addr = {.sin_family = AF_INET};
	struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "/tmp/x"};
	int fd = near_new();

	(void)state;
	assert_fails(bind(fd, (struct sockaddr *)&addr, 8), EINVAL);
	assert_fails(bind(fd, (struct sockaddr *)&un, sizeof(un)), EAFNOSUPPORT);
	assert_fails(connect(fd, (struct sockaddr *)&un, sizeof(un)), EAFNOSUPPORT);
	assert_fails(connect(fd, NULL, sizeof(addr)), EFAULT);
	assert_fails(connect(fd, (struct sockaddr *)&addr, 4000), EINVAL);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	close(fd);
}

static void test_identity_survives(void **state)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	int fd = near_connected();
	int other = dup2(fd, 50);

	(void)state;
	close(fd);
	assert_int_equal(getpeername(other, (struct sockaddr *)&addr, &len), 0);
	assert_int_equal(ntohs(addr.sin_port), FAKE_PEER_PORT);
	close(other);
	/* calls on other descriptors, or on none, go to the kernel */
	assert_fails(getpeername(0, (struct sockaddr *)&addr, &len), ENOTSOCK);
	assert_fails(getpeername(other, (struct sockaddr *)&addr, &len), EBADF);
	assert_fails(connect(-1, (struct sockaddr *)&addr, len), EBADF);
}

static void test_by_number(void **state)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(PORT_GOOD)};
	struct sockaddr_in name;
	socklen_t len = sizeof(name);
	char buf[8];
	int fd;

	(void)state;
	fd = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(syscall(SYS_connect, fd, &addr, sizeof(addr)), 0);
	assert_int_equal(syscall(SYS_getpeername, fd, &name, &len), 0);
	assert_int_equal(ntohs(name.sin_port), FAKE_PEER_PORT);
	assert_int_equal(syscall(SYS_sendto, fd, "abc", 3, 0, &addr, sizeof(addr)), 3);
	assert_int_equal(fake_ask(fd, FAKE_TAKEN), 3);
	fake_tell(fd, FAKE_SEND, 3);
	assert_int_equal(syscall(SYS_recvfrom, fd, buf, sizeof(buf), 0, NULL, NULL), 3);
	fake_tell(fd, FAKE_END, ECONNRESET);
	assert_fails(syscall(SYS_read, fd, buf, sizeof(buf)), ECONNRESET);
	assert_int_equal(syscall(SYS_close, fd), 0);
	assert_fails(syscall(SYS_close, fd), EBADF);
	assert_int_equal(syscall(SYS_getpid), getpid());
}

/* Natively only calls that make a descriptor fail at the limit. */
static void test_no_descriptor_free(void **state)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	int fd = near_connected(), fresh = near_new(), yes = 1;

	(void)state;
	near_fill(0);
	assert_fails(socket(AF_INET, SOCK_STREAM, 0), EMFILE);
	errno = 0;
	assert_int_equal(getpeername(fd, (struct sockaddr *)&addr, &len), 0);
	assert_int_equal(ntohs(addr.sin_port), FAKE_PEER_PORT);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes)), 0);
	assert_int_equal(near_connect(fresh, PORT_GOOD), 0);
	assert_int_equal(errno, 0);
	assert_fails(near_connect(fresh, PORT_REFUSED), EISCONN);
	near_unfill();
	close(fd);
	close(fresh);
}

static void test_no_instance(void **state)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	char buf[4];
	int fd = near_connected(), fresh = near_new();

	(void)state;
	fake_stop();
	assert_fails(socket(AF_INET, SOCK_STREAM, 0), ENETDOWN);
	assert_fails(near_connect(fresh, PORT_GOOD), ENETDOWN);
	assert_fails(getpeername(fd, (struct sockaddr *)&addr, &len), ENETDOWN);
	assert_fails(recv(fd, buf, sizeof(buf), 0), ECONNRESET);
	assert_int_equal(shutdown(fd, SHUT_RDWR), 0);
	close(fd);
	close(fresh);
}

/* The last free descriptor is enough, and is all that is taken. */
static void test_last_descriptor(void **state)
{
	int fd, low;

	(void)state;
	near_fill(1);
	low = dup(0);
	close(low);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(fd, low);
	assert_int_equal(fcntl(fd, F_GETFL), O_RDWR | O_NONBLOCK);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_fails(socket(AF_INET, SOCK_STREAM, 0), EMFILE);
	near_unfill();
	assert_int_equal(near_connect(fd, PORT_GOOD), 0);
	close(fd);
}

static void test_io_uring(void **state)
{
	int (*init)(unsigned int, void *, unsigned int);
	void *found = dlsym(RTLD_DEFAULT, "io_uring_queue_init");
	char params[256] = {0};

	(void)state;
	assert_fails((int)syscall(SYS_io_uring_setup, 4, params), ENOSYS);
	assert_non_null(found);
	memcpy(&init, &found, sizeof(init));
	assert_int_equal(init(4, params, 0), -ENOSYS);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last_descriptor),
		cmocka_unit_test(test_io_uring),
		cmocka_unit_test(test_lowest_number),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_other_kinds),
		cmocka_unit_test(test_errno_is_preserved),
		cmocka_unit_test(test_names_are_cut_off),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_ioctl),
		cmocka_unit_test(test_short_addresses),
		cmocka_unit_test(test_identity_survives),
		cmocka_unit_test(test_by_number),
		cmocka_unit_test(test_no_descriptor_free),
		cmocka_unit_test(test_no_instance), /* the last one: it ends the fake */
	};

	(void)argc;
	QEMU_USER_CANNOT("SO_COOKIE");
	fake_start(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
