/* SPDX-License-Identifier: Apache-2.0 */
/* test-dns-message.c - queries of programs, and answers of name servers */
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lfp/bigend.h"
#include "lfpd/policy/dns-message.h"
#include "lfpd/policy/dns-stream.h"

struct message {
	uint8_t bytes[4096];
	size_t len;
};

static void put(struct message *msg, const void *bytes, size_t len)
{
	assert_true(msg->len + len <= sizeof(msg->bytes));
	memcpy(msg->bytes + msg->len, bytes, len);
	msg->len += len;
}

static void put16(struct message *msg, uint16_t value)
{
	uint8_t bytes[2];

	be16_put(bytes, value);
	put(msg, bytes, sizeof(bytes));
}

static void put_name(struct message *msg, const char *name)
{
	while (*name) {
		size_t len = strcspn(name, ".");
		uint8_t label = (uint8_t)len;

		put(msg, &label, 1);
		put(msg, name, len);
		name += len + (name[len] == '.');
	}
	put(msg, "", 1);
}

static struct message begin(uint16_t id, uint16_t flags, uint16_t answers, const char *name,
			    uint16_t type)
{
	struct message msg = {.len = 0};

	put16(&msg, id);
	put16(&msg, flags);
	put16(&msg, 1);
	put16(&msg, answers);
	put16(&msg, 0);
	put16(&msg, 0);
	put_name(&msg, name);
	put16(&msg, type);
	put16(&msg, ns_c_in);
	return msg;
}

static struct message query_for(const char *name, uint16_t type)
{
	return begin(7, 0x0100, 0, name, type);
}

static void put_record(struct message *msg, const char *owner, uint16_t type, uint16_t ttl,
		       const void *data, size_t len)
{
	put_name(msg, owner);
	put16(msg, type);
	put16(msg, ns_c_in);
	put16(msg, 0);
	put16(msg, ttl);
	put16(msg, (uint16_t)len);
	put(msg, data, len);
}

static void put_alias(struct message *msg, const char *owner, uint16_t ttl, const char *to)
{
	struct message name = {.len = 0};

	put_name(&name, to);
	put_record(msg, owner, ns_t_cname, ttl, name.bytes, name.len);
}

static void put_v4(struct message *msg, const char *owner, uint16_t ttl, const char *text)
{
	struct in_addr addr;

	assert_int_equal(inet_pton(AF_INET, text, &addr), 1);
	put_record(msg, owner, ns_t_a, ttl, &addr, sizeof(addr));
}

static void put_v6(struct message *msg, const char *owner, uint16_t ttl, const char *text)
{
	struct in6_addr addr;

	assert_int_equal(inet_pton(AF_INET6, text, &addr), 1);
	put_record(msg, owner, ns_t_aaaa, ttl, &addr, sizeof(addr));
}

static struct dns_question question_of(const char *name, uint16_t type)
{
	struct message query = query_for(name, type);
	struct dns_question question;

	assert_true(dns_read_query(query.bytes, query.len, &question));
	return question;
}

static void has(const struct dns_answer *answer, unsigned int i, const char *text)
{
	struct in6_addr addr;

	assert_true(i < answer->nr);
	assert_int_equal(inet_pton(AF_INET6, text, &addr), 1);
	assert_memory_equal(&answer->addrs[i], &addr, sizeof(addr));
}

