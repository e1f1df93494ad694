/* SPDX-License-Identifier: Apache-2.0 */
/* socket-statement.c - SOCKET in an assembler program: its operands become fields of csi-socket.h
 */
#include "libvsesock/asm/socket-statement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "include/vsesock.h"
#include "libvsesock/asm/list.h"
#include "libvsesock/core/export.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/csi/request.h"
#include "libvsesock/eza/args.h"
#include "libvsesock/vse/errno.h"

#define FAILED      8 /* R15 */
#define COMMAND_LEN 16

enum kind {
	NUMBER,  /* a fullword */
	CHANGED, /* a fullword, which is also set */
	RESULT,  /* a fullword, which is only set */
	IP,      /* 4 bytes, or 16 if the statement names FAMILY=CSI_INET6; also set */
	AREA,    /* the address itself */
	TEXT,    /* a word, or characters of the program */
	DIGITS,  /* two characters, which are only set */
};

#define FIELD(name, kind, size)                                                                    \
	{                                                                                          \
#name, offsetof(struct csi_socket, name), kind, size                               \
	}

static const struct {
	const char *name;
	size_t offset;
	enum kind kind;
	size_t size; /* characters of a text */
} fields[] = {
	FIELD(ID, TEXT, 2),         FIELD(DESC, CHANGED, 0),   FIELD(PASSIVE, NUMBER, 0),
	FIELD(FAMILY, CHANGED, 0),  FIELD(FOIP, IP, 0),        FIELD(LOIP, IP, 0),
	FIELD(FOPORT, CHANGED, 0),  FIELD(LOPORT, CHANGED, 0), FIELD(COMMAND, TEXT, COMMAND_LEN),
	FIELD(BUF, AREA, 0),        FIELD(LENGTH, NUMBER, 0),  FIELD(TIMEOUT, NUMBER, 0),
	FIELD(ECB, AREA, 0),        FIELD(RETCODE, RESULT, 0), FIELD(ERRNO, RESULT, 0),
	FIELD(STATE, RESULT, 0),    FIELD(WAITING, RESULT, 0), FIELD(PENDING, RESULT, 0),
	FIELD(INSTANCE, DIGITS, 2),
};
#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))

const char *asm_field_at(size_t i)
{
	return i < NR_FIELDS ? fields[i].name : NULL;
}

/* A statement in work: with an ECB it stays until the call is over. */
struct statement {
	struct csi_socket said; /* must be first */
	void *to[NR_FIELDS];    /* where the program wants what is set; NULL: nowhere */
	size_t ip_size;         /* of the program's addresses: the library may set another FAMILY */
	char texts[NR_FIELDS][COMMAND_LEN + 1];
};

static void take_text(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		text[i] = (char)eza_to_latin[(uint8_t)text[i]];
}

static void give_text(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		text[i] = (char)eza_from_latin[(uint8_t)text[i]];
}

/* Takes characters: a word is ASCII, and others are the program's, up to a blank or NUL. */
static int take_characters(struct statement *statement, const struct asm_operand *operand, size_t f)
{
	char *text = statement->texts[f];
	size_t size = operand->form == ASM_WORD ? COMMAND_LEN : fields[f].size;
	const char *const value = text;

	if (operand->form == ASM_NUMBER)
		return -EINVAL;
	if (memory_check_read(operand->at, size))
		return -EFAULT;
	strncpy(text, operand->at, size);
	if (operand->form == ASM_ADDRESS)
		take_text(text, strlen(text));
	text[strcspn(text, " ")] = '\0';
	memcpy((char *)&statement->said + fields[f].offset, &value, sizeof(value));
	return 0;
}

