/* SPDX-License-Identifier: Apache-2.0 */
/* joining.c - a connection between two sockets of one instance, whose path is open */
#include "tests/lfpd/joining.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>

#include "lfpd/sock/joined.h"
#include "lfpd/state/session.h"

struct socket *joining_socket(uint64_t id)
{
	return socket_of(lfp_table_find(&host.inst.session->sockets, id));
}

struct lfp_addr joining_connect(unsigned int family, const char *ip)
{
	struct lfp_frame frame = {.code = LFP_LISTEN, .sock = LISTENER, .listen.backlog = 4};
	struct lfp_addr at;

	assert_int_equal(vse_socket(&vse, LISTENER, family), 0);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_GETSOCKNAME, .sock = LISTENER};
	at = vse_addr(ip, vse_ask(&vse, frame).name.addr.port);
	assert_int_equal(vse_socket(&vse, CLIENT, LFP_AF_INET), 0);
	assert_int_equal(vse_connect_to(&vse, CLIENT, &at), EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	return at;
}

uint64_t joining_accept(void)
{
	const struct lfp_frame frame = {.code = LFP_ACCEPT, .sock = LISTENER, .accept.count = 1};

	vse_send(&vse, &frame);
	return vse_expect(&vse, LFP_ACCEPTED).accepted.id;
}

uint64_t joining_make(void)
{
	uint64_t server;

	(void)joining_connect(LFP_AF_INET, "127.0.0.1");
	server = joining_accept();
	assert_ptr_equal(joining_socket(server)->stream.joined.other, joining_socket(CLIENT));
	assert_ptr_equal(joining_socket(CLIENT)->stream.joined.other, joining_socket(server));
	return server;
}
