/* SPDX-License-Identifier: Apache-2.0 */
/* test-ipsec-stack.c - two hosts with rules: packets between them, replacement of SAs, MTU */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "devemu/ipsec/ah.h"
#include "devemu/ipsec/icmp.h"
#include "devemu/ipsec/profile.h"
#include "devemu/ipsec/stack.h"
#include "lfp/bigend.h"
#include "tests/devemu/ipsec-rig.h"

struct end {
	struct policy *policy;
	struct stack *stack;
};

static uint8_t packet[IP_PACKET_MAX], sealed[IP_PACKET_MAX], back[IP_PACKET_MAX];

/* The rig's hosts are 10.9.0.1 and 10.9.0.2; the tunnel is between 10.8.0.1 and 10.8.0.2. Rules
 * protect UDP to and from port 2222, permit ICMP, deny port 9. */
static const char text[] =
	"IpFilterRule no\n{\nIpService\n{\nProtocol UDP\nDestinationPortRange 9\n}\n"
	"IpGenericFilterAction\n{\nIpFilterAction Deny\n}\n}\n"
	"IpFilterRule yes\n{\nIpSourceAddrSet 10.9.0.0/16\nIpDestAddrSet 10.9.0.0/16\n"
	"IpService\n{\nProtocol UDP\n%s 2222\n}\n"
	"IpGenericFilterAction\n{\nIpFilterAction IpSec\n}\nIpManVpnActionRef A\n}\n"
	"IpFilterRule ping\n{\nIpService\n{\nProtocol ICMP\n}\n"
	"IpGenericFilterAction\n{\nIpFilterAction Permit\n}\n}\n"
	"IpManVpnAction A\n{\nLocalSecurityEndpointAddr 10.8.0.%d\n"
	"RemoteSecurityEndpointAddr 10.8.0.%d\nHowToEncap Tunnel\n%s\n"
	"HowToEncrypt AES_GCM_16 KeyLength 128\nHowToAuth ESP NULL\n"
	"EncryptInboundSa %d 0x000102030405060708090a0b0c0d0e0f10111213\n"
	"EncryptOutboundSa %d 0x000102030405060708090a0b0c0d0e0f10111213\n"
	"Replacement\n{\n"
	"EncryptInboundSa %d 0xff0102030405060708090a0b0c0d0e0f10111213\n"
	"EncryptOutboundSa %d 0xff0102030405060708090a0b0c0d0e0f10111213\n}\n}\n";

static struct end make(int self, const char *more)
{
	struct lfp_reader_error err = {.text = ""};
	const int peer = 3 - self;
	struct end end = {0};
	char all[4096];
	FILE *file;

	snprintf(all, sizeof(all), text, self == 1 ? "DestinationPortRange" : "SourcePortRange",
		 self, peer, more, 256 + self, 256 + peer, 300 + self, 300 + peer);
	file = fmemopen(all, strlen(all), "r");
	assert_non_null(file);
	if (profile_read(&end.policy, "rules", file, &err) < 0)
		fail_msg("%s", err.text);
	fclose(file);
	end.stack = stack_create(end.policy, 2);
	assert_non_null(end.stack);
	return end;
}

static void finish(struct end *end)
{
	stack_destroy(end->stack);
	policy_destroy(end->policy);
}

/* Returns the outer bytes or a reason. */
static int send_one(struct end *end, size_t len, unsigned int *mtu)
{
	const uint8_t *whole = packet;
	struct work work;
	int rc = stack_out(end->stack, &whole, len, 1, &work, mtu);

	return rc <= 0 ? rc : stack_do(end->stack, 1, &work, whole, 1, sealed);
}

static int receive_one(struct end *end, size_t len)
{
	struct work work;
	int rc = stack_in(end->stack, sealed, len, &work), accepted;

	if (rc > 0)
		rc = stack_do(end->stack, 0, &work, sealed, 1, back);
	if (rc <= 0)
		return rc;
	accepted = stack_accept(end->stack, &work, back, (size_t)rc);
	return accepted < 0 ? accepted : rc;
}

