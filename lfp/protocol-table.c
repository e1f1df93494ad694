/* SPDX-License-Identifier: Apache-2.0 */
/* protocol-table.c - prints the messages as the tables in docs/protocol.md; not installed */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lfp/frame.h"

/* Which body a message has, by name: the tables of frame.c have only its fields. */
static const struct {
	const char *name;
	uint8_t code;
} body_of[] = {
#define BODY_OF(NAME, body_, code_, from, needs, text) {#body_, code_},
	LFP_MESSAGES(BODY_OF)
#undef BODY_OF
};

static const char *const bodies[] = {
#define BODY(name) #name,
	LFP_BODIES(BODY)
#undef BODY
};

static const struct {
	uint8_t code;
	const char *name;
	unsigned int feature;
	const char *text;
} kept[] = {
#define KEPT(code_, name_, feature_, text_) {code_, #name_, feature_, text_},
	LFP_KEPT_MESSAGES(KEPT)
#undef KEPT
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *body_name(uint8_t code)
{
	for (size_t i = 0; i < COUNT(body_of); i++)
		if (body_of[i].code == code)
			return body_of[i].name;
	return "?";
}

static const char *from_text(uint8_t from)
{
	switch ((enum lfp_side)from) {
	case LFP_FROM_VSE:
		return "z/VSE";
	case LFP_FROM_LFPD:
		return "lfpd";
	case LFP_FROM_BOTH:
		return "both";
	}
	return "?";
}

static void print_needs(uint8_t needs)
{
	static const struct {
		uint8_t bit;
		const char *name;
	} words[] = {
		{LFP_NEEDS_SOCKET, "socket"},
		{LFP_NEEDS_REQUEST, "request"},
		{LFP_NEEDS_TASK, "task"},
	};
	const char *between = "";

	for (size_t i = 0; i < COUNT(words); i++)
		if (needs & words[i].bit) {
			printf("%s%s", between, words[i].name);
			between = ", ";
		}
}

static void print_messages(void)
{
	const struct lfp_message *message;

	printf("| code | message | from | needs | body | meaning |\n|---|---|---|---|---|---|\n");
	for (size_t i = 0; (message = lfp_message_at(i)); i++) {
		const char *body = body_name(message->code);

		printf("| 0x%02x | %s | %s | ", message->code, message->name,
		       from_text(message->from));
		print_needs(message->needs);
		printf(" | %s | %s |\n", message->nr_fields ? body : "", message->text);
	}
}

static bool is_kind(const struct lfp_message_field *field, const char *kind)
{
	return strcmp(field->kind, kind) == 0;
}

/* What may be in the field, if it is less than its kind can hold. */
static void print_range(const struct lfp_message_field *field)
{
	static const struct {
		const char *kind;
		int64_t min;
		uint64_t max;
	} whole[] = {
		{"u8", 0, UINT8_MAX},   {"u16", 0, UINT16_MAX},        {"u32", 0, UINT32_MAX},
		{"u64", 0, UINT64_MAX}, {"i32", INT32_MIN, INT32_MAX},
	};

	if (is_kind(field, "name8") || is_kind(field, "addr"))
		return;
	for (size_t i = 0; i < COUNT(whole); i++)
		if (is_kind(field, whole[i].kind) && field->min == whole[i].min &&
		    field->max == whole[i].max)
			return;
	if (is_kind(field, "text"))
		printf("at most %" PRIu64 " bytes", field->max);
	else if (is_kind(field, "u64") && field->max == UINT64_MAX)
		printf("at least %" PRId64, field->min);
	else
		printf("%" PRId64 " to %" PRId64 "%s", field->min, (int64_t)field->max,
		       is_kind(field, "bytes") ? " bytes" : "");
}

static void print_body(const char *body)
{
	const struct lfp_message *message, *first = NULL;
	const char *between = "";

	printf("\n**%s** (", body);
	for (size_t i = 0; (message = lfp_message_at(i)); i++) {
		if (strcmp(body_name(message->code), body) != 0)
			continue;
		printf("%s%s", between, message->name);
		between = ", ";
		if (!first)
			first = message;
	}
	printf(")\n\n| kind | field | range | meaning |\n|---|---|---|---|\n");
	for (size_t i = 0; first && i < first->nr_fields; i++) {
		const struct lfp_message_field *field = &first->fields[i];
		size_t len = strlen(field->name);

		/* A name that C has taken ends with "_" there. */
		while (len && field->name[len - 1] == '_')
			len--;
		printf("| %s | %.*s | ", field->kind, (int)len, field->name);
		print_range(field);
		printf(" | %s |\n", field->text);
	}
}

static void print_kept(void)
{
	printf("| code | message | feature bit | what it will carry |\n|---|---|---|---|\n");
	for (size_t i = 0; i < COUNT(kept); i++)
		printf("| 0x%02x | %s | %u | %s |\n", kept[i].code, kept[i].name, kept[i].feature,
		       kept[i].text);
}

int main(void)
{
	printf("\n### Messages\n\n");
	print_messages();
	printf("\n### Bodies\n\nFields stand in the order on the wire, with nothing between "
	       "them.\n");
	for (size_t i = 0; i < COUNT(bodies); i++)
		if (strcmp(bodies[i], "empty") != 0)
			print_body(bodies[i]);
	printf("\n### Codes that are kept\n\n");
	print_kept();
	printf("\n");
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
