/* SPDX-License-Identifier: Apache-2.0 */
/* test-netns.c - network namespaces and interfaces of the host by their names */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lfp/interface.h"
#include "lfp/netns.h"
#include "tests/qemu-user.h"

static void paths(void **state)
{
	char path[LFP_NETNS_PATH_MAX];

	(void)state;
	lfp_netns_path("blue", path);
	assert_string_equal(path, "/run/netns/blue");
	lfp_netns_path("/proc/1/ns/net", path);
	assert_string_equal(path, "/proc/1/ns/net");
}

static void none(void **state)
{
	(void)state;
	QEMU_USER_LACKS("NS_GET_NSTYPE");
	assert_int_equal(lfp_netns_open("/no/such/file"), -ENOENT);
	assert_int_equal(lfp_netns_open("/dev/null"), -EINVAL);
	assert_int_equal(lfp_netns_open("/proc/self/ns/uts"), -EINVAL);
	assert_int_equal(lfp_netns_enter("/dev/null"), -EINVAL);
}

/* In a child, as a process cannot leave a namespace that it has made as another user. */
static int enter(void)
{
	int before = lfp_netns_open("/proc/self/ns/net");

	if (before < 0 || !lfp_netns_is_ours(before))
		return 1;
	if (lfp_netns_enter("/proc/self/ns/net"))
		return 2; /* needs no capability */
	if (unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWNET : CLONE_NEWNET))
		return 77;
	if (lfp_netns_is_ours(before))
		return 3;
	if (geteuid())
		return lfp_netns_enter("/proc/1/ns/net") < 0 ? 0 : 4;
	return setns(before, CLONE_NEWNET) || !lfp_netns_is_ours(before) ? 5 : 0;
}

static void ours(void **state)
{
	int status = 0;
	pid_t pid;

	(void)state;
	QEMU_USER_LACKS("setns");
	pid = fork();
	if (!pid)
		_exit(enter());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void interfaces(void **state)
{
	char name[IF_NAMESIZE] = "";
	socklen_t len = sizeof(name);
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(9)};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	(void)state;
	QEMU_USER_LACKS("SO_BINDTOIFINDEX");
	assert_string_equal(lfp_interface_state("no-such-one"), "missing");
	assert_int_equal(lfp_interface_try(""), 0);
	if (lfp_interface_needs_capability() && geteuid())
		skip();
	assert_int_equal(lfp_interface_try("no-such-one"), -ENODEV);
	assert_int_equal(lfp_interface_bind(fd, "lo"), 0);
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		skip(); /* lo is down in this namespace */
	assert_int_equal(lfp_interface_disconnect(fd, "lo"), 0);
	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, &len), 0);
	assert_string_equal(name, "lo");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(none),
		cmocka_unit_test(ours),
		cmocka_unit_test(interfaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
