/* SPDX-License-Identifier: Apache-2.0 */
/* test-ipsec-vectors.c - the ciphers against the published bytes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/devemu/ipsec-rig.h"

struct cbc_vector {
	const char *key, *iv, *plain, *cipher;
};

/* RFC 3602, 4: cases 1 to 4. */
static const struct cbc_vector cbc[] = {
	{"06a9214036b8a15b512e03d534120006", "3dafba429d9eb430b422da802c9fac41",
	 "53696e676c6520626c6f636b206d7367", "e353779c1079aeb82708942dbe77181a"},
	{"c286696d887c9aa0611bbb3e2025a45a", "562e17996d093d28ddb3ba695a2e6f58",
	 "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
	 "d296cd94c2cccf8a3a863028b5e1dc0a7586602d253cfff91b8266bea6d61ab1"},
	{"6c3ea0477630ce21a2ce334aa746c2cd", "c782dc4c098c66cbd9cd27d825682c81",
	 "5468697320697320612034382d62797465206d657373616765202865786163746c7920332041455320626c"
	 "6f636b7329",
	 "d0a02b3836451753d493665d33f0e8862dea54cdb293abc7506939276772f8d5021c19216bad525c8579695d"
	 "83ba2684"},
	{"56e47a38c5598974bc46903dba290349", "8ce82eefbea0da3c44699ed7db51b7d9",
	 "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacb"
	 "cccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
	 "c30e32ffedc0774e6aff6af0869f71aa0f3af07a9a31a9c684db207eb0ef8e4e35907aa632c3ffdf868bb7b2"
	 "9d3d46ad83ce9f9a102ee99d49a53e87f4c3da55"},
};

static void aes_cbc_is_rfc_3602(void **state)
{
	uint8_t iv[16], plain[64], cipher[64], out[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cbc) / sizeof(cbc[0]); i++) {
		struct algorithms algorithms = rig_algorithms("cbc128-sha1");
		const size_t len = rig_hex(plain, cbc[i].plain);
		struct transform *transform;

		rig_hex(algorithms.key, cbc[i].key);
		rig_hex(iv, cbc[i].iv);
		assert_int_equal(rig_hex(cipher, cbc[i].cipher), len);
		transform = transform_create(&algorithms);
		assert_non_null(transform);
		/* A context serves many packets. */
		for (int again = 0; again < 2; again++) {
			assert_int_equal(transform_encrypt(transform, iv, plain, len - 16,
							   plain + len - 16, 16, out),
					 0);
			assert_memory_equal(out, cipher, len);
			assert_int_equal(transform_decrypt(transform, iv, cipher, len, out), 0);
			assert_memory_equal(out, plain, len);
		}
		transform_destroy(transform);
	}
}

/* RFC 3602, 4, case 5: an ICMP packet in ESP, transport mode. */
static void esp_is_case_5_of_rfc_3602(void **state)
{
	struct algorithms algorithms = rig_algorithms("cbc128-sha1");
	struct esp_number number = {.spi = 0x4321, .sequence = 1};
	uint8_t iv[16], payload[64], expected[128], out[200], back[200], next = 0;
	struct transform *transform;
	size_t len;

	(void)state;
	rig_hex(algorithms.key, "90d382b410eeba7ad938c46cec1a82bf");
	rig_hex(iv, "e96e8c08ab465763fd098d45dd3ff893");
	len = rig_hex(payload, "08000ebda70a00008e9c083db95b070008090a0b0c0d0e0f1011121314151617"
			       "18191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f3031323334353637");
	assert_int_equal(len, 64);
	len = rig_hex(expected, "0000432100000001e96e8c08ab465763fd098d45dd3ff893"
				"f663c25d325c18c6a9453e194e120849a4870b66cc6b9965330013b4898dc856"
				"a4699e523a55db080b59ec3a8e4b7e52775b07d1db34ed9c538ab50c551b874a"
				"a269add047ad2d5913ac19b7cfbad4a6");
	transform = transform_create(&algorithms);
	assert_non_null(transform);
	assert_int_equal(
		esp_seal(transform, &number, iv, PROTO_ICMP, payload, 64, out, sizeof(out)),
		len + 12);
	assert_memory_equal(out, expected, len);
	assert_int_equal(esp_open(transform, &number, out, len + 12, back, sizeof(back), &next),
			 64);
	assert_memory_equal(back, payload, 64);
	assert_int_equal(next, PROTO_ICMP);
	transform_destroy(transform);
}

struct mac_vector {
	enum auth auth;
	const char *key, *data, *icv;
};

#define DD50                                                                                       \
	"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd" \
	"dddddddddddd"
#define CD50                                                                                       \
	"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd" \
	"cdcdcdcdcdcd"

