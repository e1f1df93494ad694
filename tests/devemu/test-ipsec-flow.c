/* SPDX-License-Identifier: Apache-2.0 */
/* test-ipsec-flow.c - which packets are eligible for zIIPs, sentence by sentence of IBM's
 * presentation */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "devemu/ipsec/flow.h"
#include "lfp/bigend.h"
#include "tests/devemu/ipsec-rig.h"

enum { FIN = 1, SYN = 2, RST = 4, ACK = 16, TCP = 20 };
#define MS UINT64_C(1000000)

static struct flows *start(bool ziip, uint16_t port)
{
	struct flow_config config = {.ziip = ziip};
	struct flows *flows;

	if (port) {
		config.ports = 1;
		config.port[0] = (struct policy_ports){port, port};
	}
	flows = flows_create(&config);
	assert_non_null(flows);
	return flows;
}

/* A TCP segment with @len bytes. Returns its size. */
static size_t segment(uint8_t *out, bool inbound, uint8_t flags, uint32_t ack, uint16_t window,
		      size_t len)
{
	size_t all = rig_packet(out, 4, TCP - UDP_HEADER + len);
	uint8_t *tcp = out + 20;

	out[9] = PROTO_TCP;
	if (inbound) {
		out[15] = 2;
		out[19] = 1;
	}
	memset(tcp, 0, TCP);
	be16_put(tcp, inbound ? 2222 : 1111);
	be16_put(tcp + 2, inbound ? 1111 : 2222);
	be32_put(tcp + 8, ack);
	tcp[12] = TCP / 4 << 4;
	tcp[13] = flags;
	be16_put(tcp + 14, window);
	ip_set_len(out, all);
	return all;
}

static void receive(struct flows *flows, uint8_t flags, uint32_t ack, uint16_t window, uint64_t now)
{
	uint8_t packet[200];
	const size_t len = segment(packet, true, flags, ack, window, 0);

	flows_received(flows, packet, len, now);
}

static bool sends(struct flows *flows, size_t len, uint64_t now)
{
	uint8_t packet[3000];
	const size_t all = segment(packet, false, ACK, 0, 0, len);
	const struct ip_packet ip = rig_parse(packet, all);

	return flows_outbound(flows, &ip, packet, now);
}

/* "Configuring GLOBALCONFIG ZIIP IPSECURITY causes inbound ESP and AH Protocol traffic to be
 * processed
 * ... targeted to available zIIPs." */
static void all_inbound_traffic_is(void **state)
{
	struct flows *flows = start(true, 0);

	(void)state;
	assert_true(flows_inbound(flows));
	flows_destroy(flows);
}

/* "The default setting is to leave IPSec processing on standard CPs." */
static void nothing_is_without_the_switch(void **state)
{
	struct flows *flows = start(false, 1111);

	(void)state;
	assert_false(flows_inbound(flows));
	receive(flows, ACK, 1000, 100, 1);
	receive(flows, ACK, 2000, 100, 1);
	assert_false(sends(flows, 100, 1));
	flows_destroy(flows);
}

/* "when ... the application invoking the send() function is already running on a zIIP" */
static void data_of_programs_on_ziips_is(void **state)
{
	struct flows *flows = start(true, 1111);
	uint8_t packet[100];
	const size_t len = rig_packet(packet, 4, 10);
	const struct ip_packet udp = rig_parse(packet, len);

	(void)state;
	assert_true(sends(flows, 100, 1));
	/* Whatever the protocol. */
	assert_true(flows_outbound(flows, &udp, packet, 1));
	flows_destroy(flows);
	flows = start(true, 1112);
	assert_false(sends(flows, 100, 1));
	assert_false(flows_outbound(flows, &udp, packet, 1));
	flows_destroy(flows);
}

