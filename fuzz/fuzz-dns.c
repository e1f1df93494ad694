/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-dns.c - any bytes as a query of a program, and as the answer of a name server to it */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/policy/dns-message.h"
#include "lfpd/policy/dns-stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_query(const uint8_t *data, size_t size)
{
	struct dns_question question, again;
	uint8_t out[DNS_QUERY_MAX];
	struct dns_answer answer;
	char name[RULES_NAME_MAX];
	size_t len;

	if (!dns_read_query(data, size, &question))
		return;
	if (question.end > size ||
	    (*question.name && !rules_name(name, question.name, strlen(question.name))))
		abort();
	/* Its own answer answers it, and is no query. */
	len = dns_write_nxdomain(out, data, &question);
	if (!dns_read_answer(out, len, &question, &answer) || answer.nr ||
	    dns_read_query(out, len, &again))
		abort();
}

/* Takes messages from pieces of @piece bytes. Returns a hash of them. */
static uint64_t take(const uint8_t *data, size_t size, size_t piece)
{
	struct dns_stream stream = {.nr_head = 0};
	uint64_t hash = 0xcbf29ce484222325u;
	struct dns_question question;
	struct dns_answer answer;

	while (size) {
		size_t left = piece < size ? piece : size;
		const uint8_t *bytes = data;

		data += left;
		size -= left;
		while (dns_stream_take(&stream, &bytes, &left)) {
			if (stream.len > DNS_STREAM_MAX)
				abort();
			(void)dns_read_stated_answer(stream.msg, stream.len, &question, &answer);
			for (size_t i = 0; i < stream.len; i++)
				hash = (hash ^ stream.msg[i]) * 0x100000001b3u;
			hash = (hash ^ stream.len) * 0x100000001b3u;
		}
		if (left)
			abort();
	}
	dns_stream_finish(&stream);
	return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dns_question question = {.id = 0x1234, .type = 1, .class_ = 1};
	struct dns_answer answer;

	check_query(data, size);
	/* The pieces of a connection make no difference. */
	if (take(data, size, size) != take(data, size, 1) ||
	    take(data, size, size) != take(data, size, 7))
		abort();
	strcpy(question.name, "www.example.org");
	if (dns_read_answer(data, size, &question, &answer) && answer.nr > DNS_ADDRS_MAX)
		abort();
	/* Any question that the answer could have. */
	if (size >= 4) {
		memcpy(&question.type, data, 2);
		question.id = (uint16_t)(data[0] << 8 | data[1]);
		*question.name = '\0';
		(void)dns_read_answer(data, size, &question, &answer);
	}
	return 0;
}
