/* SPDX-License-Identifier: Apache-2.0 */
/* test-no-port.c - a datagram is to be sent, and the host has no port for its socket */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfpd/sock/datagram-kept.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/datagrams.h"
#include "tests/lfpd/network.h"
#include "tests/lfpd/one-path.h"

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	close(fd);
	return n == (ssize_t)strlen(text) ? 0 : -1;
}

/* lo is up, and there are two ports to choose from. */
static int make_network(void)
{
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	int rc = ioctl(fd, SIOCSIFFLAGS, &lo);

	close(fd);
	return rc ? rc : write_file("/proc/sys/net/ipv4/ip_local_port_range", "40000 40001");
}

/* The kernel returns EAGAIN, as for a full socket (net/ipv4/af_inet.c, inet_autobind()). lfpd does
 * not retry, and reports the error to the program. */
static void no_port(void **state)
{
	struct lfp_addr to = vse_addr("127.0.0.1", 9);
	const struct socket *sock;
	unsigned int port;
	int taken[2];

	(void)state;
	taken[0] = udp(&port);
	taken[1] = udp(&port);
	one_path_start();
	assert_int_equal(make(1, 2, 0), 0);
	datagram(1, 0, 1, 0, &to, "x", 1);
	assert_int_equal(last_error(1), EAGAIN);
	sock = get_socket(1);
	assert_true(lfp_list_empty(&sock->dgram->queue));
	/* With a port it goes. */
	close(taken[0]);
	close(taken[1]);
	datagram(1, 1 + LFP_DATAGRAM_COST, 1, 0, &to, "x", 1);
	assert_int_equal(last_error(1), 0);
	vse_close(&vse);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_port, one_path_set_up, one_path_tear_down),
	};

	if (network_own() || make_network()) {
		puts("skipped: no network namespace of its own");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