/* Takes an operand; 0 or a negative error. FAMILY is known before addresses are. */
static int take(struct statement *statement, const struct asm_operand *operand, size_t f)
{
	char *field = (char *)&statement->said + fields[f].offset;
	bool is_set = fields[f].kind != NUMBER && fields[f].kind != AREA && fields[f].kind != TEXT;
	int number, rc;

	if (is_set && operand->form == ASM_ADDRESS)
		statement->to[f] = operand->at;
	switch (fields[f].kind) {
	case NUMBER:
	case CHANGED:
		rc = asm_number(operand, false, &number);
		if (!rc)
			memcpy(field, &number, sizeof(number));
		return rc;
	case IP:
		if (memory_check_read(operand->at, statement->ip_size))
			return -EFAULT;
		memcpy(field, operand->at, statement->ip_size);
		break;
	case AREA:
		if (operand->form == ASM_ADDRESS)
			memcpy(field, &operand->at, sizeof(operand->at));
		break;
	case TEXT:
		return take_characters(statement, operand, f);
	case RESULT:
	case DIGITS:
		break;
	}
	return operand->form == ASM_ADDRESS ? 0 : -EINVAL;
}

static int take_named(struct statement *statement, const struct asm_list *list, bool family)
{
	int rc = 0, taken;

	for (int i = 0; i < list->nr; i++) {
		const struct asm_operand *operand = &list->operands[i];
		size_t f = 0;

		while (f < NR_FIELDS && strcmp(fields[f].name, operand->keyword) != 0)
			f++;
		if (family != !strcmp(operand->keyword, "FAMILY"))
			continue;
		taken = f < NR_FIELDS ? take(statement, operand, f) : -EINVAL;
		rc = rc ? rc : taken;
	}
	return rc;
}

/* Gives the program what is set. */
static void give_fields(const struct statement *statement, bool over)
{
	const struct csi_socket *request = &statement->said;
	char digits[2];

	give_text(memcpy(digits, request->INSTANCE, sizeof(digits)), sizeof(digits));
	for (size_t f = 0; f < NR_FIELDS; f++) {
		const void *from = (const char *)request + fields[f].offset;
		size_t size = fields[f].kind == IP ? statement->ip_size : sizeof(int);

		if (fields[f].kind == DIGITS) {
			from = digits;
			size = sizeof(digits);
		}
		/* Results are there at the end only. */
		if (!statement->to[f] || (!over && fields[f].kind == RESULT))
			continue;
		if (!memory_check_result(statement->to[f], size))
			memcpy(statement->to[f], from, size);
	}
}

/* The statement is over with the call. */
static void set(struct csi_socket *request, bool over)
{
	struct statement *statement = (struct statement *)request;

	give_fields(statement, over);
	if (over)
		free(statement);
}

static const struct csi_form form = {.take = take_text, .give = give_text, .set = set};

/* Reads the statement; 0 or a negative error. */
static int read_statement(struct statement *statement, struct asm_list *list, uint32_t at)
{
	int rc = asm_read(list, (const void *)(uintptr_t)at), taken;

	taken = take_named(statement, list, true);
	rc = rc ? rc : taken;
	statement->ip_size = statement->said.FAMILY == CSI_INET6 ? 16 : 4;
	taken = take_named(statement, list, false);
	return rc ? rc : taken;
}

/* Reports an error that the library has not seen. */
static void refuse(struct statement *statement, int error)
{
	void *ecb = async_take_ecb(statement->said.ECB) ? NULL : statement->said.ECB;

	statement->said.RETCODE = -1;
	statement->said.ERRNO = vse_errno(vse_space(), error);
	give_fields(statement, true);
	if (ecb)
		vse_ecb_post(ecb);
}

EXPORT uint32_t VSEASM_SOCKET(uint32_t at)
{
	struct statement *statement = calloc(1, sizeof(*statement)), without = {.ip_size = 0};
	struct asm_list list;
	int rc = read_statement(statement ? statement : &without, &list, at);

	if (!statement)
		rc = -ENOMEM;
	if (rc < 0) {
		refuse(statement ? statement : &without, -rc);
		free(statement);
		return FAILED;
	}
	return csi_make(list.words[0], list.words[1], &statement->said, &form) < 0 ? FAILED : 0;
}
