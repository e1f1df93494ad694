/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-ipsec.c - packets from the near side and from the path, also changed ones and fragments
 *
 * The first byte selects the meaning of the rest. The fuzzer cannot guess an integrity check value:
 * an opened packet must equal the one that was sealed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/ipsec/flow.h"
#include "devemu/ipsec/fragment.h"
#include "devemu/ipsec/profile.h"
#include "devemu/ipsec/stack.h"
#include "devemu/ipsec/wrap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Everything is allowed, over five actions: ESP and AH, tunnel and transport, IPv4 and IPv6, and
 * AH around ESP. */
#define ACTION(name, local, remote, how, in, out)                                                  \
	"IpManVpnAction " name "\n{\nLocalSecurityEndpointAddr " local                             \
	"\nRemoteSecurityEndpointAddr " remote "\n" how "\nAuthInboundSa " in                      \
	" 0x000102030405060708090a0b0c0d0e0f10111213\nAuthOutboundSa " out                         \
	" 0x000102030405060708090a0b0c0d0e0f10111213\n}\n"
#define RULE(name, from)                                                                           \
	"IpFilterRule " name "\n{\nIpSourceAddrSet " from                                          \
	"\nIpGenericFilterAction\n{\nIpFilterAction IpSec\n}\nIpManVpnActionRef " name "\n}\n"
#define ESP "HowToEncrypt NULL\nHowToAuth ESP HMAC_SHA1"
#define AROUND                                                                                     \
	"HowToEncap Tunnel\nHowToEncrypt AES_CBC\nHowToAuth AH HMAC_SHA1\n"                        \
	"EncryptInboundSa 261 0x000102030405060708090a0b0c0d0e0f\n"                                \
	"EncryptOutboundSa 261 0x000102030405060708090a0b0c0d0e0f"
#define AH "HowToEncrypt DoNot\nHowToAuth AH HMAC_SHA1"

static const char text[] = RULE("A", "10.0.0.0/9") RULE("B", "0.0.0.0/0") RULE(
	"C", "fd00::/9") RULE("E", "fe00::/9") RULE("D", "::/0")
	ACTION("A", "10.0.0.1", "10.0.0.2", "HowToEncap Tunnel\n" ESP, "256", "256") ACTION(
		"B", "10.128.0.1", "10.128.0.2", "HowToEncap Transport\n" AH, "257", "257")
		ACTION("C", "fd00::1", "fd00::2", "HowToEncap Transport\n" ESP, "258", "258")
			ACTION("D", "fdff::1", "fdff::2", "HowToEncap Tunnel\n" AH, "259", "259")
				ACTION("E", "fe00::1", "fe00::2", AROUND, "260", "260");

static struct policy *policy;
static uint8_t sealed[IP_PACKET_MAX], out[IP_PACKET_MAX];

static void setup(void)
{
	struct lfp_reader_error err;
	FILE *file = fmemopen((void *)(uintptr_t)text, sizeof(text) - 1, "r");

	if (!file || profile_read(&policy, "fuzz", file, &err) < 0)
		abort();
	fclose(file);
}

static void inbound(struct stack *stack, const uint8_t *data, size_t size)
{
	struct work work;

	if (stack_in(stack, data, size, &work) == 1 && stack_do(stack, 0, &work, data, 1, out) > 0)
		abort(); /* nobody has sealed it */
}

/* Bytes of the input over those of a packet that is good. One SA serves as both ends. */
static void changed(struct stack *stack, const uint8_t *data, size_t size)
{
	static const uint8_t base[] = {0x45, 0, 0,  60, 0, 1, 0,  0, 64, 17,
				       0,    0, 10, 0,  0, 1, 10, 0, 0,  2};
	struct sa *to = stack_sa(stack, 0, 0, true);
	uint8_t packet[60] = {0};
	struct ip_packet ip;
	bool same = true;
	int len, rc;

	memcpy(packet, base, sizeof(base));
	if (ip_parse(&ip, packet, sizeof(packet)) < 0)
		abort();
	len = sa_wrap(to, 0, 1, &ip, packet, sealed, sizeof(sealed));
	if (len < 0)
		abort();
	for (size_t i = IP4_HEADER; i < (size_t)len && i - IP4_HEADER < size; i++) {
		sealed[i] ^= data[i - IP4_HEADER];
		same &= data[i - IP4_HEADER] == 0;
	}
	if (ip_parse(&ip, sealed, (size_t)len) < 0)
		abort();
	rc = sa_unwrap(to, 0, &ip, sealed, ip.upper, 1, out, sizeof(out));
	if ((rc == (int)sizeof(packet)) != same ||
	    (rc > 0 && memcmp(out, packet, sizeof(packet)) != 0))
		abort();
}

static int check_piece(void *context, const uint8_t *piece, size_t len)
{
	struct ip_packet ip;

	(void)context;
	if (ip_parse(&ip, piece, len) < 0 || ip.len != len)
		abort();
	return 0;
}

/* Packets of the near side, one after the other: two bytes of length and their bytes. */
static void outbound(struct stack *stack, const uint8_t *data, size_t size)
{
	while (size >= 2) {
		const size_t want = (size_t)data[0] << 8 | data[1];
		const size_t len = want < size - 2 ? want : size - 2;
		const uint8_t *packet = data + 2;
		struct ip_packet ip;
		struct work work;
		unsigned int mtu = 0;
		int rc = stack_out(stack, &packet, len, 1, &work, &mtu);

		if (rc == 1) {
			rc = stack_do(stack, 0, &work, packet, 1, sealed);
			if (rc > 0 && ip_parse(&ip, sealed, (size_t)rc) == 0) {
				uint8_t piece[600];

				fragment_cut(&ip, sealed, sizeof(piece), 1, piece, check_piece,
					     NULL);
			}
		} else if (rc == -DROP_TOO_BIG && mtu < 500) {
			abort();
		}
		data += 2 + len;
		size -= 2 + len;
	}
}

/* The same packet in both directions. */
static void flow(const struct ip_packet *ip, const uint8_t *packet, size_t len)
{
	static const struct flow_config config = {.ziip = true};
	struct flows *flows = flows_create(&config);

	if (!flows)
		abort();
	flows_received(flows, packet, len, 1);
	flows_outbound(flows, ip, packet, 1);
	flows_destroy(flows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stack *stack;
	struct ip_packet ip;

	if (size < 1)
		return 0;
	if (!policy)
		setup();
	stack = stack_create(policy, 1);
	if (!stack)
		abort();
	switch (data[0] % 4) {
	case 0:
		inbound(stack, data + 1, size - 1);
		break;
	case 1:
		changed(stack, data + 1, size - 1);
		break;
	case 2:
		outbound(stack, data + 1, size - 1);
		break;
	default:
		if (ip_parse(&ip, data + 1, size - 1) == 0) {
			stack_icmp(stack, &ip, data + 1);
			flow(&ip, data + 1, size - 1);
		}
	}
	stack_destroy(stack);
	return 0;
}
