/* SPDX-License-Identifier: Apache-2.0 */
/* test-fces-frame.c - AES-256-GCM against NIST's bytes; frames sealed, opened, changed, sent twice
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "devemu/crypto/gcm.h"
#include "devemu/fces/association.h"

enum { GCM_KEY = 32 };

/* Test cases 13, 14 and 16 of McGrew and Viega's GCM submission to NIST (AES-256). */
static const uint8_t zeros[32];
static const uint8_t key16[GCM_KEY] = {0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c,
				       0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08,
				       0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c,
				       0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08};
static const uint8_t nonce16[GCM_NONCE] = {0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce,
					   0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88};
static const uint8_t aad16[] = {0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xfe, 0xed,
				0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xab, 0xad, 0xda, 0xd2};
static const uint8_t plain16[60] = {
	0xd9, 0x31, 0x32, 0x25, 0xf8, 0x84, 0x06, 0xe5, 0xa5, 0x59, 0x09, 0xc5, 0xaf, 0xf5, 0x26,
	0x9a, 0x86, 0xa7, 0xa9, 0x53, 0x15, 0x34, 0xf7, 0xda, 0x2e, 0x4c, 0x30, 0x3d, 0x8a, 0x31,
	0x8a, 0x72, 0x1c, 0x3c, 0x0c, 0x95, 0x95, 0x68, 0x09, 0x53, 0x2f, 0xcf, 0x0e, 0x24, 0x49,
	0xa6, 0xb5, 0x25, 0xb1, 0x6a, 0xed, 0xf5, 0xaa, 0x0d, 0xe6, 0x57, 0xba, 0x63, 0x7b, 0x39};
static const uint8_t cipher16[60] = {
	0x52, 0x2d, 0xc1, 0xf0, 0x99, 0x56, 0x7d, 0x07, 0xf4, 0x7f, 0x37, 0xa3, 0x2a, 0x84, 0x42,
	0x7d, 0x64, 0x3a, 0x8c, 0xdc, 0xbf, 0xe5, 0xc0, 0xc9, 0x75, 0x98, 0xa2, 0xbd, 0x25, 0x55,
	0xd1, 0xaa, 0x8c, 0xb0, 0x8e, 0x48, 0x59, 0x0d, 0xbb, 0x3d, 0xa7, 0xb0, 0x8b, 0x10, 0x56,
	0x82, 0x88, 0x38, 0xc5, 0xf6, 0x1e, 0x63, 0x93, 0xba, 0x7a, 0x0a, 0xbc, 0xc9, 0xf6, 0x62};
static const uint8_t tag16[GCM_TAG] = {0x76, 0xfc, 0x6e, 0xce, 0x0f, 0x4e, 0x17, 0x68,
				       0xcd, 0xdf, 0x88, 0x53, 0xbb, 0x2d, 0x55, 0x1b};
static const uint8_t tag13[GCM_TAG] = {0x53, 0x0f, 0x8a, 0xfb, 0xc7, 0x45, 0x36, 0xb9,
				       0xa9, 0x63, 0xb4, 0xf1, 0xc4, 0xcb, 0x73, 0x8b};
static const uint8_t cipher14[16] = {0xce, 0xa7, 0x40, 0x3d, 0x4d, 0x60, 0x6b, 0x6e,
				     0x07, 0x4e, 0xc5, 0xd3, 0xba, 0xf3, 0x9d, 0x18};
static const uint8_t tag14[GCM_TAG] = {0xd0, 0xd1, 0xc8, 0xa7, 0x99, 0x99, 0x6b, 0xf0,
				       0x26, 0x5b, 0x98, 0xb5, 0xd4, 0x8a, 0xb9, 0x19};

