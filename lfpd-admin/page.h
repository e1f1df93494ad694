/* SPDX-License-Identifier: Apache-2.0 */
/* page.h - what a view has to show: text, a table, or both */
#ifndef LFPD_ADMIN_PAGE_H
#define LFPD_ADMIN_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "lfpd-admin/rows.h"

struct page {
	char *head;                   /* lines of text above the table, or NULL */
	struct rows rows;             /* no columns: no table */
	const char *const *important; /* columns that a narrow screen shows first, or NULL */
	char *foot;                   /* lines below the table, or NULL */
};

void page_print(const struct page *page, FILE *out);
void page_finish(struct page *page);

/* Text that is written line by line, and becomes a page's head or foot. */
struct page_text {
	char *text;
	size_t len;
	FILE *out;
};

/* Returns 0 or -ENOMEM. */
int page_text_begin(struct page_text *text);

/* Returns the text, or NULL without memory. */
char *page_text_end(struct page_text *text);

#endif
