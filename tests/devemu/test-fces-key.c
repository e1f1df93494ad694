/* SPDX-License-Identifier: Apache-2.0 */
/* test-fces-key.c - the messages of a key server as bytes, its file, its keys, its address */
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

#include "devemu/fces/key-client.h"
#include "devemu/fces/key-store.h"

static void a_request_has_its_bytes(void **state)
{
	static const uint8_t golden[] = {'K', 'S', 1,   1,   0x01, 0x02, 0x03, 0x04,
					 6,   'C', 'U', '7', '8',  '0',  '0'};
	struct key_request request = {.id = 0x01020304, .peer = "CU7800"}, back;
	uint8_t bytes[KEY_REQUEST_MAX];

	(void)state;
	assert_int_equal(key_request_encode(&request, bytes), sizeof(golden));
	assert_memory_equal(bytes, golden, sizeof(golden));
	for (size_t len = 0; len < sizeof(golden); len++)
		assert_int_equal(key_request_decode(golden, len, &back), 0);
	memset(&back, 0, sizeof(back));
	assert_int_equal(key_request_decode(golden, sizeof(golden), &back), sizeof(golden));
	assert_int_equal(back.id, 0x01020304);
	assert_string_equal(back.peer, "CU7800");
	/* An error is detected at the first wrong byte. */
	for (size_t at = 0; at < sizeof(golden); at++) {
		uint8_t wrong[sizeof(golden)];

		memcpy(wrong, golden, sizeof(golden));
		wrong[at] = at == 8 ? 0 : '/';
		if (at >= 4 && at < 8)
			continue;
		assert_int_equal(key_request_decode(wrong, at < 9 ? at + 1 : sizeof(golden), &back),
				 -EPROTO);
	}
	memcpy(bytes, golden, sizeof(golden));
	bytes[8] = FCES_NAME;
	assert_int_equal(key_request_decode(bytes, 9, &back), -EPROTO);
	bytes[8] = 6;
	bytes[11] = 0;
	assert_int_equal(key_request_decode(bytes, sizeof(golden), &back), -EPROTO);
}

static void an_answer_has_its_bytes(void **state)
{
	struct key_answer answer = {.status = KEY_OK, .shared = {.id = 0x0a0b0c0d}}, back;
	uint8_t golden[KEY_ANSWER] = {'K', 'S', 1, 2, 0, 0, 0, 0, 0x0a, 0x0b, 0x0c, 0x0d};
	uint8_t bytes[KEY_ANSWER];

	(void)state;
	for (int i = 0; i < FCES_KEY; i++)
		golden[12 + i] = answer.shared.key[i] = (uint8_t)(0x80 + i);
	assert_int_equal(key_answer_encode(&answer, bytes), KEY_ANSWER);
	assert_memory_equal(bytes, golden, KEY_ANSWER);
	assert_int_equal(key_answer_decode(golden, KEY_ANSWER - 1, &back), 0);
	assert_int_equal(key_answer_decode(golden, KEY_ANSWER, &back), KEY_ANSWER);
	assert_memory_equal(back.shared.key, answer.shared.key, FCES_KEY);
	assert_int_equal(back.shared.id, 0x0a0b0c0d);
	/* A refusal has no key in it. */
	answer.status = KEY_NOT_SHARED;
	key_answer_encode(&answer, bytes);
	for (int i = 5; i < KEY_ANSWER; i++)
		assert_int_equal(bytes[i], 0);
	assert_int_equal(key_answer_decode(bytes, KEY_ANSWER, &back), KEY_ANSWER);
	assert_int_equal(back.status, KEY_NOT_SHARED);
	bytes[4] = KEY_STATUSES;
	assert_int_equal(key_answer_decode(bytes, KEY_ANSWER, &back), -EPROTO);
	golden[8] = golden[9] = golden[10] = golden[11] = 0; /* a key without an id */
	assert_int_equal(key_answer_decode(golden, KEY_ANSWER, &back), -EPROTO);
	golden[3] = 1;
	assert_int_equal(key_answer_decode(golden, 4, &back), -EPROTO);
}

#define HEX "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F"

static struct lfp_reader_error err;

static int read_text(struct key_file *keys, const char *text)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int rc;

	assert_non_null(file);
	err.text[0] = '\0';
	rc = key_file_read(keys, "keys", file, &err);
	fclose(file);
	return rc;
}