static void it_is_the_published_cipher(void **state)
{
	struct gcm *gcm = gcm_create(zeros, GCM_KEY);
	uint8_t out[64], back[64], tag[GCM_TAG];

	(void)state;
	assert_non_null(gcm);
	assert_int_equal(gcm_seal(gcm, zeros, NULL, 0, NULL, 0, out, tag), 0);
	assert_memory_equal(tag, tag13, sizeof(tag));
	assert_int_equal(gcm_seal(gcm, zeros, NULL, 0, zeros, 16, out, tag), 0);
	assert_memory_equal(out, cipher14, 16);
	assert_memory_equal(tag, tag14, sizeof(tag));
	gcm_destroy(gcm);
	gcm = gcm_create(key16, GCM_KEY);
	assert_non_null(gcm);
	/* One context does many messages: a failure leaves nothing for the next. */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(
			gcm_seal(gcm, nonce16, aad16, sizeof(aad16), plain16, 60, out, tag), 0);
		assert_memory_equal(out, cipher16, 60);
		assert_memory_equal(tag, tag16, sizeof(tag));
		assert_int_equal(gcm_open(gcm, nonce16, aad16, sizeof(aad16), out, 60, back, tag),
				 0);
		assert_memory_equal(back, plain16, 60);
		tag[i] ^= 1;
		assert_int_equal(gcm_open(gcm, nonce16, aad16, sizeof(aad16), out, 60, back, tag),
				 -EBADMSG);
		for (int n = 0; n < 60; n++)
			assert_int_equal(back[n], 0);
	}
	gcm_destroy(gcm);
}

static const uint8_t salt[FCES_SALT] = {0xa0, 0xa1, 0xa2, 0xa3};

static struct fces_sa *association(uint32_t last)
{
	struct fces_sa *sa = fces_sa_create(0x11223344, key16, salt, last);

	assert_non_null(sa);
	return sa;
}

static size_t make_frame(uint8_t *frame, size_t payload)
{
	const struct fc_header header = {
		.r_ctl = 1, .type = 0x1b, .d_id = 0x662c00, .s_id = 0x662800};

	fc_header_put(frame, &header);
	for (size_t i = 0; i < payload; i++)
		frame[FC_HEADER + i] = (uint8_t)(i * 11 + 3);
	return FC_HEADER + payload;
}

/* The layout, byte for byte; the encrypted part by the cipher alone, which is tested above. */
static void a_sealed_frame_has_its_layout(void **state)
{
	static const uint8_t head[] = {
		0x01, 0x66, 0x2c, 0x00, 0x00, 0x66, 0x28, 0x00, 0x1b, 0x00, 0x00, 0x00,
		0x00, 0x40, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, /* header */
		0x11, 0x22, 0x33, 0x44,                                                 /* SPI */
		0x00, 0x00, 0x00, 0x01,                         /* sequence */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, /* IV */
	};
	static const uint8_t nonce[GCM_NONCE] = {0xa0, 0xa1, 0xa2, 0xa3, 0, 0, 0, 0, 0, 0, 0, 1};
	uint8_t frame[FC_FRAME_MAX], sealed[FCES_FRAME_MAX], expected[100], tag[GCM_TAG];
	struct fces_sa *sa = association(FCES_SEQUENCE_LAST);
	struct gcm *gcm = gcm_create(key16, GCM_KEY);
	const size_t len = make_frame(frame, 100);

	(void)state;
	assert_non_null(gcm);
	assert_int_equal(fces_seal(sa, frame, len, sealed, sizeof(sealed)), len + 32);
	assert_memory_equal(sealed, head, sizeof(head));
	assert_int_equal(gcm_seal(gcm, nonce, head, 32, frame + FC_HEADER, 100, expected, tag), 0);
	assert_memory_equal(sealed + sizeof(head), expected, 100);
	assert_memory_equal(sealed + sizeof(head) + 100, tag, sizeof(tag));
	gcm_destroy(gcm);
	fces_sa_destroy(sa);
}