static void queries(void **state)
{
	struct message query = query_for("WWW.Example.org", ns_t_a);
	struct dns_question question;

	(void)state;
	assert_true(dns_read_query(query.bytes, query.len, &question));
	assert_string_equal(question.name, "www.example.org");
	assert_int_equal(question.type, ns_t_a);
	assert_int_equal(question.id, 7);
	assert_int_equal(question.end, query.len);
	for (size_t len = 0; len < query.len; len++)
		assert_false(dns_read_query(query.bytes, len, &question));
	/* A server could take what follows for a second query. */
	put(&query, "", 1);
	assert_false(dns_read_query(query.bytes, query.len, &question));
	/* options of EDNS */
	query = query_for("www.example.org", ns_t_aaaa);
	put_record(&query, "", ns_t_opt, 0, "", 0);
	query.bytes[11] = 1;
	assert_true(dns_read_query(query.bytes, query.len, &question));
	assert_true(question.end < query.len);
	query.bytes[11] = 2;
	put_record(&query, "", ns_t_opt, 0, "", 0);
	assert_false(dns_read_query(query.bytes, query.len, &question));
	/* too long to be read by eye, and by us */
	query = query_for("www.example.org", ns_t_a);
	query.bytes[11] = 1;
	put_record(&query, "", ns_t_opt, 0, (uint8_t[DNS_QUERY_MAX]){0}, DNS_QUERY_MAX);
	assert_false(dns_read_query(query.bytes, query.len, &question));
}

static void no_queries(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
	} faults[] = {
		{2, 0x81}, /* an answer */
		{2, 0x29}, /* an update */
		{5, 0},    /* no question */
		{5, 2},    /* two questions */
		{7, 1},    /* an answer within */
		{9, 1},    /* an authority within */
		{12, 0xc0} /* a pointer */,
	};
	struct dns_question question;

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct message query = query_for("www.example.org", ns_t_a);

		query.bytes[faults[i].at] = faults[i].value;
		assert_false(dns_read_query(query.bytes, query.len, &question));
	}
}

/* Rules cannot name them, and nothing is learnt for them. */
static void names_that_rules_lack(void **state)
{
	static const char *const names[] = {"", "a b.example", "x\x01.example", "\xc3\xbc.example"};
	struct dns_answer answer;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct dns_question question = question_of(names[i], ns_t_a);
		struct message reply = begin(7, 0x8180, 1, names[i], ns_t_a);

		assert_string_equal(question.name, "");
		put_v4(&reply, names[i], 60, "203.0.113.5");
		assert_true(dns_read_answer(reply.bytes, reply.len, &question, &answer));
		assert_int_equal(answer.nr, 0);
	}
	/* A dot within a label is no dot between labels. */
	struct message query = query_for("wwwxexample.org", ns_t_a);
	struct dns_question question;

	query.bytes[12 + 1 + 3] = '.';
	assert_true(dns_read_query(query.bytes, query.len, &question));
	assert_string_equal(question.name, "");
}

static void answers(void **state)
{
	struct dns_question question = question_of("www.example.org", ns_t_a);
	struct message reply = begin(7, 0x8180, 5, "WWW.example.ORG", ns_t_a);
	struct dns_answer answer;

	(void)state;
	/* in any order */
	put_v4(&reply, "end.example.net", 60, "203.0.113.5");
	put_v4(&reply, "other.example.net", 60, "203.0.113.9");
	put_alias(&reply, "middle.example.com", 50, "END.example.net");
	put_alias(&reply, "www.Example.org", 70, "middle.example.com");
	put_v4(&reply, "end.example.net", 65, "203.0.113.6");
	assert_true(dns_read_answer(reply.bytes, reply.len, &question, &answer));
	assert_int_equal(answer.nr, 2);
	assert_int_equal(answer.ttl, 50);
	has(&answer, 0, "::ffff:203.0.113.5");
	has(&answer, 1, "::ffff:203.0.113.6");
	for (size_t len = 0; len < reply.len; len++)
		assert_false(dns_read_answer(reply.bytes, len, &question, &answer));

	question = question_of("www.example.org", ns_t_aaaa);
	reply = begin(7, 0x8180, 2, "www.example.org", ns_t_aaaa);
	put_v4(&reply, "www.example.org", 60, "203.0.113.5"); /* of another type */
	put_v6(&reply, "www.example.org", 60, "2001:db8::5");
	assert_true(dns_read_answer(reply.bytes, reply.len, &question, &answer));
	assert_int_equal(answer.nr, 1);
	has(&answer, 0, "2001:db8::5");

	question = question_of("www.example.org", ns_t_any);
	reply = begin(7, 0x8180, 2, "www.example.org", ns_t_any);
	put_v4(&reply, "www.example.org", 60, "203.0.113.5");
	put_v6(&reply, "www.example.org", 60, "2001:db8::5");
	assert_true(dns_read_answer(reply.bytes, reply.len, &question, &answer));
	assert_int_equal(answer.nr, 2);
}

