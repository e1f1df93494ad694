/* SPDX-License-Identifier: Apache-2.0 */
/* one-path.c - one instance, and one scripted z/VSE side that has a path to it */
#include "tests/lfpd/one-path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfpd/sock/host-socket.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/datagrams.h"

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

struct socket *get_socket(uint64_t id)
{
	struct lfp_table_link *link = lfp_table_find(&host.inst.session->sockets, id);

	assert_non_null(link);
	return socket_of(link);
}

static int connect_to_listener(uint64_t id, int listener, unsigned int port)
{
	struct lfp_addr addr = vse_addr("127.0.0.1", port);
	int fd;

	assert_int_equal(vse_connect_to(&vse, id, &addr), EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	fd = tcp_accept(&host, listener);
	assert_true(fd >= 0);
	close(listener);
	return fd;
}

int connect_socket(uint64_t id)
{
	unsigned int port;
	int listener = tcp_listen(&port);

	assert_int_equal(vse_socket(&vse, id, LFP_AF_INET), 0);
	return connect_to_listener(id, listener, port);
}

int connect_narrow_socket(uint64_t id)
{
	unsigned int port;
	int listener = tcp_listen(&port), small = 4096;

	assert_int_equal(vse_socket(&vse, id, LFP_AF_INET), 0);
	set_option(id, SOL_SOCKET, SO_SNDBUF, small);
	assert_int_equal(setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	return connect_to_listener(id, listener, port);
}