static void a_file_is_read(void **state)
{
	struct key_file keys;

	(void)state;
	assert_int_equal(read_text(&keys, "# ends\n\nend CHP50 " HEX "\n\tend CU7800\t" HEX
					  " # the other\r\nend a.b_c-9 " HEX
					  "\nshare CHP50 CU7800\nshare a.b_c-9 * " HEX),
			 0);
	assert_int_equal(keys.ends, 3);
	assert_int_equal(keys.shares, 2);
	for (int i = 0; i < FCES_KEY; i++)
		assert_int_equal(key_file_end(&keys, "CU7800")->secret[i], i);
	assert_null(key_file_end(&keys, "CU78"));
	assert_false(key_file_share(&keys, "CU7800", "CHP50")->fixed);
	assert_true(key_file_share(&keys, "CU7800", "a.b_c-9")->fixed);
	assert_null(key_file_share(&keys, "CU7800", "CU7900"));
	key_file_finish(&keys);
}

static void what_is_wrong_with_a_file_is_said(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"ends A " HEX, "keys:1: word 1 is neither 'end' nor 'share'"},
		{"\nend A", "keys:2: 'end' needs a name and a secret"},
		{"end A " HEX " x", "keys:1: 'end' needs a name and a secret"},
		{"end A/B " HEX,
		 "keys:1: word 2 is not a name: 1 to 31 letters, digits, '.', '_' and '-'"},
		{"end A 00112233", "keys:1: the secret, word 3, is not 64 hexadecimal digits"},
		{"end A x" HEX, "keys:1: the secret, word 3, is not 64 hexadecimal digits"},
		{"end A " HEX "\nend A " HEX, "keys:2: end 'A' is already defined"},
		{"share A", "keys:1: 'share' needs two names and takes a key"},
		{"share A B", "keys: 'share' names the unknown end 'A'"},
		{"end A " HEX "\nshare A * 12",
		 "keys:2: the key, word 4, is not 64 hexadecimal digits"},
		/* A message shows no secret, even a misplaced one. */
		{"end " HEX " A",
		 "keys:1: word 2 is not a name: 1 to 31 letters, digits, '.', '_' and '-'"},
		{"end A " HEX "\nshare " HEX " A",
		 "keys:2: word 2 is not a name: 1 to 31 letters, digits, '.', '_' and '-'"},
		{"end A " HEX "\nshare A " HEX,
		 "keys:2: word 3 is not a name: 1 to 31 letters, digits, '.', '_' and '-'"},
		{HEX " A", "keys:1: word 1 is neither 'end' nor 'share'"},
		{"end A B C D E F", "keys:1: too many words"},
	};
	struct key_file keys;
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(read_text(&keys, cases[i].text), -EINVAL);
		assert_string_equal(err.text, cases[i].error);
		/* No message shows text that may be a secret. */
		assert_null(strstr(err.text, "00112233"));
	}
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(read_text(&keys, text), -EINVAL);
	assert_string_equal(err.text, "keys:1: the line is longer than 254 characters");
}

static void a_file_is_its_owners(void **state)
{
	char path[] = "/tmp/test-fces-key-XXXXXX";
	struct key_file keys;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "end A " HEX "\n", 71), 71);
	close(fd);
	assert_int_equal(key_file_load(&keys, path, &err), 0);
	assert_int_equal(keys.ends, 1);
	key_file_finish(&keys);
	for (unsigned int bit = 0; bit < 6; bit++) {
		assert_int_equal(chmod(path, 0600 | 1U << bit), 0);
		assert_int_equal(key_file_load(&keys, path, &err), -EPERM);
		assert_non_null(strstr(err.text, "users other than its owner have access to it"));
	}
	unlink(path);
	assert_int_equal(key_file_load(&keys, path, &err), -ENOENT);
	assert_non_null(strstr(err.text, "No such file"));
}