static void no_answers(void **state)
{
	struct dns_question question = question_of("www.example.org", ns_t_a);
	struct message reply = begin(7, 0x8183, 1, "www.example.org", ns_t_a);
	struct dns_answer answer;

	(void)state;
	put_v4(&reply, "www.example.org", 60, "203.0.113.5"); /* that the name does not exist */
	assert_true(dns_read_answer(reply.bytes, reply.len, &question, &answer));
	assert_int_equal(answer.nr, 0);
	reply.bytes[3] = 0x80;
	assert_true(dns_read_answer(reply.bytes, reply.len, &question, &answer));
	assert_int_equal(answer.nr, 1);
	reply.bytes[1]++; /* another id */
	assert_false(dns_read_answer(reply.bytes, reply.len, &question, &answer));
	reply.bytes[1]--;
	reply.bytes[2] = 0x01; /* a query */
	assert_false(dns_read_answer(reply.bytes, reply.len, &question, &answer));
	/* another question */
	reply = begin(7, 0x8180, 1, "evil.example.net", ns_t_a);
	put_v4(&reply, "www.example.org", 60, "203.0.113.5");
	assert_false(dns_read_answer(reply.bytes, reply.len, &question, &answer));
	reply = begin(7, 0x8180, 1, "www.example.org", ns_t_aaaa);
	put_v4(&reply, "www.example.org", 60, "203.0.113.5");
	assert_false(dns_read_answer(reply.bytes, reply.len, &question, &answer));
	/* another owner, a circle of aliases, an address of another size */
	reply = begin(7, 0x8180, 1, "www.example.org", ns_t_a);
	put_v4(&reply, "example.org", 60, "203.0.113.5");
	assert_true(dns_read_answer(reply.bytes, reply.len, &question, &answer));
	assert_int_equal(answer.nr, 0);
	reply = begin(7, 0x8180, 2, "www.example.org", ns_t_a);
	put_alias(&reply, "www.example.org", 60, "a.example.org");
	put_alias(&reply, "a.example.org", 60, "www.example.org");
	assert_true(dns_read_answer(reply.bytes, reply.len, &question, &answer));
	assert_int_equal(answer.nr, 0);
	reply = begin(7, 0x8180, 1, "www.example.org", ns_t_a);
	put_record(&reply, "www.example.org", ns_t_a, 60, "12345", 5);
	assert_true(dns_read_answer(reply.bytes, reply.len, &question, &answer));
	assert_int_equal(answer.nr, 0);
}

static void addresses_are_bounded(void **state)
{
	struct dns_question question = question_of("a.b", ns_t_a);
	struct message reply = begin(7, 0x8180, 2 * DNS_ADDRS_MAX, "a.b", ns_t_a);
	struct dns_answer answer;

	(void)state;
	for (unsigned int i = 0; i < 2 * DNS_ADDRS_MAX; i++)
		put_v4(&reply, "a.b", 60, "203.0.113.5");
	assert_true(dns_read_answer(reply.bytes, reply.len, &question, &answer));
	assert_int_equal(answer.nr, DNS_ADDRS_MAX);
}