/* "data transmitted in response to a received TCP acknowledgement": as much as was acknowledged */
static void data_that_an_acknowledgement_allows_is(void **state)
{
	struct flows *flows = start(true, 0);

	(void)state;
	assert_false(sends(flows, 1000, MS)); /* the program's own send() */
	receive(flows, ACK, 1000, 500, MS);
	assert_false(sends(flows, 1000, MS)); /* the first one tells where the flow is */
	receive(flows, ACK, 3000, 500, 2 * MS);
	assert_true(sends(flows, 1000, 3 * MS));
	assert_true(sends(flows, 1000, 3 * MS));
	assert_false(sends(flows, 1000, 3 * MS));
	/* The same one again, and an old one, allow nothing. */
	receive(flows, ACK, 3000, 500, 4 * MS);
	receive(flows, ACK, 2000, 500, 4 * MS);
	assert_false(sends(flows, 1000, 4 * MS));
	/* Across 2^32. */
	receive(flows, SYN | ACK, 0, 0, 5 * MS);
	receive(flows, ACK, UINT32_MAX - 9, 500, 5 * MS);
	receive(flows, ACK, 10, 500, 5 * MS);
	assert_true(sends(flows, 20, 5 * MS));
	assert_false(sends(flows, 1, 5 * MS));
	flows_destroy(flows);
}

/* "... or window update" */
static void data_that_a_window_update_allows_is(void **state)
{
	struct flows *flows = start(true, 0);
	uint8_t packet[200];
	size_t len;

	(void)state;
	receive(flows, ACK, 1000, 0, MS);
	receive(flows, ACK, 1000, 700, MS);
	assert_true(sends(flows, 700, MS));
	assert_false(sends(flows, 1, MS));
	receive(flows, ACK, 1000, 600, MS); /* a window that shrinks */
	assert_false(sends(flows, 1, MS));
	/* With a window scale, which the peer's SYN tells: option 3. */
	len = segment(packet, true, SYN | ACK, 1000, 0, 4);
	packet[20 + 12] = 6 << 4;
	memcpy(packet + 40, "\1\3\3\4", 4);
	flows_received(flows, packet, len, MS);
	receive(flows, ACK, 1000, 0, MS);
	receive(flows, ACK, 1000, 10, MS);
	assert_true(sends(flows, 160, MS));
	assert_false(sends(flows, 1, MS));
	flows_destroy(flows);
}

/* "never otherwise": what is sent much later is the program's own send(), and acknowledgements
 * without data are no data. */
static void nothing_else_is(void **state)
{
	struct flows *flows = start(true, 0);

	(void)state;
	receive(flows, ACK, 1000, 500, MS);
	receive(flows, ACK, 3000, 500, MS);
	assert_false(sends(flows, 0, MS));
	assert_false(sends(flows, 1000, MS + FLOW_RESPONSE_NS));
	/* The credit is gone with it. */
	receive(flows, ACK, 3001, 500, MS + FLOW_RESPONSE_NS);
	assert_true(sends(flows, 1, MS + FLOW_RESPONSE_NS));
	assert_false(sends(flows, 1, MS + FLOW_RESPONSE_NS));
	/* A reset ends all. */
	receive(flows, ACK, 9000, 500, 200 * MS);
	receive(flows, RST, 9000, 500, 200 * MS);
	assert_false(sends(flows, 1000, 200 * MS));
	flows_destroy(flows);
}

static void broken_segments_do_nothing(void **state)
{
	struct flows *flows = start(true, 0);
	uint8_t packet[200];

	(void)state;
	for (unsigned int header = 0; header < 16; header++)
		for (size_t len = 0; len < 60; len++) {
			const size_t all = segment(packet, true, SYN | ACK, 1, 1, 4);

			packet[20 + 12] = (uint8_t)(header << 4);
			memcpy(packet + 40, "\3\0\3\377", 4);
			if (len < all)
				flows_received(flows, packet, len, 1);
			flows_received(flows, packet, all, 1);
		}
	assert_false(sends(flows, 10, 1));
	flows_destroy(flows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_inbound_traffic_is),
		cmocka_unit_test(nothing_is_without_the_switch),
		cmocka_unit_test(data_of_programs_on_ziips_is),
		cmocka_unit_test(data_that_an_acknowledgement_allows_is),
		cmocka_unit_test(data_that_a_window_update_allows_is),
		cmocka_unit_test(nothing_else_is),
		cmocka_unit_test(broken_segments_do_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