static void every_two_have_a_key_of_their_own(void **state)
{
	struct key_answer one, two, other, old;
	struct key_store store;
	struct key_file keys;

	(void)state;
	assert_int_equal(read_text(&keys, "end A " HEX "\nend B " HEX "\nend C " HEX "\nend D " HEX
					  "\nshare A *\nshare B D " HEX "\n"),
			 0);
	key_store_init(&store, &keys);
	key_store_get(&store, "A", "B", 0, &one);
	key_store_get(&store, "B", "A", 0, &two);
	assert_int_equal(one.status, KEY_OK);
	assert_int_equal(two.status, KEY_OK);
	assert_int_equal(one.shared.id, two.shared.id);
	assert_memory_equal(one.shared.key, two.shared.key, FCES_KEY);
	key_store_get(&store, "C", "A", 0, &other);
	assert_int_equal(other.status, KEY_OK);
	assert_memory_not_equal(one.shared.key, other.shared.key, FCES_KEY);
	key_store_get(&store, "B", "C", 0, &other);
	assert_int_equal(other.status, KEY_NOT_SHARED);
	key_store_get(&store, "A", "A", 0, &other);
	assert_int_equal(other.status, KEY_NOT_SHARED);
	key_store_get(&store, "A", "E", 0, &other);
	assert_int_equal(other.status, KEY_NO_END);
	key_store_get(&store, "D", "B", 0, &other);
	assert_int_equal(other.shared.key[5], 5);
	/* New ones: the ones before stay for one time, and the file's for good. */
	assert_int_equal(key_store_renew(&store), 0);
	key_store_get(&store, "A", "B", 0, &two);
	assert_int_not_equal(two.shared.id, one.shared.id);
	assert_memory_not_equal(two.shared.key, one.shared.key, FCES_KEY);
	key_store_get(&store, "B", "A", one.shared.id, &old);
	assert_memory_equal(old.shared.key, one.shared.key, FCES_KEY);
	key_store_get(&store, "D", "B", 0, &other);
	assert_int_equal(other.shared.id, 1);
	assert_int_equal(other.shared.key[5], 5);
	assert_int_equal(key_store_renew(&store), 0);
	key_store_get(&store, "B", "A", one.shared.id, &old);
	assert_int_equal(old.status, KEY_NO_ID);
	key_store_finish(&store);
	key_file_finish(&keys);
}

static void there_is_room_for_many(void **state)
{
	enum { ENDS = 100 };
	static const uint8_t secret[FCES_KEY];
	struct key_file keys = {0};
	struct key_store store;
	struct key_answer answer;
	unsigned int full = 0;

	(void)state;
	for (int i = 0; i < ENDS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "E%d", i);
		assert_int_equal(key_file_add_end(&keys, name, secret), 0);
	}
	assert_int_equal(key_file_add_end(&keys, "E7", secret), -EEXIST);
	assert_int_equal(key_file_add_end(&keys, "", secret), -EINVAL);
	assert_int_equal(key_file_add_share(&keys, "*", "*", NULL), 0);
	key_store_init(&store, &keys);
	for (int i = 0; i < ENDS; i++)
		for (int j = 0; j < i; j++) {
			key_store_get(&store, keys.end[i].name, keys.end[j].name, 0, &answer);
			full += answer.status == KEY_UNAVAILABLE;
			if (answer.status != KEY_UNAVAILABLE)
				assert_int_equal(answer.status, KEY_OK);
		}
	/* 100 * 99 / 2 pairs are more than there is room for. */
	assert_int_equal(store.pairs, KEY_PAIRS_MAX);
	assert_int_equal(full, ENDS * (ENDS - 1) / 2 - KEY_PAIRS_MAX);
	key_store_finish(&store);
	key_file_finish(&keys);
}

static void addresses(void **state)
{
	static const char *const wrong[] = {"",           "host",          ":1",
					    "127.0.0.1:", "1.2.3.4:70000", "::1:5",
					    "[]:1",       "[::1:1",        "a b:x"};
	struct key_address address;
	char text[KEY_ADDRESS_TEXT], path[200];
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(key_address_parse(&address, wrong[i]), -EINVAL);
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[108] = '\0';
	assert_int_equal(key_address_parse(&address, path), -ENAMETOOLONG);
	path[107] = '\0';
	assert_int_equal(key_address_parse(&address, path), 0);
	assert_int_equal(key_address_parse(&address, "127.0.0.1:0"), 0);
	fd = key_address_listen(&address);
	assert_true(fd >= 0);
	key_address_of(fd, text);
	assert_int_equal(strncmp(text, "127.0.0.1:", 10), 0);
	/* Another process listens there. */
	assert_int_equal(key_address_parse(&address, text), 0);
	assert_int_equal(key_address_listen(&address), -EADDRINUSE);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_has_its_bytes),
		cmocka_unit_test(an_answer_has_its_bytes),
		cmocka_unit_test(a_file_is_read),
		cmocka_unit_test(what_is_wrong_with_a_file_is_said),
		cmocka_unit_test(a_file_is_its_owners),
		cmocka_unit_test(every_two_have_a_key_of_their_own),
		cmocka_unit_test(there_is_room_for_many),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