/* RFC 2202, 2 and 3, cut to 96 bits as RFC 2403 and 2404 do; RFC 4868, 2.7.2.1. */
static const struct mac_vector macs[] = {
	{AUTH_MD5_96, "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
	 "9294727a3638bb1c13f48ef8"},
	{AUTH_MD5_96, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", DD50, "56be34521d144c88dbb8c733"},
	{AUTH_MD5_96, "0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c",
	 "546573742057697468205472756e636174696f6e", "56461ef2342edc00f9bab995"},
	{AUTH_SHA1_96, "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
	 "b617318655057264e28bc0b6"},
	{AUTH_SHA1_96, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", DD50,
	 "125d7342b9ac11cd91a39af4"},
	{AUTH_SHA1_96, "0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c",
	 "546573742057697468205472756e636174696f6e", "4c1a03424b55e07fe7f27be1"},
	{AUTH_SHA2_128, "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
	 "4869205468657265", "198a607eb44bfbc69903a0f1cf2bbdc5"},
	{AUTH_SHA2_128, "4a6566654a6566654a6566654a6566654a6566654a6566654a6566654a656665",
	 "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
	 "167f928588c5cc2eef8e3093caa0e87c"},
	{AUTH_SHA2_128, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", DD50,
	 "cdcb1220d1ecccea91e53aba3092f962"},
	{AUTH_SHA2_128, "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20", CD50,
	 "372efcf9b40b35c2115b1346903d2ef4"},
};

static void hmacs_are_rfc_2202_and_4868(void **state)
{
	uint8_t data[64], icv[ICV_MAX], expected[ICV_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(macs) / sizeof(macs[0]); i++) {
		struct algorithms algorithms = {.encr = ENCR_NONE, .auth = macs[i].auth};
		const size_t len = rig_hex(data, macs[i].data);
		const size_t keylen = rig_hex(algorithms.auth_key, macs[i].key);
		struct transform *transform = transform_create(&algorithms);

		assert_non_null(transform);
		assert_int_equal(keylen, auth_key_len(macs[i].auth));
		assert_int_equal(rig_hex(expected, macs[i].icv), icv_len(ENCR_NONE, macs[i].auth));
		for (int again = 0; again < 2; again++) {
			const struct part parts[] = {{data, 5}, {data + 5, len - 5}};

			assert_int_equal(transform_mac(transform, parts, 2, icv), 0);
			assert_memory_equal(icv, expected, icv_len(ENCR_NONE, macs[i].auth));
		}
		transform_destroy(transform);
	}
}

/* Test vectors for RFC 4106 (draft-mcgrew-gcm-test-01): a packet with extended sequence numbers. */
static void esp_with_gcm_is_the_published_one(void **state)
{
	struct algorithms algorithms = rig_algorithms("gcm128");
	const struct esp_number number = {
		.spi = 0x4321, .sequence = UINT64_C(0x8765432100000000), .extended = true};
	uint8_t iv[8], payload[80], expected[128], out[200], back[200], next = 0;
	struct transform *transform;
	size_t len, inner;

	(void)state;
	rig_hex(algorithms.key, "4c80cdefbb5d10da906ac73c3613a634");
	rig_hex(algorithms.salt, "2e443b68");
	rig_hex(iv, "4956ed7e3b244cfe");
	inner = rig_hex(payload, "45000048699a000080114db7c0a80102c0a801010a9bf15638d30100000100000"
				 "0000000045f736970045f756470037369700963796265726369747902646b0000"
				 "210001");
	len = rig_hex(expected, "00004321000000004956ed7e3b244cfe"
				"fecf537e729d5b07dc30df528dd22b768d1b98736696a6fd348509fa13ceac34"
				"cfa2436f14a3f3cf65925bf1f4a13c5d15b21e1884f5ff6247aeabb786b93bce"
				"61bc17d768fd9732459018148f6cbe722fd04796562dfdb4");
	transform = transform_create(&algorithms);
	assert_non_null(transform);
	assert_int_equal(esp_seal(transform, &number, iv, 1, payload, inner, out, sizeof(out)),
			 len);
	assert_memory_equal(out, expected, len);
	assert_int_equal(esp_open(transform, &number, expected, len, back, sizeof(back), &next),
			 inner);
	assert_memory_equal(back, payload, inner);
	assert_int_equal(next, 1);
	transform_destroy(transform);
}

static void wrong_keys_are_refused(void **state)
{
	struct algorithms algorithms = rig_algorithms("cbc128-sha1");

	(void)state;
	algorithms.keylen = 17;
	assert_null(transform_create(&algorithms));
	algorithms = rig_algorithms("gcm128");
	algorithms.keylen = 15;
	assert_null(transform_create(&algorithms));
	algorithms = rig_algorithms("null-sha1");
	algorithms.keylen = 16;
	assert_null(transform_create(&algorithms));
	algorithms = rig_algorithms("gcm128");
	algorithms.auth = AUTH_SHA1_96;
	assert_false(algorithms_fit(&algorithms, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aes_cbc_is_rfc_3602),
		cmocka_unit_test(esp_is_case_5_of_rfc_3602),
		cmocka_unit_test(hmacs_are_rfc_2202_and_4868),
		cmocka_unit_test(esp_with_gcm_is_the_published_one),
		cmocka_unit_test(wrong_keys_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
