/* SPDX-License-Identifier: Apache-2.0 */
/* list.c - reads the parameter list of a macro statement in an assembler program */
#include "libvsesock/asm/list.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "libvsesock/core/memory.h"
#include "libvsesock/vse/values.h"

#define DESCRIPTOR_MAX 512
#define LOW_HINT       ((void *)0x20000000)
#define LOW_END        0x80000000u

/* An address has 31 bits. The storage of a program is there a second time, with the first bit on
 * (vseasm/runtime/partition.c), and that is used: qemu-user takes the right to write from pages
 * with instructions, and lets no futex test them, which is how results are checked (core/memory.c).
 */
static void *pointer(uint32_t word)
{
	void *second = (void *)(uintptr_t)(word | LOW_END);

	return memory_check_read(second, 1) ? (void *)(uintptr_t)(word & (LOW_END - 1)) : second;
}

static int read_word(uint32_t *word, const void *at)
{
	if (memory_check_read(at, sizeof(*word)))
		return -EFAULT;
	memcpy(word, at, sizeof(*word));
	return 0;
}

static int take_word(char *to, const char *from, size_t len)
{
	if (!len || len > ASM_NAME)
		return -EINVAL;
	memcpy(to, from, len);
	to[len] = '\0';
	return 0;
}

/* Takes "WORD" or "KEYWORD=f", of @len characters; 0 or a negative error. */
static int take(struct asm_list *list, const uint32_t *words, const char *from, size_t len)
{
	struct asm_operand *operand = &list->operands[list->nr];
	uint32_t word;
	int rc;

	if (len < 3 || from[len - 2] != '=') {
		int at = list->words[0][0] ? 1 : 0;

		return list->words[at][0] ? -EINVAL : take_word(list->words[at], from, len);
	}
	if (list->nr == ASM_OPERANDS)
		return -EINVAL;
	rc = take_word(operand->keyword, from, len - 2);
	if (!rc)
		rc = read_word(&word, &words[1 + list->nr]);
	if (rc < 0)
		return rc;
	operand->form = (enum asm_form)from[len - 1];
	operand->at = pointer(word);
	list->nr++;
	return 0;
}

int asm_read(struct asm_list *list, const void *at)
{
	char text[DESCRIPTOR_MAX + 1] = "";
	const char *from = text;
	uint32_t descriptor;
	int rc = read_word(&descriptor, at);

	memset(list, 0, sizeof(*list));
	if (!rc)
		rc = vse_text(text, DESCRIPTOR_MAX, pointer(descriptor));
	while (rc >= 0 && *from) {
		size_t len = strcspn(from, " ");

		rc = take(list, at, from, len);
		from += len;
		from += strspn(from, " ");
	}
	return rc < 0 ? rc : 0;
}

int asm_number(const struct asm_operand *operand, bool half, int *number)
{
	uint16_t small;

	if (operand->form == ASM_WORD)
		return -EINVAL;
	half = half && operand->form == ASM_ADDRESS;
	if (memory_check_read(operand->at, half ? sizeof(small) : sizeof(*number)))
		return -EFAULT;
	if (half) {
		memcpy(&small, operand->at, sizeof(small));
		*number = small;
	} else {
		memcpy(number, operand->at, sizeof(*number));
	}
	return 0;
}

void *asm_low(size_t size)
{
	void *at = mmap(LOW_HINT, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	if ((uintptr_t)at + size <= LOW_END)
		return at;
	munmap(at, size);
	return NULL;
}
