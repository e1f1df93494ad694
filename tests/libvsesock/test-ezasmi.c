/* SPDX-License-Identifier: Apache-2.0 */
/* test-ezasmi.c - EZASMI's table of types and keywords */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "libvsesock/ezasmi/ezasmi.h"

static const char *const names[] = {
	"ACCEPT",        "BIND",         "BIND2ADDRSEL", "CLOSE",       "CONNECT",
	"FCNTL",         "FREEADDRINFO", "GETADDRINFO",  "GETCLIENTID", "GETHOSTBYADDR",
	"GETHOSTBYNAME", "GETHOSTID",    "GETHOSTNAME",  "GETIBMOPT",   "GETNAMEINFO",
	"GETPEERNAME",   "GETSOCKNAME",  "GETSOCKOPT",   "GIVESOCKET",  "INITAPI",
	"IOCTL",         "LISTEN",       "NTOP",         "PTON",        "READ",
	"READV",         "RECV",         "RECVFROM",     "RECVMSG",     "SELECT",
	"SELECTEX",      "SEND",         "SENDMSG",      "SENDTO",      "SETSOCKOPT",
	"SHUTDOWN",      "SOCKET",       "TAKESOCKET",   "TERMAPI",     "WRITE",
	"WRITEV",
};

/* Each is a function of EZASOKET, and each keyword a place of the program's that no other one has.
 */
static void test_types(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct smi_type *type = smi_type(names[i]);
		bool seen[sizeof(struct ezasmi)] = {false};

		assert_non_null(type);
		assert_string_equal(type->name, names[i]);
		assert_non_null(eza_function(type->name));
		for (int k = 0; k < SMI_KEYWORDS && type->keywords[k].kind; k++) {
			size_t at = type->keywords[k].offset;

			assert_true(at < sizeof(struct ezasmi) && at % sizeof(void *) == 0);
			assert_false(seen[at]);
			seen[at] = true;
			assert_true(type->keywords[k].size <= SMI_TEXT_MAX);
		}
	}
	assert_null(smi_type("INITAPIX"));
	assert_null(smi_type("send"));
	assert_null(smi_type(""));
	assert_null(eza_function("NOSUCHCALL"));
}

static void test_words(void **state)
{
	static const struct {
		size_t keyword;
		const char *word;
		int rc;
		unsigned int number;
	} words[] = {
		{offsetof(struct ezasmi, AF), "INET", 0, 2},
		{offsetof(struct ezasmi, AF), "INET6", 0, 19},
		{offsetof(struct ezasmi, AF), "19", 0, 19},
		{offsetof(struct ezasmi, OPTNAME), "SO_RCVTIMEO", 0, 0x1006},
		{offsetof(struct ezasmi, OPTNAME), "TCP_NODELAY", 0, 0x80000001},
		{offsetof(struct ezasmi, AF), "SO_RCVTIMEO", -EINVAL, 0},
		{offsetof(struct ezasmi, AF), "STREAM", -EINVAL, 0},
		{offsetof(struct ezasmi, SOCTYPE), "DATAGRAM", 0, 2},
		{offsetof(struct ezasmi, COMMAND), "FIONBIO", 0, 0x8004A77E},
		{offsetof(struct ezasmi, COMMAND), "0x8004A77E", 0, 0x8004A77E},
		{offsetof(struct ezasmi, OPTNAME), "TCP_NODELAY", 0, 0x80000001},
		{offsetof(struct ezasmi, OPTNAME), "4294967295", 0, 0xFFFFFFFF},
		{offsetof(struct ezasmi, OPTNAME), "4294967296", -EINVAL, 0},
		{offsetof(struct ezasmi, OPTNAME), "-1", -EINVAL, 0},
		{offsetof(struct ezasmi, OPTNAME), "4 ", -EINVAL, 0},
		{offsetof(struct ezasmi, OPTNAME), "", -EINVAL, 0},
		{offsetof(struct ezasmi, OPTNAME), (const char *)8, -EFAULT, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		int number = 0;

		assert_int_equal(smi_word(&number, words[i].keyword, words[i].word), words[i].rc);
		assert_int_equal((unsigned int)number, words[i].number);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
