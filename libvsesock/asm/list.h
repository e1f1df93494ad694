/* SPDX-License-Identifier: Apache-2.0 */
/* list.h - the parameter list of a macro statement in an assembler program */
#ifndef VSESOCK_ASM_LIST_H
#define VSESOCK_ASM_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Theory of operation
 *
 * vseasm(1) makes a list of each EZASMI and SOCKET statement (vseasm/call.py): fullwords, of which
 * the first is the address of a descriptor in ASCII, "SEND S=a NBYTE=n BUF=a", and the others are
 * one for each keyword, in that order. All addresses have 31 bits. This is ours; IBM does not
 * document its lists.
 *
 * Numbers are those of the machine, so lists are for programs on s390x.
 */

#define ASM_OPERANDS 20
#define ASM_WORDS    2
#define ASM_NAME     15 /* characters of a word or keyword */

enum asm_form {
	ASM_ADDRESS = 'a', /* of the value, which is in the program's form */
	ASM_WORD = 'w',    /* of a word in ASCII, ended by NUL */
	ASM_NUMBER = 'n',  /* of a fullword */
};

struct asm_operand {
	char keyword[ASM_NAME + 1];
	enum asm_form form;
	void *at;
};

struct asm_list {
	char words[ASM_WORDS][ASM_NAME + 1]; /* "" if there are fewer */
	struct asm_operand operands[ASM_OPERANDS];
	int nr;
};

/* Reads a list. Returns 0, -EFAULT or -EINVAL. */
int asm_read(struct asm_list *list, const void *at);

/* Gets a number of the program, a halfword or a fullword. Returns 0 or -EFAULT. */
int asm_number(const struct asm_operand *operand, bool half, int *number);

/* Returns @size bytes below 2 GB that stay, or NULL. */
void *asm_low(size_t size);

#endif
