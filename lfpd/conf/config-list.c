/* SPDX-License-Identifier: Apache-2.0 */
/* config-list.c - prints the parts of documents that come from tables of keys: the sample file, and
 * lists to compare the manuals with */
#include <stdio.h>
#include <string.h>

#include "lfpd/conf/config.h"

/* Prints the permitted values, for a reader of the sample. */
static void print_range(const struct lfp_field *field)
{
	switch (field->kind) {
	case LFP_FIELD_NUMBER:
	case LFP_FIELD_SIZE:
		printf("%u to %u", field->min, field->max);
		break;
	case LFP_FIELD_YESNO:
		fputs("yes or no", stdout);
		break;
	case LFP_FIELD_CHOICE:
		for (const char *c = field->choices; *c; c++)
			fputs(*c == ' ' ? ", " : (char[]){*c, '\0'}, stdout);
		break;
	default:
		break;
	}
}

static void print_sample(const struct lfp_field *fields, size_t nr)
{
	puts("# lfpd configuration file: the sample of IBM's presentation, and all other keys.\n"
	     "# Keys after a '#' are not set; the line shows the default.\n"
	     "# lfpd.conf(5) explains the keys; lfpd -n -f FILE checks a file.");
	for (size_t i = 0; i < nr; i++) {
		const struct lfp_field *field = &fields[i];
		bool ranged = field->kind == LFP_FIELD_NUMBER || field->kind == LFP_FIELD_SIZE ||
			      field->kind == LFP_FIELD_YESNO || field->kind == LFP_FIELD_CHOICE;

		if ((field->flags & LFP_FIELD_OURS) &&
		    (!i || !(fields[i - 1].flags & LFP_FIELD_OURS)))
			puts("\n# --- Keys of this lfpd that IBM's does not have ---");
		printf("\n# %s", field->doc);
		if (ranged) {
			fputs(" (", stdout);
			print_range(field);
			putchar(')');
		}
		putchar('\n');
		if (field->sample)
			printf("%s = %s\n", field->key, field->sample);
		else
			printf("#%s =%s%s\n", field->key, field->initial ? " " : "",
			       field->initial ? field->initial : "");
	}
}

/* Prints key, range, default, "live" or "start", "ours" or "IBM's", separated by tabs; "-" if a key
 * has no range or default. */
static void print_keys(const struct lfp_field *fields, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct lfp_field *field = &fields[i];
		bool number = field->kind == LFP_FIELD_NUMBER || field->kind == LFP_FIELD_SIZE;

		printf("%s\t", field->key);
		if (number)
			print_range(field);
		else if (field->kind == LFP_FIELD_CHOICE)
			fputs(field->choices, stdout);
		else
			putchar('-');
		printf("\t%s\t%s\t%s\n",
		       field->mandatory ? "mandatory"
		       : field->initial ? field->initial
					: "-",
		       field->flags & LFP_FIELD_LIVE ? "live" : "start",
		       field->flags & LFP_FIELD_OURS ? "ours" : "IBM's");
	}
}

/* Prints "statement" and the keyword of each z/VSE-side statement that comes from the
 * transports. */
static void print_statements(void)
{
	struct lfp_field fields[LFPD_KEYS_MAX];
	size_t nr = transport_fields(TRANSPORT_VSE, 0, fields, LFPD_KEYS_MAX);

	printf("statement\t%s\n", transport_choice_field(TRANSPORT_VSE, 0).key);
	for (size_t i = 0; i < nr && i < LFPD_KEYS_MAX; i++)
		printf("statement\t%s\n", fields[i].key);
}

int main(int argc, char **argv)
{
	const struct lfp_field *fields;
	size_t nr;

	fields = lfpd_config_fields(&nr);
	if (argc == 2 && !strcmp(argv[1], "sample"))
		print_sample(fields, nr);
	else if (argc != 2 || strcmp(argv[1], "keys"))
		return 64;
	else {
		print_keys(fields, nr);
		print_statements();
	}
	return 0;
}