static void rules_decide(void **state)
{
	struct end a = make(1, ""), b = make(2, "");
	size_t len = rig_packet(packet, 4, 100);
	unsigned int mtu;
	int rc = send_one(&a, len, &mtu);

	(void)state;
	assert_true(rc > (int)len);
	assert_int_equal(sealed[9], PROTO_ESP);
	assert_int_equal(sealed[15], 1);
	assert_int_equal(receive_one(&b, (size_t)rc), len);
	assert_memory_equal(back, packet, len);
	/* Another port: denied by name, by absence of a rule, and permitted. */
	be16_put(packet + 22, 9);
	assert_int_equal(send_one(&a, len, &mtu), -DROP_DENIED);
	be16_put(packet + 22, 10);
	assert_int_equal(send_one(&a, len, &mtu), -DROP_POLICY);
	packet[9] = PROTO_ICMP;
	ip_fix_checksum(packet);
	assert_int_equal(send_one(&a, len, &mtu), len);
	assert_memory_equal(sealed, packet, len);
	assert_int_equal(stack_drops(a.stack, DROP_DENIED), 1);
	assert_int_equal(stack_drops(a.stack, DROP_POLICY), 1);
	finish(&a);
	finish(&b);
}

/* A peer with the right keys cannot send what its SA is not for. */
static void an_sa_carries_its_rule_only(void **state)
{
	struct end a = make(1, ""), b = make(2, "");
	const size_t len = rig_packet(packet, 4, 100);
	const struct ip_packet ip = rig_parse(packet, len);
	struct sa *sa = stack_sa(a.stack, 0, 0, false);
	int rc;

	(void)state;
	be16_put(packet + 22, 10);
	rc = sa_wrap(sa, 0, 7, &ip, packet, sealed, sizeof(sealed));
	assert_true(rc > 0);
	assert_int_equal(receive_one(&b, (size_t)rc), -DROP_POLICY);
	assert_int_equal(stack_sa(b.stack, 0, 0, true)->counters.drop[DROP_POLICY], 1);
	/* Wrong SPI, and the right one from elsewhere. */
	be32_put(sealed + 20, 999);
	assert_int_equal(receive_one(&b, (size_t)rc), -DROP_UNKNOWN_SPI);
	be32_put(sealed + 20, 258);
	sealed[15] = 77;
	ip_fix_checksum(sealed);
	assert_int_equal(receive_one(&b, (size_t)rc), -DROP_UNKNOWN_SPI);
	finish(&a);
	finish(&b);
}

/* Two hosts with AH around ESP, in each mode. */
static struct end make_around(int self, const char *mode, const char *encrypt, const char *key)
{
	struct lfp_reader_error err = {.text = ""};
	const int peer = 3 - self;
	struct end end = {0};
	char all[2048];
	FILE *file;

	snprintf(all, sizeof(all),
		 "IpFilterRule yes\n{\nIpGenericFilterAction\n{\nIpFilterAction IpSec\n}\n"
		 "IpManVpnActionRef A\n}\nIpManVpnAction A\n{\n"
		 "LocalSecurityEndpointAddr 10.9.0.%d\nRemoteSecurityEndpointAddr 10.9.0.%d\n"
		 "HowToEncap %s\nHowToEncrypt %s\nHowToAuth AH HMAC_SHA1\n"
		 "AuthInboundSa %d 0x000102030405060708090a0b0c0d0e0f10111213\n"
		 "AuthOutboundSa %d 0x000102030405060708090a0b0c0d0e0f10111213\n"
		 "EncryptInboundSa %d 0x%s\nEncryptOutboundSa %d 0x%s\n}\n",
		 self, peer, mode, encrypt, 256 + self, 256 + peer, 300 + self, key, 300 + peer,
		 key);
	file = fmemopen(all, strlen(all), "r");
	assert_non_null(file);
	if (profile_read(&end.policy, "rules", file, &err) < 0)
		fail_msg("%s", err.text);
	fclose(file);
	end.stack = stack_create(end.policy, 2);
	assert_non_null(end.stack);
	return end;
}

