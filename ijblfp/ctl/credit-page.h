/* SPDX-License-Identifier: Apache-2.0 */
/* credit-page.h - the page of memory in which a program finds its credit */
#ifndef IJBLFP_CTL_CREDIT_PAGE_H
#define IJBLFP_CTL_CREDIT_PAGE_H

struct lfp_credit;

/* Makes a page whose file nobody can shorten, and maps it. Do not touch it before the file is
 * sealed: the program may punch a hole, and a page that the kernel cannot replace is a SIGBUS.
 * Returns the file or a negative errno. */
int credit_page_make(struct lfp_credit **page);

/* The program has mapped the page. From now on nobody can write to the file, map it for writing, or
 * punch a hole. Returns 0, or a negative errno, also if there is a hole already. */
int credit_page_seal(int file);

#endif