static void frames_of_all_sizes_come_back(void **state)
{
	static const size_t sizes[] = {0, 1, 4, 15, 16, 17, 2048, FC_PAYLOAD_MAX};
	struct fces_sa *from = association(FCES_SEQUENCE_LAST),
		       *to = association(FCES_SEQUENCE_LAST);
	uint8_t frame[FC_FRAME_MAX + 1], sealed[FCES_FRAME_MAX + 1], back[FC_FRAME_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const size_t len = make_frame(frame, sizes[i]);

		assert_int_equal(fces_seal(from, frame, len, sealed, sizeof(sealed)), len + 32);
		assert_int_equal(fces_open(to, sealed, len + 32, back, sizeof(back)), len);
		assert_memory_equal(back, frame, len);
		/* The frame contains no plain text of the secret part. */
		if (sizes[i] >= 15)
			assert_null(memmem(sealed, len + 32, frame + FC_HEADER, 15));
	}
	assert_int_equal(fces_seal(from, frame, FC_FRAME_MAX + 1, sealed, sizeof(sealed)),
			 -EMSGSIZE);
	assert_int_equal(fces_seal(from, frame, FC_HEADER - 1, sealed, sizeof(sealed)), -EMSGSIZE);
	assert_int_equal(fces_seal(from, frame, 100, sealed, 131), -EMSGSIZE);
	assert_int_equal(fces_seal(from, frame, 100, sealed, sizeof(sealed)), 132);
	assert_int_equal(fces_open(to, sealed, 132, back, 99), -EMSGSIZE);
	assert_int_equal(fces_open(to, sealed, 132, back, 100), 100);
	/* A sealed frame cannot be sealed again. */
	assert_int_equal(fces_seal(from, sealed, 132, back, sizeof(back)), -EINVAL);
	fces_sa_destroy(from);
	fces_sa_destroy(to);
}

/* Every bit of a frame, one after the other: none is delivered, each is counted, and the frame
 * itself still is. */
