/* SPDX-License-Identifier: Apache-2.0 */
/* keywords.c - makes keywords of EZASMI parameters of EZASOKET's functions */
#include <stdlib.h>
#include <string.h>

#include "libvsesock/ezasmi/ezasmi.h"
#include "libvsesock/vse/values.h"

#define WORD_MAX 32  /* characters of a word */
#define TEXT_MAX 256 /* of a text without a length */
#define ECBS_MAX 12

#define K(keyword) offsetof(struct ezasmi, keyword)

static const struct {
	size_t offset;
	const char *word;
	uint32_t number;
} words[] = {
	{K(AF), "INET", 2},
	{K(AF), "INET6", VSE_AF_INET6},
	{K(FAMILY), "INET", 2},
	{K(FAMILY), "INET6", VSE_AF_INET6},
	{K(SOCTYPE), "STREAM", 1},
	{K(SOCTYPE), "DATAGRAM", 2},
	{K(SOCTYPE), "RAW", 3},
	{K(COMMAND), "F_GETFL", 3},
	{K(COMMAND), "F_SETFL", 4},
	{K(COMMAND), "FIONBIO", 0x8004A77E},
	{K(COMMAND), "FIONREAD", 0x4004A77F},
	{K(COMMAND), "SIOCATMARK", 0x4004A707},
	{K(COMMAND), "SIOCGIFADDR", 0xC020A70D},
	{K(COMMAND), "SIOCGIFBRDADDR", 0xC020A712},
	{K(COMMAND), "SIOCGIFDSTADDR", 0xC020A70F},
	{K(COMMAND), "SIOCGIFCONF", 0xC008A714},
};

int smi_word(int *number, size_t offset, const char *word)
{
	char text[WORD_MAX + 1] = "", *end;
	int len = vse_text(text, WORD_MAX, word);
	unsigned long value;
	uint32_t optname;

	if (len < 0)
		return len;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].offset == offset && !strcmp(words[i].word, text)) {
			*number = (int)words[i].number;
			return 0;
		}
	if (offset == K(OPTNAME) && !vse_option_number(&optname, text)) {
		*number = (int)optname;
		return 0;
	}
	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	value = strtoul(text, &end, 0);
	if (*end || value > UINT32_MAX)
		return -EINVAL;
	*number = (int)(uint32_t)value;
	return 0;
}

static void *value_of(const struct smi_call *call, size_t offset)
{
	void *value;

	memcpy(&value, (const char *)&call->said + offset, sizeof(value));
	return value;
}

/* The ECBs of SELECBLIST, or the one of SELECB. */
static int take_ecbs(struct smi_call *call, struct eza_arg *arg)
{
	void *const *list = call->said.SELECBLIST;
	size_t nr = 0;

	arg->data = call->said.SELECB;
	if (!list)
		return 0;
	do {
		if (nr > ECBS_MAX)
			return -EINVAL;
		if (memory_check_read(&list[nr], sizeof(*list)))
			return -EFAULT;
	} while (list[nr++]);
	arg->data = (void *)(uintptr_t)list;
	arg->size = (nr - 1) * sizeof(*list);
	/* The list is empty. */
	if (nr == 1)
		arg->data = NULL;
	return 0;
}

/* Copies a number into the call, unless @from is NULL. */
static int take_number(struct smi_call *call, int i, const int *from)
{
	struct eza_arg *arg = &call->call.args[i];

	arg->data = &call->numbers[i];
	arg->size = sizeof(int);
	arg->numeric = true;
	if (!from)
		return 0;
	if (memory_check_read(from, sizeof(*from)))
		return -EFAULT;
	memcpy(&call->numbers[i], from, sizeof(*from));
	return 0;
}

/* Sets the length of a text. The text is the keyword before it; in GETHOSTBYNAME the one after it.
 */
static int measure(struct smi_call *call, int i)
{
	const struct smi_keyword *text = &call->type->keywords[i ? i - 1 : 1];
	const char *from = value_of(call, text->offset);
	int len = from ? vse_text(NULL, TEXT_MAX, from) : 0;

	(void)take_number(call, i, NULL);
	call->numbers[i] = len;
	return len < 0 ? len : 0;
}

static int take_text(struct smi_call *call, int i, const char *from)
{
	size_t size = call->type->keywords[i].size;

	memset(call->texts[i], call->call.ebcdic ? 0x40 : ' ', size);
	call->call.args[i].data = call->texts[i];
	call->call.args[i].size = size;
	return from ? vse_text(call->texts[i], size, from) : 0;
}

int smi_take(struct smi_call *call, int i)
{
	const struct smi_keyword *keyword = &call->type->keywords[i];
	struct eza_arg *arg = &call->call.args[i];
	void *value = value_of(call, keyword->offset);
	int rc = 0;

	*arg = (struct eza_arg){.data = NULL};
	switch (keyword->kind) {
	case SMI_AREA:
		arg->data = value;
		if (keyword->offset == K(SELECB))
			return take_ecbs(call, arg);
		return 0;
	case SMI_POINTER:
		arg->data = (char *)&call->said + keyword->offset;
		return 0;
	case SMI_IN_OUT:
		if (value && memory_check_result(value, sizeof(int)))
			return -EFAULT;
		return value ? take_number(call, i, value) : 0;
	case SMI_NUMBER:
		/* EZASOKET's function reports a missing one. */
		return value ? take_number(call, i, value) : 0;
	case SMI_ZERO:
		return take_number(call, i, value);
	case SMI_OUT:
		/* Check now: later the call cannot be undone. */
		if (value && memory_check_result(value, sizeof(int)))
			return -EFAULT;
		return take_number(call, i, NULL);
	case SMI_LENGTH:
		return value ? take_number(call, i, value) : measure(call, i);
	case SMI_WORD:
		rc = value ? smi_word(&call->numbers[i], keyword->offset, value) : 0;
		return value && !rc ? take_number(call, i, NULL) : rc;
	case SMI_TEXT:
		rc = take_text(call, i, value);
		return rc < 0 ? rc : 0;
	case SMI_END:
		break;
	}
	return rc;
}
