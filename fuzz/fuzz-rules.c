/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-rules.c - any bytes as a file of rules; what the parser accepts must decide about every call
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/policy/known-names.h"
#include "lfpd/policy/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lfp_reader_error err = {.text = ""};
	struct known_names known;
	struct rules *rules = NULL;
	struct rules_question question = {.known = &known, .now = 1, .port = 443, .uid = 1000};
	char name[RULES_NAME_MAX];

	if (rules_parse(&rules, "rules", (const char *)data, size, &err) < 0) {
		if (!err.text[0] || strchr(err.text, '\n'))
			abort();
		return 0;
	}
	known_names_init(&known);
	if (size >= sizeof(question.addr))
		memcpy(&question.addr, data, sizeof(question.addr));
	/* The bytes also are a name, which the address has. */
	if (rules_name(name, (const char *)data, size < 64 ? size : 64)) {
		question.name = name;
		known_names_add(&known, name, &question.addr, 2, question.uid);
	}
	for (question.act = RULES_CONNECT; question.act <= RULES_LOOKUP; question.act *= 2) {
		question.protocol = RULES_TCP;
		if (!rules_decide(rules, &question).line)
			abort();
		question.protocol = RULES_UDP;
		if (!rules_decide(rules, &question).line)
			abort();
	}
	known_names_finish(&known);
	rules_free(rules);
	return 0;
}