/* IP, AH, ESP: AH guards all of it, and ESP without its AH is nobody's. */
static void ah_goes_around_esp(void **state)
{
	static const struct {
		const char *mode, *encrypt, *key;
	} kinds[] = {
		{"Tunnel", "AES_CBC", "000102030405060708090a0b0c0d0e0f"},
		{"Transport", "AES_CBC", "000102030405060708090a0b0c0d0e0f"},
		{"Tunnel", "AES_GCM_16", "000102030405060708090a0b0c0d0e0f10111213"},
		{"Transport", "AES_GCM_16", "000102030405060708090a0b0c0d0e0f10111213"},
	};

	(void)state;
	for (size_t n = 0; n < sizeof(kinds) / sizeof(kinds[0]); n++) {
		struct end a = make_around(1, kinds[n].mode, kinds[n].encrypt, kinds[n].key);
		struct end b = make_around(2, kinds[n].mode, kinds[n].encrypt, kinds[n].key);
		const size_t len = rig_packet(packet, 4, 100);
		struct sa *ah = stack_sa_around(b.stack, 0, 0, true);
		struct sa *esp = stack_sa(b.stack, 0, 0, true);
		unsigned int mtu;
		const int all = send_one(&a, len, &mtu);

		assert_true(all > (int)len);
		assert_int_equal(sealed[9], PROTO_AH);
		assert_int_equal(sealed[20], PROTO_ESP);
		assert_int_equal(be32_get(sealed + 24), 258);
		assert_int_equal(be32_get(sealed + 44), 302);
		for (size_t bit = 8 * 20; bit < 8 * (size_t)all; bit++) {
			sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_true(receive_one(&b, (size_t)all) < 0);
			sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		assert_true(ah->counters.drop[DROP_INTEGRITY] > 8 * 100);
		assert_int_equal(esp->counters.packets, 0);
		assert_int_equal(receive_one(&b, (size_t)all), len);
		assert_memory_equal(back, packet, len);
		assert_int_equal(receive_one(&b, (size_t)all), -DROP_REPLAYED);
		assert_int_equal(ah->counters.drop[DROP_REPLAYED], 1);
		assert_int_equal(ah->counters.packets, 1);
		assert_int_equal(ah->counters.bytes, (size_t)all - ah_len(AUTH_SHA1_96, 4));
		assert_int_equal(esp->counters.packets, 1);
		assert_int_equal(esp->counters.bytes, len);
		/* A new packet, whose AH is taken off. */
		assert_int_equal(send_one(&a, len, &mtu), all);
		memmove(sealed + 20, sealed + 44, (size_t)all - 44);
		sealed[9] = PROTO_ESP;
		ip_set_len(sealed, (size_t)all - 24);
		assert_int_equal(receive_one(&b, (size_t)all - 24), -DROP_UNKNOWN_SPI);
		finish(&a);
		finish(&b);
	}
}

static void ah_around_esp_needs_room(void **state)
{
	struct end a =
		make_around(1, "Tunnel", "AES_GCM_16", "000102030405060708090a0b0c0d0e0f10111213");
	const size_t len = rig_packet(packet, 4, 1440);
	unsigned int mtu = 0;

	(void)state;
	be16_put(packet + 6, 0x4000);
	ip_fix_checksum(packet);
	assert_int_equal(send_one(&a, len, &mtu), -DROP_TOO_BIG);
	ip_set_len(packet, mtu + 1);
	assert_int_equal(send_one(&a, mtu + 1, &mtu), -DROP_TOO_BIG);
	ip_set_len(packet, mtu);
	assert_in_range(send_one(&a, mtu, &mtu), 1497, 1500);
	finish(&a);
}

static void sas_are_replaced_without_loss(void **state)
{
	struct end a = make(1, "SaLifesize 8"), b = make(2, "SaLifesize 8");
	const size_t len = rig_packet(packet, 4, 1000);
	unsigned int mtu, sent = 0;
	uint8_t late[1200];
	int rc, late_len = 0;

	(void)state;
	while ((rc = send_one(&a, len, &mtu)) > 0) {
		if (sent++ == 0) {
			memcpy(late, sealed, (size_t)rc);
			late_len = rc;
			continue;
		}
		assert_int_equal(be32_get(sealed + 20), sent <= 7 ? 258 : 302);
		assert_int_equal(receive_one(&b, (size_t)rc), len);
	}
	assert_int_equal(rc, -DROP_EXPIRED);
	assert_int_equal(sent, 14);
	assert_int_equal(stack_generation(a.stack, 0), 2);
	/* A packet of the old SA that comes behind those of the new one. */
	memcpy(sealed, late, (size_t)late_len);
	assert_int_equal(receive_one(&b, (size_t)late_len), len);
	finish(&a);
	finish(&b);
}

static void senders_hear_of_the_mtu(void **state)
{
	struct end a = make(1, ""), b = make(2, "");
	unsigned int mtu = 0;
	uint8_t message[ICMP_MAX];
	struct ip_packet ip;
	size_t len = rig_packet(packet, 4, 1460);
	size_t size;
	int rc;

	(void)state;
	be16_put(packet + 6, 0x4000);
	ip_fix_checksum(packet);
	assert_int_equal(send_one(&a, len, &mtu), -DROP_TOO_BIG);
	assert_in_range(mtu, 1400, 1460);
	/* Exactly that fits, and one byte more does not. */
	len = rig_packet(packet, 4, mtu - 28);
	rc = send_one(&a, len, &mtu);
	assert_in_range(rc, 1497, 1500);
	ip = rig_parse(sealed, (size_t)rc);
	/* A router says that its link has 1,300 bytes. */
	size = icmp_too_big(&ip, sealed, 1300, message);
	ip = rig_parse(message, size);
	assert_true(stack_icmp(a.stack, &ip, message));
	assert_false(stack_icmp(a.stack, &ip, message));
	be16_put(packet + 6, 0x4000);
	ip_fix_checksum(packet);
	assert_int_equal(send_one(&a, len, &mtu), -DROP_TOO_BIG);
	assert_in_range(mtu, 1200, 1260);
	/* Without DF the outer packet is cut later. */
	be16_put(packet + 6, 0);
	ip_fix_checksum(packet);
	assert_true(send_one(&a, len, &mtu) > 1300);
	/* A forged message cannot make packets tiny. */
	be16_put(message + 20 + 6, 575);
	assert_false(stack_icmp(a.stack, &ip, message));
	finish(&a);
	finish(&b);
}

static void fragments_are_put_together_first(void **state)
{
	struct end a = make(1, ""), b = make(2, "");
	uint8_t whole[2000], one[1500];
	const size_t len = rig_packet(whole, 4, 1400);
	unsigned int mtu;
	int rc;

	(void)state;
	memcpy(one, whole, 20 + 800);
	be16_put(one + 6, 0x2000);
	ip_set_len(one, 820);
	memcpy(packet, one, 820);
	assert_int_equal(send_one(&a, 820, &mtu), 0);
	memcpy(one + 20, whole + 820, len - 820);
	be16_put(one + 6, 100);
	ip_set_len(one, len - 800);
	memcpy(packet, one, len - 800);
	rc = send_one(&a, len - 800, &mtu);
	assert_true(rc > (int)len);
	assert_int_equal(receive_one(&b, (size_t)rc), len);
	assert_memory_equal(back, whole, len);
	/* One half alone is forgotten after its time. */
	be16_put(one + 4, 5);
	ip_fix_checksum(one);
	memcpy(packet, one, len - 800);
	assert_int_equal(send_one(&a, len - 800, &mtu), 0);
	stack_expire(a.stack, UINT64_C(60000000000));
	assert_int_equal(stack_drops(a.stack, DROP_FRAGMENT_TIME), 1);
	finish(&a);
	finish(&b);
}

static void an_inactive_action_drops(void **state)
{
	struct end a = make(1, "Active No"), b = make(2, "");
	const size_t len = rig_packet(packet, 4, 100);
	unsigned int mtu;

	(void)state;
	assert_int_equal(send_one(&a, len, &mtu), -DROP_NO_SA);
	finish(&a);
	finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_decide),
		cmocka_unit_test(an_sa_carries_its_rule_only),
		cmocka_unit_test(ah_goes_around_esp),
		cmocka_unit_test(ah_around_esp_needs_room),
		cmocka_unit_test(sas_are_replaced_without_loss),
		cmocka_unit_test(senders_hear_of_the_mtu),
		cmocka_unit_test(fragments_are_put_together_first),
		cmocka_unit_test(an_inactive_action_drops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