static void own_answers(void **state)
{
	struct message query = query_for("www.example.org", ns_t_a);
	struct dns_question question;
	uint8_t out[DNS_QUERY_MAX];
	struct dns_answer answer;
	size_t len;

	(void)state;
	put_record(&query, "", ns_t_opt, 0, "", 0);
	query.bytes[11] = 1;
	assert_true(dns_read_query(query.bytes, query.len, &question));
	len = dns_write_nxdomain(out, query.bytes, &question);
	assert_int_equal(len, question.end);
	assert_true(dns_read_answer(out, len, &question, &answer));
	assert_int_equal(answer.nr, 0);
	assert_int_equal(be16_get(out + 2), 0x8183);
}

static void put_framed(struct message *stream, const struct message *msg)
{
	put16(stream, (uint16_t)msg->len);
	put(stream, msg->bytes, msg->len);
}

/* Answers on a connection, split at any place: in two, and in pieces of one size. */
static void answers_on_a_connection(void **state)
{
	struct message first = begin(7, 0x8180, 1, "www.example.org", ns_t_a);
	struct message second = begin(8, 0x8180, 1, "b.example.org", ns_t_a);
	struct message all = {.len = 0}, empty = {.len = 0};

	(void)state;
	put_v4(&first, "www.example.org", 60, "203.0.113.5");
	put_v4(&second, "b.example.org", 60, "203.0.113.6");
	put_framed(&all, &first);
	put_framed(&all, &empty);
	put_framed(&all, &second);
	for (size_t piece = 1; piece <= all.len; piece++) {
		for (int twice = 0; twice <= 1; twice++) {
			struct dns_stream stream = {.nr_head = 0};
			const char *names[2] = {"www.example.org", "b.example.org"};
			struct dns_question question;
			struct dns_answer answer;
			unsigned int nr = 0;

			for (size_t at = 0, n; at < all.len; at += n) {
				const uint8_t *bytes = all.bytes + at;
				size_t left;

				n = twice && at ? all.len - at : piece;
				if (n > all.len - at)
					n = all.len - at;
				left = n;
				while (dns_stream_take(&stream, &bytes, &left)) {
					assert_true(nr < 2);
					assert_true(dns_read_stated_answer(stream.msg, stream.len,
									   &question, &answer));
					assert_string_equal(question.name, names[nr]);
					assert_int_equal(answer.nr, 1);
					assert_int_equal(answer.addrs[0].s6_addr[15], 5 + nr);
					nr++;
				}
				assert_int_equal(left, 0);
			}
			assert_int_equal(nr, 2);
			dns_stream_finish(&stream);
		}
	}
}

/* A message that is too long is passed over, and takes no memory. */
static void long_messages_are_passed_over(void **state)
{
	static const uint8_t zeros[DNS_STREAM_MAX + 1];
	struct message answer = begin(7, 0x8180, 0, "a.b", ns_t_a), framed = {.len = 0}, head;
	struct dns_stream stream = {.nr_head = 0};
	const uint8_t *bytes;
	size_t left;

	(void)state;
	head.len = 0;
	put16(&head, DNS_STREAM_MAX + 1);
	bytes = head.bytes;
	left = head.len;
	assert_false(dns_stream_take(&stream, &bytes, &left));
	bytes = zeros;
	left = sizeof(zeros);
	assert_false(dns_stream_take(&stream, &bytes, &left));
	assert_int_equal(left, 0);
	assert_null(stream.msg);
	put_framed(&framed, &answer);
	bytes = framed.bytes;
	left = framed.len;
	assert_true(dns_stream_take(&stream, &bytes, &left));
	assert_int_equal(stream.len, answer.len);
	assert_memory_equal(stream.msg, answer.bytes, answer.len);
	dns_stream_finish(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries),
		cmocka_unit_test(no_queries),
		cmocka_unit_test(names_that_rules_lack),
		cmocka_unit_test(answers),
		cmocka_unit_test(no_answers),
		cmocka_unit_test(addresses_are_bounded),
		cmocka_unit_test(own_answers),
		cmocka_unit_test(answers_on_a_connection),
		cmocka_unit_test(long_messages_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
