/* SPDX-License-Identifier: Apache-2.0 */
/* protocol-table.c - prints the messages as tables for docs/protocol.md, for the dissector and for
 * the manual; not installed */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lfp/frame.h"

/* The name of each message's body: the tables of frame.c hold only its fields. */
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

/* Range of the field, if it is smaller than that of its kind. */
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

/* A name that C has taken ends with "_" there. */
static int name_length(const char *name)
{
	size_t len = strlen(name);

	while (len && name[len - 1] == '_')
		len--;
	return (int)len;
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

		printf("| %s | %.*s | ", field->kind, name_length(field->name), field->name);
		print_range(field);
		printf(" | %s |\n", field->text);
	}
}

static void print_kept(void)
{
	printf("| code | message | feature bit | reserved for |\n|---|---|---|---|\n");
	for (size_t i = 0; i < COUNT(kept); i++)
		printf("| 0x%02x | %s | %u | %s |\n", kept[i].code, kept[i].name, kept[i].feature,
		       kept[i].text);
}

static void print_markdown(void)
{
	printf("\n### Messages\n\n");
	print_messages();
	printf("\n### Bodies\n\nFields stand in the order on the wire, with nothing between "
	       "them.\n");
	for (size_t i = 0; i < COUNT(bodies); i++)
		if (strcmp(bodies[i], "empty") != 0)
			print_body(bodies[i]);
	printf("\n### Reserved codes\n\n");
	print_kept();
	printf("\n");
}

static const struct lfp_message *first_with(const char *body)
{
	const struct lfp_message *message;

	for (size_t i = 0; (message = lfp_message_at(i)); i++)
		if (strcmp(body_name(message->code), body) == 0)
			return message;
	return NULL;
}

static void print_lua(void)
{
	const struct lfp_message *message;

	printf("local messages = {\n");
	for (size_t i = 0; (message = lfp_message_at(i)); i++)
		printf("\t[0x%02x] = { name = \"%s\", body = \"%s\" },\n", message->code,
		       message->name, body_name(message->code));
	printf("}\nlocal messages_data = 0x%02x\nlocal bodies = {\n", LFP_DATA);
	for (size_t i = 0; i < COUNT(bodies); i++) {
		message = first_with(bodies[i]);
		printf("\t%s = {\n", bodies[i]);
		for (size_t f = 0; message && f < message->nr_fields; f++) {
			const struct lfp_message_field *field = &message->fields[f];

			printf("\t\t{ kind = \"%s\", name = \"%.*s\"", field->kind,
			       name_length(field->name), field->name);
			/* Lua's numbers hold 53 bits; a u64 has no other range than its own. */
			if (is_kind(field, "i32") ||
			    (*field->kind == 'u' && !is_kind(field, "u64")))
				printf(", min = %" PRId64 ", max = %" PRId64, field->min,
				       (int64_t)field->max);
			printf(" },\n");
		}
		printf("\t},\n");
	}
	printf("}\n");
}

/* Prints a sentence in lines of at most 78 letters; no line begins with an mdoc request. */
static void print_filled(const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (column && column + 1 + len > 78) {
			putchar('\n');
			column = 0;
		}
		printf("%s%.*s", column ? " " : "", (int)len, text);
		column += len + (column ? 1 : 0);
		text += len + (text[len] == ' ');
	}
}

static void print_mdoc(void)
{
	const struct lfp_message *message;

	printf(".Bl -tag -width Ds\n");
	for (size_t i = 0; (message = lfp_message_at(i)); i++) {
		printf(".It %s ( 0x%02x , from %s", message->name, message->code,
		       from_text(message->from));
		if (message->needs) {
			printf(" ; ");
			print_needs(message->needs);
		}
		printf(" )\n");
		print_filled(message->text);
		printf("%s", *message->text ? ".\n" : "");
		if (message->nr_fields)
			printf(".br\nBody:\n.Em %s .\n", body_name(message->code));
	}
	printf(".El\n.Ss Bodies\n");
	for (size_t i = 0; i < COUNT(bodies); i++) {
		message = first_with(bodies[i]);
		if (!message || !message->nr_fields)
			continue;
		printf(".Bl -tag -width Ds -compact\n.It Em %s\n", bodies[i]);
		for (size_t f = 0; f < message->nr_fields; f++) {
			const struct lfp_message_field *field = &message->fields[f];

			char line[512];

			snprintf(line, sizeof(line), "%s %.*s%s%s", field->kind,
				 name_length(field->name), field->name, *field->text ? ": " : "",
				 field->text);
			printf("%s", f ? ".br\n" : "");
			print_filled(line);
			putchar('\n');
		}
		printf(".El\n");
	}
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "markdown";

	if (!strcmp(what, "lua"))
		print_lua();
	else if (!strcmp(what, "mdoc"))
		print_mdoc();
	else
		print_markdown();
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
