/* SPDX-License-Identifier: Apache-2.0 */
/* test-ipsec-profile.c - rules and keys from a file, and every error in one */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "devemu/ipsec/profile.h"

#define KEY16 "0x000102030405060708090a0b0c0d0e0f"
#define KEY20 KEY16 "10111213"
#define GOOD                                                                                       \
	"IpManVpnAction A\n{\nLocalSecurityEndpointAddr 10.0.0.1\n"                                \
	"RemoteSecurityEndpointAddr 10.0.0.2\n"                                                    \
	"HowToEncrypt AES_CBC KeyLength 128\nHowToAuth ESP HMAC_SHA1\n"
#define KEYS_OF(in, out)                                                                           \
	"AuthInboundSa " in " " KEY20 "\nAuthOutboundSa " out " " KEY20 "\nEncryptInboundSa " in   \
	" " KEY16 "\nEncryptOutboundSa " out " " KEY16 "\n"

static int read_text(const char *text, struct policy **policy, struct lfp_reader_error *err)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int rc;

	assert_non_null(file);
	memset(err, 0, sizeof(*err));
	rc = profile_read(policy, "file", file, err);
	fclose(file);
	return rc;
}

static void all_words_are_read(void **state)
{
	static const char text[] =
		"# a comment\n"
		"AllowWeak Yes\n"
		"IpFilterPolicy\n{\n"
		"  IpFilterRule  bulk   # and one behind it\n  {\n"
		"    IpSourceAddrSet 10.1.0.0/16\n    IpDestAddr fd00::1\n"
		"    ipservice\n    {\n      Protocol tcp\n      SourcePortRange 20 21\n"
		"      DestinationPortRange 1024\n      Direction Outbound\n    }\n"
		"    IpGenericFilterAction\n    {\n      IpFilterAction IpSec\n    }\n"
		"    IpManVpnActionRef A\n  }\n"
		"  IpFilterRule  rest\n  {\n    IpGenericFilterAction\n    {\n"
		"      IpFilterAction Permit\n    }\n  }\n"
		"}\n" GOOD "PassthroughDF No Set\nPassthroughDSCP No\nHowToEncap Transport\n"
		"UdpEncapPort 4500\nReplayWindow 128\nExtendedSequence Yes\nPathMtu 1400\n"
		"SaLifetime 2\nSaLifesize 3\n" KEYS_OF("256", "257") "Replacement\n{\n" KEYS_OF(
			"258",
			"259") "}\n}\n"
			       "IpManVpnAction B\n{\nActive No\nLocalSecurityEndpointAddr fd00::1\n"
			       "RemoteSecurityEndpointAddr fd00::2\nHowToAuth AH HMAC_MD5\nHowToEncrypt DoNot\n"
			       "AuthInboundSa 300 " KEY16 "\nAuthOutboundSa 301 " KEY16 "\n}\n"
			       "IpManVpnAction C\n{\nLocalSecurityEndpointAddr fd00::1\n"
			       "RemoteSecurityEndpointAddr fd00::2\nHowToAuth ESP NULL\n"
			       "HowToEncrypt AES_GCM_16\n"
			       "EncryptInboundSa 4294967295 " KEY20 "\nEncryptOutboundSa 301 " KEY20
			       "\n}\n";
	struct lfp_reader_error err;
	struct policy *policy = NULL;
	const struct policy_action *a;

	(void)state;
	if (read_text(text, &policy, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(policy->rules, 2);
	assert_int_equal(policy->rule[0].verdict, POLICY_IPSEC);
	assert_int_equal(policy->rule[0].action, 0);
	assert_int_equal(policy->rule[0].src.bits, 16);
	assert_int_equal(policy->rule[0].dst.addr.version, 6);
	assert_int_equal(policy->rule[0].dst.bits, 128);
	assert_int_equal(policy->rule[0].protocol, PROTO_TCP);
	assert_int_equal(policy->rule[0].src_port.from, 20);
	assert_int_equal(policy->rule[0].src_port.to, 21);
	assert_int_equal(policy->rule[0].dst_port.to, 1024);
	assert_false(policy->rule[0].inbound);
	assert_int_equal(policy->rule[1].verdict, POLICY_PERMIT);
	a = &policy->action[0];
	assert_int_equal(policy->actions, 3);
	assert_int_equal(a->generations, 2);
	assert_int_equal(a->mtu, 1400);
	assert_int_equal(a->in[1].spi, 258);
	assert_int_equal(a->out[1].generation, 1);
	assert_int_equal(a->out[0].df, SA_DF_SET);
	assert_false(a->out[0].pass_dscp);
	assert_int_equal(a->out[0].mode, SA_TRANSPORT);
	assert_int_equal(a->in[0].udp_port, 4500);
	assert_int_equal(a->in[0].window, 128);
	assert_true(a->in[0].extended);
	assert_int_equal(a->out[0].life_seconds, 120);
	assert_int_equal(a->out[0].life_bytes, 3072);
	assert_int_equal(a->in[0].src.bytes[3], 2);
	assert_int_equal(a->in[0].algorithms.auth_key[19], 0x13);
	assert_false(policy->action[1].active);
	assert_true(policy->action[1].in[0].ah);
	assert_int_equal(policy->action[2].in[0].spi, UINT32_MAX);
	assert_memory_equal(policy->action[2].in[0].algorithms.salt, "\x10\x11\x12\x13", 4);
	policy_destroy(policy);
}

#define RULE(inner) "IpFilterRule r\n{\n" inner "\n}\n"

static const struct {
	const char *text, *error;
} wrong[] = {
	{"Foo\n", "file:1: Foo: is not known here"},
	{"{\n", "file:1: {: no statement in front of it"},
	{"}\n", "file:1: }: there is no block to end"},
	{"IpFilterRule\n", "file:1: IpFilterRule: needs one value"},
	{"IpFilterRule r\nProtocol tcp\n", "file:2: Protocol: a line with '{' must come first"},
	{"IpFilterRule r\n{\n", "file:2: the last block has no end"},
	{"IpFilterRule r\n", "file:1: the last block has no end"},
	{"a b c d e f\n", "file:1: a: too many words in the line"},
	{"IpFilterRule 123456789012345678901234567890123\n",
	 "file:1: IpFilterRule: a name has at most 32 characters"},
	{RULE("IpSourceAddr 10.0.0.0/8"),
	 "file:3: IpSourceAddr: takes one address; IpSourceAddrSet and IpDestAddrSet take prefixes"},
	{RULE("IpDestAddrSet 10.0.0.0/33"), "file:3: IpDestAddrSet: '33' is not a number of bits"},
	{RULE("IpDestAddrSet 10.0.0.0"),
	 "file:3: IpDestAddrSet: needs an address, '/' and a number of bits"},
	{RULE("IpDestAddr 10.0.0.256"), "file:3: IpDestAddr: '10.0.0.256' is not an address"},
	{RULE("IpService\n{\nProtocol 256\n}"), "file:5: Protocol: '256' is not a protocol"},
	{RULE("IpService\n{\nSourcePortRange 5 4\n}"),
	 "file:5: SourcePortRange: needs one port, or the first and the last one"},
	{RULE("IpService\n{\nDirection Up\n}"),
	 "file:5: Direction: 'Up' is none of BiDirectional, Inbound, Outbound"},
	{RULE("IpGenericFilterAction\n{\nIpFilterAction Maybe\n}"),
	 "file:5: IpFilterAction: 'Maybe' is none of Permit, Deny, IpSec"},
	{RULE("IpGenericFilterAction\n{\nIpFilterAction IpSec\n}"),
	 "file:1: rule r needs IpManVpnActionRef"},
	{RULE("IpGenericFilterAction\n{\nIpFilterAction IpSec\n}\nIpManVpnActionRef X"),
	 "file:1: rule r: there is no IpManVpnAction X"},
	{RULE("IpManVpnActionRef X"), "file:1: rule r has an action, but is not IpSec"},
	{GOOD "}\n", "file:7: }: A needs AuthInboundSa"},
	{"IpManVpnAction A\n{\n}\n", "file:3: }: A needs both addresses of endpoints"},
	{GOOD "HowToEncrypt 3DES\n}\n",
	 "file:7: HowToEncrypt: 3DES needs AllowWeak Yes at the top of the file"},
	{GOOD "HowToAuth ESP HMAC_MD5\n}\n",
	 "file:7: HowToAuth: HMAC_MD5 needs AllowWeak Yes at the top of the file"},
	{GOOD "HowToAuth AH HMAC_SHA1\nHowToEncrypt NULL\n}\n",
	 "file:9: }: A: HowToEncrypt and HowToAuth do not go together: ESP needs AES_GCM_16 with "
	 "NULL or others with an HMAC, AH needs an HMAC and DoNot, AES_CBC, AES_GCM_16 or 3DES"},
	{GOOD "HowToAuth AH HMAC_SHA1\nUdpEncapPort 4500\n}\n",
	 "file:9: }: A: only ESP fits into UDP"},
	{GOOD "HowToAuth ESP NULL\n}\n",
	 "file:8: }: A: HowToEncrypt and HowToAuth do not go together: ESP needs AES_GCM_16 with "
	 "NULL or others with an HMAC, AH needs an HMAC and DoNot, AES_CBC, AES_GCM_16 or 3DES"},
	{GOOD "HowToEncrypt AES_CBC KeyLength 129\n}\n",
	 "file:7: HowToEncrypt: needs KeyLength 128, 192 or 256 behind AES_CBC"},
	{GOOD "AuthInboundSa 255 " KEY20 "\n",
	 "file:7: AuthInboundSa: needs an SPI from 256 to 4294967295 and a key"},
	{GOOD "AuthInboundSa 256 secret\n",
	 "file:7: AuthInboundSa: the key is not 0x and pairs of hexadecimal digits"},
	{GOOD "AuthInboundSa 256 " KEY20 "\nAuthInboundSa 256 " KEY20 "\n",
	 "file:8: AuthInboundSa: appears twice"},
	{GOOD "AuthInboundSa 256 " KEY16 "\n}\n",
	 "file:8: }: A: the key of AuthInboundSa has 16 bytes and needs 20"},
	{GOOD "AuthInboundSa 256 " KEY20 "\nEncryptInboundSa 257 " KEY16 "\n}\n",
	 "file:9: }: A: the two keys of an SA have different SPIs"},
	{GOOD KEYS_OF("256", "257") "Replacement\n{\n" KEYS_OF("256", "258") "}\n}\n",
	 "file:18: }: A: SPI 256 of an inbound SA appears twice"},
	{GOOD "Replacement\n{\n}\nAuthInboundSa 256 " KEY20 "\n",
	 "file:10: AuthInboundSa: must come before the first Replacement"},
	{GOOD "RemoteSecurityEndpointAddr fd00::1\n}\n",
	 "file:8: }: A: one endpoint is IPv4, the other IPv6"},
	{GOOD "PathMtu 575\n", "file:7: PathMtu: '575' is not a number from 576 to 65535"},
	{GOOD "PassthroughDF Maybe\n", "file:7: PassthroughDF: needs Yes, No Clear or No Set"},
	{GOOD "Active Maybe\n", "file:7: Active: 'Maybe' is neither Yes nor No"},
	{"IpManVpnAction A\n{\nLocalSecurityEndpointAddr Any\n",
	 "file:3: LocalSecurityEndpointAddr: 'Any' is not an address"},
};

static void errors_name_file_and_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct lfp_reader_error err;
		struct policy *policy = NULL;

		assert_int_equal(read_text(wrong[i].text, &policy, &err), -EINVAL);
		assert_string_equal(err.text, wrong[i].error);
	}
}

static void others_must_not_read_keys(void **state)
{
	char path[] = "/tmp/profileXXXXXX";
	const int fd = mkstemp(path);
	struct policy *policy = NULL;
	struct lfp_reader_error err;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "# nothing\n", 10), 10);
	close(fd);
	assert_int_equal(profile_load(&policy, path, &err), 0);
	assert_int_equal(policy->rules, 0);
	policy_destroy(policy);
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(profile_load(&policy, path, &err), -EPERM);
	assert_non_null(strstr(err.text, "users other than its owner"));
	unlink(path);
	assert_int_equal(profile_load(&policy, path, &err), -ENOENT);
	assert_non_null(strstr(err.text, "No such file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_words_are_read),
		cmocka_unit_test(errors_name_file_and_line),
		cmocka_unit_test(others_must_not_read_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
