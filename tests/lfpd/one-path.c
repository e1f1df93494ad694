/* SPDX-License-Identifier: Apache-2.0 */
/* one-path.c - one instance, and one scripted z/VSE side that has a path to it */
#include "tests/lfpd/one-path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <unistd.h>

struct host host;
struct vse vse;

int one_path_set_up(void **state)
{
	(void)state;
	host_init(&host);
	return 0;
}

int one_path_tear_down(void **state)
{
	(void)state;
	host_stop(&host);
	return 0;
}

void one_path_start(void)
{
	host_start(&host);
	vse_open(&vse, &host);
}

int connect_socket(uint64_t id)
{
	unsigned int port;
	int listener = tcp_listen(&port), fd;
	struct lfp_addr addr = vse_addr("127.0.0.1", port);

	assert_int_equal(vse_socket(&vse, id, LFP_AF_INET), 0);
	assert_int_equal(vse_connect_to(&vse, id, &addr), EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	fd = tcp_accept(&host, listener);
	assert_true(fd >= 0);
	close(listener);
	return fd;
}
