/* SPDX-License-Identifier: Apache-2.0 */
/* interface-inner.h - what the readers of Linux's definitions share */
#ifndef DEVEMU_HIPERSOCKETS_INTERFACE_INNER_H
#define DEVEMU_HIPERSOCKETS_INTERFACE_INNER_H

#include "devemu/hipersockets/interface.h"

enum { LINE_WORDS = 32 };

/* The words of a line, of which there is at least one. */
struct interface_line {
	struct word word[LINE_WORDS];
	unsigned int words, next;
};

/* All return 0, or -EINVAL with the error of @words filled. */

/* The next word of the line, which has to be there. */
int line_word(struct words *words, struct interface_line *line, const char *wanted,
	      struct word **word);

/* Finds the interface, or adds it. */
int interface_find(struct words *words, struct linux_side *side, const struct word *name,
		   struct linux_interface **interface);

/* Set one value, which may have been set before to the same. @what is for the error. */
int interface_set(struct words *words, const struct word_place *at, struct interface_value *to,
		  const char *what, uint32_t value);
int interface_set_address(struct words *words, const struct word_place *at,
			  struct interface_value *to, const char *what, const char *text);
int interface_set_mask(struct words *words, const struct word_place *at, struct interface_value *to,
		       const char *text);
int interface_set_number(struct words *words, const struct word_place *at,
			 struct interface_value *to, const char *what, const char *text,
			 unsigned long min, unsigned long max);

/* Lines of the three forms. */
int ifcfg_line(struct words *words, struct linux_interface *interface, struct interface_line *line);
int ifconfig_command(struct words *words, struct linux_side *side, struct interface_line *line);
int route_command(struct words *words, struct linux_side *side, struct interface_line *line);

/* Whether the line is the first one of a display of ifconfig. */
bool is_display(const struct interface_line *line);
int display_line(struct words *words, struct linux_interface *interface,
		 struct interface_line *line);

#endif
