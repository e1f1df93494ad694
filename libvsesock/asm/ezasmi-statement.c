/* SPDX-License-Identifier: Apache-2.0 */
/* ezasmi-statement.c - EZASMI in an assembler program: its operands become keywords of ezasmi.h */
#include "libvsesock/asm/ezasmi-statement.h"

#include <stdio.h>
#include <string.h>

#include "include/vsesock.h"
#include "libvsesock/asm/hostent.h"
#include "libvsesock/asm/list.h"
#include "libvsesock/core/export.h"
#include "libvsesock/ezasmi/ezasmi.h"

#define ELOADED  4 /* R15 */
#define WORD_LEN 16

/* The keywords that types.c does not list, because all types have them or they choose a number. */
static const struct {
	const char *name;
	size_t offset;
} common[] = {
	{"ERRNO", offsetof(struct ezasmi, ERRNO)},
	{"RETCODE", offsetof(struct ezasmi, RETCODE)},
	{"ECB", offsetof(struct ezasmi, ECB)},
	{"TASK", offsetof(struct ezasmi, TASK)},
	{"CALAREA", offsetof(struct ezasmi, CALAREA)},
};

/* Their structures have addresses, which are fullwords in a program and not in the library. */
static const char *const lacking[] = {"FREEADDRINFO", "GETADDRINFO", "READV",
				      "RECVMSG",      "SENDMSG",     "WRITEV"};

const char *asm_common_at(size_t i)
{
	return i < sizeof(common) / sizeof(common[0]) ? common[i].name : NULL;
}

const char *asm_lacking(const char *type)
{
	for (size_t i = 0; i < sizeof(lacking) / sizeof(lacking[0]); i++)
		if (!strcmp(lacking[i], type))
			return "its structures have addresses";
	return NULL;
}

struct statement {
	const struct smi_type *type;
	const struct eza_function *function;
	struct ezasmi said;
	/* copies of numbers, and numbers that are words in the library */
	int numbers[ASM_OPERANDS];
	char words[ASM_OPERANDS][WORD_LEN];
	/* halfwords that are results, and HOSTENT */
	uint16_t *halves[ASM_OPERANDS];
	uint32_t *hostent_at;
	void *hostent;
	bool not_loaded;
};

static _Thread_local struct statement *current;

static void note_not_loaded(const struct ezasmi *call)
{
	(void)call;
	current->not_loaded = true;
}

static void set(struct statement *statement, size_t offset, const void *value)
{
	memcpy((char *)&statement->said + offset, &value, sizeof(value));
}

/* Finds a keyword among those of the type; -1: not one of them. */
static int find(const struct statement *statement, const char *name)
{
	for (int i = 0; i < SMI_KEYWORDS && statement->type->keywords[i].kind; i++)
		if (!strcmp(statement->type->keywords[i].name, name))
			return i;
	return -1;
}

/* Takes a keyword that types.c does not list; 0 or a negative error. */
static int take_common(struct statement *statement, const struct asm_operand *operand, int i)
{
	for (size_t k = 0; k < sizeof(common) / sizeof(common[0]); k++)
		if (!strcmp(common[k].name, operand->keyword)) {
			if (operand->form != ASM_ADDRESS)
				return -EINVAL;
			set(statement, common[k].offset, operand->at);
			return 0;
		}
	if (strcmp(operand->keyword, "NS") != 0)
		return -EINVAL;
	set(statement, offsetof(struct ezasmi, NS), &statement->numbers[i]);
	return asm_number(operand, true, &statement->numbers[i]);
}

/* A number that the library changes, or has as a word, needs a copy only if it is a halfword. */
static int take_number(struct statement *statement, const struct asm_operand *operand, int i, int k)
{
	const struct smi_keyword *keyword = &statement->type->keywords[k];
	bool half = statement->function && eza_is_half(statement->function, k), out;
	int rc;

	out = keyword->kind == SMI_IN_OUT || keyword->kind == SMI_OUT;
	if (operand->form == ASM_WORD || (out && operand->form != ASM_ADDRESS))
		return -EINVAL;
	if (!half) {
		set(statement, keyword->offset, operand->at);
		return 0;
	}
	rc = asm_number(operand, true, &statement->numbers[i]);
	set(statement, keyword->offset, &statement->numbers[i]);
	if (out)
		statement->halves[i] = operand->at;
	return rc;
}