static void every_bit_counts(void **state)
{
	struct fces_sa *from = association(FCES_SEQUENCE_LAST),
		       *to = association(FCES_SEQUENCE_LAST);
	uint8_t frame[FC_FRAME_MAX], sealed[FCES_FRAME_MAX], back[FC_FRAME_MAX];
	const size_t len = make_frame(frame, 64);
	const struct fces_counters *counters = fces_sa_counters(to);

	(void)state;
	assert_int_equal(fces_seal(from, frame, len, sealed, sizeof(sealed)), len + 32);
	for (size_t bit = 0; bit < 8 * (len + 32); bit++) {
		const uint64_t before = fces_dropped(counters);
		int rc;

		memset(back, 0xee, sizeof(back));
		sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
		rc = fces_open(to, sealed, len + 32, back, sizeof(back));
		assert_true(rc == -EBADMSG || rc == -EPROTO);
		/* The header's fields are checked first. */
		assert_true(rc == -EBADMSG || (bit / 8 == FC_DF_CTL && bit % 8 == 6) ||
			    (bit / 8 >= FCES_SPI && bit / 8 < FCES_IV));
		assert_int_equal(fces_dropped(counters), before + 1);
		assert_null(memmem(back, sizeof(back), frame + FC_HEADER, 16));
		sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_int_equal(counters->opened, 0);
	/* Cut short, or with more behind it. */
	for (size_t n = 0; n < len + 32; n++)
		assert_true(fces_open(to, sealed, n, back, sizeof(back)) < 0);
	sealed[len + 32] = 0;
	assert_true(fces_open(to, sealed, len + 33, back, sizeof(back)) < 0);
	assert_int_equal(counters->opened, 0);
	assert_int_equal(fces_open(to, sealed, len + 32, back, sizeof(back)), len);
	assert_int_equal(counters->opened, 1);
	fces_sa_destroy(from);
	fces_sa_destroy(to);
}

static void each_frame_is_delivered_once(void **state)
{
	enum { FRAMES = 3 * FCES_WINDOW, LEN = FC_HEADER + 8 };
	static uint8_t sealed[FRAMES][LEN + FCES_OVERHEAD];
	struct fces_sa *from = association(FCES_SEQUENCE_LAST),
		       *to = association(FCES_SEQUENCE_LAST);
	uint8_t frame[FC_FRAME_MAX], back[FC_FRAME_MAX];
	const size_t len = make_frame(frame, 8);
	const struct fces_counters *counters = fces_sa_counters(to);

	(void)state;
	for (int i = 0; i < FRAMES; i++)
		assert_int_equal(fces_seal(from, frame, len, sealed[i], sizeof(sealed[i])),
				 sizeof(sealed[i]));
	/* In any order, as long as the window reaches: the odd ones first, then the even ones. */
	for (int odd = 1; odd >= 0; odd--)
		for (int i = odd; i < FCES_WINDOW; i += 2)
			assert_int_equal(fces_open(to, sealed[i], sizeof(sealed[i]), back, len),
					 len);
	for (int i = 0; i < FCES_WINDOW; i++)
		assert_int_equal(fces_open(to, sealed[i], sizeof(sealed[i]), back, len), -EALREADY);
	assert_int_equal(counters->replayed, FCES_WINDOW);
	/* A leap: what lies behind the window is old, what is in it is new. */
	assert_int_equal(fces_open(to, sealed[FRAMES - 1], sizeof(sealed[0]), back, len), len);
	assert_int_equal(
		fces_open(to, sealed[FRAMES - 1 - FCES_WINDOW], sizeof(sealed[0]), back, len),
		-EALREADY);
	assert_int_equal(fces_open(to, sealed[FRAMES - FCES_WINDOW], sizeof(sealed[0]), back, len),
			 len);
	/* A changed one does not take the place of the real one. */
	sealed[FRAMES - 2][FCES_DATA] ^= 1;
	assert_int_equal(fces_open(to, sealed[FRAMES - 2], sizeof(sealed[0]), back, len), -EBADMSG);
	sealed[FRAMES - 2][FCES_DATA] ^= 1;
	assert_int_equal(fces_open(to, sealed[FRAMES - 2], sizeof(sealed[0]), back, len), len);
	assert_int_equal(counters->opened, FCES_WINDOW + 3);
	fces_sa_destroy(from);
	fces_sa_destroy(to);
}

static void a_key_ends_before_a_nonce_comes_twice(void **state)
{
	enum { LAST = 5 };
	struct fces_sa *sa = association(LAST);
	uint8_t frame[FC_FRAME_MAX], sealed[FCES_FRAME_MAX], ivs[LAST][8];
	const size_t len = make_frame(frame, 8);

	(void)state;
	for (int i = 0; i < LAST; i++) {
		assert_int_equal(fces_seal(sa, frame, len, sealed, sizeof(sealed)), len + 32);
		memcpy(ivs[i], sealed + FCES_IV, 8);
		for (int j = 0; j < i; j++)
			assert_memory_not_equal(ivs[i], ivs[j], 8);
	}
	assert_int_equal(fces_sa_used(sa), LAST);
	for (int i = 0; i < 3; i++)
		assert_int_equal(fces_seal(sa, frame, len, sealed, sizeof(sealed)), -EKEYEXPIRED);
	assert_int_equal(fces_sa_counters(sa)->sealed, LAST);
	fces_sa_destroy(sa);
	errno = 0;
	assert_null(fces_sa_create(0, key16, salt, LAST));
	assert_int_equal(errno, EINVAL);
}

static void frames_of_others_are_none(void **state)
{
	struct fces_sa *from = association(FCES_SEQUENCE_LAST);
	struct fces_sa *spi = fces_sa_create(0x11223345, key16, salt, FCES_SEQUENCE_LAST);
	struct fces_sa *key = fces_sa_create(0x11223344, zeros, salt, FCES_SEQUENCE_LAST);
	struct fces_sa *salted = fces_sa_create(0x11223344, key16, zeros, FCES_SEQUENCE_LAST);
	uint8_t frame[FC_FRAME_MAX], sealed[FCES_FRAME_MAX], back[FC_FRAME_MAX];
	const size_t len = make_frame(frame, 64);

	(void)state;
	assert_true(spi && key && salted);
	assert_int_equal(fces_seal(from, frame, len, sealed, sizeof(sealed)), len + 32);
	assert_int_equal(fces_open(spi, sealed, len + 32, back, sizeof(back)), -EPROTO);
	assert_int_equal(fces_sa_counters(spi)->unknown, 1);
	assert_int_equal(fces_open(key, sealed, len + 32, back, sizeof(back)), -EBADMSG);
	assert_int_equal(fces_open(salted, sealed, len + 32, back, sizeof(back)), -EBADMSG);
	/* A frame in the clear is dropped. */
	assert_int_equal(fces_open(from, frame, len, back, sizeof(back)), -EPROTO);
	assert_int_equal(fces_sa_counters(from)->malformed, 1);
	fces_sa_destroy(from);
	fces_sa_destroy(spi);
	fces_sa_destroy(key);
	fces_sa_destroy(salted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_published_cipher),
		cmocka_unit_test(a_sealed_frame_has_its_layout),
		cmocka_unit_test(frames_of_all_sizes_come_back),
		cmocka_unit_test(every_bit_counts),
		cmocka_unit_test(each_frame_is_delivered_once),
		cmocka_unit_test(a_key_ends_before_a_nonce_comes_twice),
		cmocka_unit_test(frames_of_others_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
