/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - parameters of EZASOKET: numbers, characters, socket addresses */
#include "libvsesock/eza/args.h"

#include <endian.h>
#include <string.h>

_Thread_local bool eza_last_ebcdic;

uint32_t eza_word(enum eza_order order, const void *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return order == EZA_BIG ? be32toh(word) : word;
}

void eza_set_word(enum eza_order order, void *at, uint32_t word)
{
	if (order == EZA_BIG)
		word = htobe32(word);
	memcpy(at, &word, sizeof(word));
}

/* A group or a text begins with a number of the documented size. */
static size_t size_of(const struct eza_arg *arg, size_t natural)
{
	bool usual = arg->size == 2 || arg->size == 4 || arg->size == 8;

	return arg->numeric && usual ? arg->size : natural;
}

long eza_number(const struct eza_arg *arg, size_t natural)
{
	uint16_t half;
	uint64_t twice;

	switch (size_of(arg, natural)) {
	case 2:
		memcpy(&half, arg->data, sizeof(half));
		return arg->order == EZA_BIG ? be16toh(half) : half;
	case 4:
		return (int32_t)eza_word(arg->order, arg->data);
	default:
		memcpy(&twice, arg->data, sizeof(twice));
		return (long)(arg->order == EZA_BIG ? be64toh(twice) : twice);
	}
}

void eza_set_number(const struct eza_arg *arg, size_t natural, long value)
{
	bool big = arg->order == EZA_BIG;
	uint16_t half = big ? htobe16((uint16_t)value) : (uint16_t)value;
	uint64_t twice = big ? htobe64((uint64_t)value) : (uint64_t)value;

	switch (size_of(arg, natural)) {
	case 2:
		memcpy(arg->data, &half, sizeof(half));
		break;
	case 4:
		eza_set_word(arg->order, arg->data, (uint32_t)value);
		break;
	default:
		memcpy(arg->data, &twice, sizeof(twice));
	}
}

void eza_take_address(const struct eza_arg *arg, void *to)
{
	uint32_t address = htobe32((uint32_t)(arg->numeric ? eza_number(arg, 4) : 0));

	memcpy(to, arg->numeric ? &address : arg->data, sizeof(address));
}

void eza_give_address(const struct eza_arg *arg, const void *from)
{
	if (arg->numeric)
		eza_set_number(arg, 4, (long)eza_word(EZA_BIG, from));
	else
		memcpy(arg->data, from, sizeof(uint32_t));
}

int eza_error(const char *symbol)
{
	return -vse_errno_of(symbol);
}

int eza_fail(struct eza_call *call, int error, int extended)
{
	if (vse_space() == VSE_ZOS)
		call->number = extended;
	return error;
}

/* During the check of parameters: a page that is known to be usable. Most of working storage is in
 * one page. */
#define PAGE_BITS 12
static _Thread_local struct {
	bool on;
	bool written;   /* may be written, too */
	uintptr_t page; /* 0: none yet */
} looked;

void eza_looks(bool on)
{
	looked.on = on;
	looked.page = 0;
}

static int check_memory(const void *at, size_t len, bool written)
{
	uintptr_t page = (uintptr_t)at >> PAGE_BITS;
	bool one = looked.on && ((uintptr_t)at + len - 1) >> PAGE_BITS == page;
	int rc;

	if (one && looked.page && looked.page == page && (looked.written || !written))
		return 0;
	rc = written ? memory_check_result(at, len) : memory_check_read(at, len);
	if (!rc && one) {
		looked.page = page;
		looked.written = written;
	}
	return rc;
}

static int check(const struct eza_arg *arg, size_t len, bool written)
{
	if (!arg->data)
		return eza_error("EIBMBADPARM");
	if (arg->size && arg->size < len)
		return -EINVAL;
	return len && check_memory(arg->data, len, written) ? -EFAULT : 0;
}

int eza_check(const struct eza_arg *arg, size_t len)
{
	return check(arg, len, false);
}

int eza_check_result(const struct eza_arg *arg, size_t len)
{
	return check(arg, len, true);
}

int eza_text(const struct eza_call *call, int i, size_t len, char *out, size_t room)
{
	const struct eza_arg *arg = &call->args[i];
	const uint8_t *from = arg->data;
	size_t at = 0, end = 0;
	int rc;

	/* A literal may be shorter than the length that the program names. */
	if (arg->size && len > arg->size)
		len = arg->size;
	rc = eza_check(arg, len);
	if (rc < 0)
		return rc;
	for (; at < len && at < room - 1 && from[at]; at++) {
		out[at] = (char)(call->ebcdic ? eza_to_latin[from[at]] : from[at]);
		if (out[at] != ' ')
			end = at + 1;
	}
	out[end] = '\0';
	return at == room - 1 && at < len && from[at] ? -EINVAL : 0;
}

void eza_set_text(const struct eza_call *call, void *to, size_t len, const char *text, char fill)
{
	size_t used = strnlen(text, len);
	uint8_t *bytes = to;

	for (size_t i = 0; i < len; i++) {
		uint8_t c = (uint8_t)(i < used ? text[i] : fill);

		bytes[i] = call->ebcdic ? eza_from_latin[c] : c;
	}
}

int eza_take_name(struct sockaddr_storage *to, socklen_t *tolen, const struct eza_arg *arg)
{
	const uint8_t *bytes = arg->data;
	int rc = eza_check(arg, VSE_SOCKADDR_IN);

	/* Family 0 would be Linux's AF_UNSPEC, by which connect() ends a connection. */
	if (!rc && !bytes[1])
		rc = -EAFNOSUPPORT;
	if (!rc && bytes[1] == VSE_AF_INET6)
		rc = eza_check(arg, VSE_SOCKADDR_IN6);
	return rc ? rc : vse_addr_take(to, tolen, bytes, VSE_SOCKADDR_IN6);
}

int eza_give_name(const struct eza_arg *arg, const struct sockaddr_storage *from)
{
	size_t len = from->ss_family == AF_INET6 ? VSE_SOCKADDR_IN6 : VSE_SOCKADDR_IN;
	int rc = eza_check_result(arg, len);

	if (!rc)
		vse_addr_give(arg->data, len, from, VSE_ADDR_EZA);
	return rc;
}
