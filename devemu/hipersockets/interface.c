/* SPDX-License-Identifier: Apache-2.0 */
/* interface.c - reads Linux's definitions of HiperSockets, line by line */
#include "devemu/hipersockets/interface.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "devemu/hipersockets/address.h"
#include "devemu/hipersockets/interface-inner.h"
#include "lfp/number.h"

int line_word(struct words *words, struct interface_line *line, const char *wanted,
	      struct word **word)
{
	if (line->next == line->words) {
		const struct word *last = &line->word[line->words - 1];
		struct word_place at = last->at;

		at.column += (int)strlen(last->text);
		return words_fail(words, &at, "the line ends where %s is needed", wanted);
	}
	*word = &line->word[line->next++];
	return 0;
}

static bool is_interface_name(const char *text)
{
	const size_t len = strlen(text);

	if (!len || len >= INTERFACE_NAME || !isalpha((unsigned char)text[0]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("._-", text[i]))
			return false;
	return true;
}

int interface_find(struct words *words, struct linux_side *side, const struct word *name,
		   struct linux_interface **interface)
{
	if (!is_interface_name(name->text))
		return words_fail(words, &name->at, "'%s' is not the name of an interface",
				  name->text);
	for (unsigned int i = 0; i < side->interfaces; i++)
		if (!strcmp(side->interface[i].name, name->text)) {
			*interface = &side->interface[i];
			return 0;
		}
	if (side->interfaces == INTERFACES)
		return words_fail(words, &name->at, "more than %d interfaces", INTERFACES);
	*interface = &side->interface[side->interfaces++];
	(*interface)->at = name->at;
	strcpy((*interface)->name, name->text);
	return 0;
}

int interface_set(struct words *words, const struct word_place *at, struct interface_value *to,
		  const char *what, uint32_t value)
{
	if (to->at.line && to->value != value)
		return words_fail(words, at, "%s differs from the one at %.100s:%d:%d", what,
				  to->at.file, to->at.line, to->at.column);
	if (!to->at.line)
		*to = (struct interface_value){*at, value};
	return 0;
}

int interface_set_address(struct words *words, const struct word_place *at,
			  struct interface_value *to, const char *what, const char *text)
{
	uint32_t address;

	if (address_read(text, &address) < 0)
		return words_fail(words, at, "'%s' is not %s", text, what);
	return interface_set(words, at, to, what, address);
}

int interface_set_mask(struct words *words, const struct word_place *at, struct interface_value *to,
		       const char *text)
{
	uint32_t mask;

	if (mask_read(text, &mask) < 0)
		return words_fail(words, at, "'%s' is not a netmask", text);
	return interface_set(words, at, to, "the netmask", mask);
}

int interface_set_number(struct words *words, const struct word_place *at,
			 struct interface_value *to, const char *what, const char *text,
			 unsigned long min, unsigned long max)
{
	unsigned long value;

	if (lfp_number(text, min, max, &value) < 0)
		return words_fail(words, at, "'%s' is not %s from %lu to %lu", text, what, min,
				  max);
	return interface_set(words, at, to, what, (uint32_t)value);
}

/* Reads a line that has words. Return: 1, 0 at the end of the file, or an error. */
static int read_line(struct words *words, struct interface_line *line)
{
	struct word word;
	int kind;

	line->words = line->next = 0;
	for (;;) {
		kind = words_next(words, &word);
		if (kind < 0)
			return kind;
		if (kind == WORD_PLAIN && line->words == LINE_WORDS)
			return words_fail(words, &word.at, "the line has more than %d words",
					  LINE_WORDS);
		if (kind == WORD_PLAIN)
			line->word[line->words++] = word;
		if (kind == WORD_END)
			return line->words > 0;
		if (kind == WORD_LINE_END && line->words)
			return 1;
	}
}

/* The part of a path behind the last slash. */
static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

struct display {
	struct linux_interface *interface; /* of the display that goes on, or NULL */
};

static int other_line(struct words *words, struct linux_side *side, struct display *display,
		      struct interface_line *line)
{
	const bool indented = line->word[0].at.column > 1;
	const char *command;
	int rc;

	if (indented && display->interface)
		return display_line(words, display->interface, line);
	display->interface = NULL;
	if (is_display(line)) {
		rc = interface_find(words, side, &line->word[line->next++], &display->interface);
		return rc < 0 ? rc : display_line(words, display->interface, line);
	}
	if (!strcmp(line->word[0].text, "sudo") && line->words > 1)
		line->next++;
	command = base_of(line->word[line->next++].text);
	if (!strcmp(command, "ifconfig"))
		return ifconfig_command(words, side, line);
	if (!strcmp(command, "route"))
		return route_command(words, side, line);
	return words_fail(words, &line->word[line->next - 1].at,
			  "'%s' is neither ifconfig nor route, and no display of ifconfig",
			  line->word[line->next - 1].text);
}

int linux_side_read(struct linux_side *side, const char *name, FILE *file,
		    struct lfp_reader_error *err)
{
	static const char prefix[] = "ifcfg-";
	const char *base = base_of(name);
	const bool ifcfg = !strncmp(base, prefix, sizeof(prefix) - 1);
	struct linux_interface *interface = NULL;
	struct display display = {0};
	struct interface_line line;
	struct words words;
	int rc = 0;

	words_begin(&words, name, file, '#', ifcfg, err);
	if (ifcfg) {
		struct word word = {.at = {name, 1, 1}};

		snprintf(word.text, sizeof(word.text), "%s", base + sizeof(prefix) - 1);
		rc = interface_find(&words, side, &word, &interface);
	}
	while (rc == 0 && (rc = read_line(&words, &line)) > 0)
		rc = ifcfg ? ifcfg_line(&words, interface, &line)
			   : other_line(&words, side, &display, &line);
	return rc;
}