static int take_word(struct statement *statement, const struct asm_operand *operand, int i,
		     size_t offset)
{
	int number, rc;

	if (operand->form == ASM_WORD) {
		set(statement, offset, operand->at);
		return 0;
	}
	rc = asm_number(operand, false, &number);
	snprintf(statement->words[i], WORD_LEN, "%u", (unsigned int)number);
	set(statement, offset, statement->words[i]);
	return rc;
}

static int take(struct statement *statement, const struct asm_operand *operand, int i)
{
	int k = find(statement, operand->keyword);
	const struct smi_keyword *keyword;

	if (k < 0)
		return take_common(statement, operand, i);
	keyword = &statement->type->keywords[k];
	switch (keyword->kind) {
	case SMI_NUMBER:
	case SMI_ZERO:
	case SMI_LENGTH:
	case SMI_IN_OUT:
	case SMI_OUT:
		return take_number(statement, operand, i, k);
	case SMI_WORD:
		return take_word(statement, operand, i, keyword->offset);
	default:
		break;
	}
	if (operand->form == ASM_NUMBER)
		return -EINVAL;
	if (keyword->offset == offsetof(struct ezasmi, HOSTENT)) {
		statement->hostent_at = operand->at;
		set(statement, keyword->offset, &statement->hostent);
		return 0;
	}
	set(statement, keyword->offset, operand->at);
	return 0;
}

/* Gives the program what the library has set in copies; 0 or a negative error. */
static int give_copies(const struct statement *statement)
{
	uint32_t address;
	int rc;

	for (int i = 0; i < ASM_OPERANDS; i++) {
		uint16_t half = (uint16_t)statement->numbers[i];

		if (statement->halves[i])
			memcpy(statement->halves[i], &half, sizeof(half));
	}
	if (!statement->hostent_at || !statement->hostent)
		return 0;
	rc = asm_hostent(&address, statement->hostent);
	if (!rc && memory_check_result(statement->hostent_at, sizeof(address)))
		rc = -EFAULT;
	if (!rc)
		memcpy(statement->hostent_at, &address, sizeof(address));
	return rc;
}

/* Reports an error that the library has not seen. @ecb: to post; NULL: none. */
static void refuse(const struct statement *statement, int error, void *ecb)
{
	int retcode = -1, number = vse_errno(vse_space(), error);

	if (statement->said.RETCODE && !smi_check_result(statement->said.RETCODE))
		memcpy(statement->said.RETCODE, &retcode, sizeof(retcode));
	if (statement->said.ERRNO && !smi_check_result(statement->said.ERRNO))
		memcpy(statement->said.ERRNO, &number, sizeof(number));
	if (ecb)
		vse_ecb_post(ecb);
}

static const struct smi_type none;

EXPORT uint32_t VSEASM_EZASMI(uint32_t at)
{
	struct statement statement = {.type = NULL};
	struct asm_list list;
	int rc = asm_read(&list, (const void *)(uintptr_t)at), taken = 0;
	void *ecb = NULL;

	statement.type = rc ? NULL : smi_type(list.words[0]);
	if (statement.type)
		statement.function = eza_function(list.words[0]);
	else
		statement.type = &none; /* CANCEL, and what does not exist */
	/* All of them, so that RETCODE and ERRNO are known. */
	for (int i = 0; i < list.nr; i++) {
		taken = take(&statement, &list.operands[i], i);
		rc = rc ? rc : taken;
	}
	if (rc < 0) {
		ecb = async_take_ecb(statement.said.ECB) ? NULL : statement.said.ECB;
	} else {
		current = &statement;
		statement.said.ERROR = note_not_loaded;
		rc = smi_make(list.words[0], &statement.said, true) < 0 ? 0
									: give_copies(&statement);
	}
	if (rc < 0)
		refuse(&statement, -rc, ecb);
	return statement.not_loaded ? ELOADED : 0;
}
