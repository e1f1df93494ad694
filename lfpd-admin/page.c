/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - what a view has to show: text, a table, or both */
#include "lfpd-admin/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd-admin/text.h"

static void print_lines(const char *text, FILE *out)
{
	while (text && *text) {
		size_t len = strcspn(text, "\n");
		char *line = strndup(text, len);

		if (line)
			text_put(line, out);
		free(line);
		putc('\n', out);
		text += len + (text[len] == '\n');
	}
}

void page_print(const struct page *page, FILE *out)
{
	print_lines(page->head, out);
	if (page->head && page->rows.columns)
		putc('\n', out);
	if (page->rows.columns)
		rows_print(&page->rows, out);
	print_lines(page->foot, out);
}

void page_finish(struct page *page)
{
	free(page->head);
	free(page->foot);
	rows_finish(&page->rows);
	*page = (struct page){.head = NULL};
}

int page_text_begin(struct page_text *text)
{
	*text = (struct page_text){.text = NULL};
	text->out = open_memstream(&text->text, &text->len);
	return text->out ? 0 : -ENOMEM;
}

char *page_text_end(struct page_text *text)
{
	if (!fclose(text->out))
		return text->text;
	free(text->text);
	return NULL;
}
