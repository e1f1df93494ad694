/* SPDX-License-Identifier: Apache-2.0 */
/* lists.c - EZACIC08, EZACIC09: take HOSTENT and ADDRINFO apart for COBOL programs */
#include <netdb.h>
#include <string.h>

#include "include/ezasoket.h"
#include "libvsesock/core/export.h"
#include "libvsesock/eza/functions.h"
#include "libvsesock/strict/strict.h"

#define CANON_MOST 256

/* Returns whether all parameters exist; the first is read, the others are written. */
static bool check_all(const struct eza_arg *args, const uint8_t *sizes, int nr)
{
	for (int i = 0; i < nr; i++)
		if (i ? eza_check_result(&args[i], sizes[i]) : eza_check(&args[i], sizes[i]))
			return false;
	return true;
}

/* A text may fill the parameter, if its size is known. */
static bool has_room(const struct eza_arg *arg, size_t len)
{
	return !memory_check_result(arg->data, arg->size ? arg->size : len);
}

/* Writes a text of this library into a parameter, filled up with blanks if its size is known.
 * Returns its length. */
static long set_text(const struct eza_arg *arg, const char *text)
{
	const struct eza_call call = {.ebcdic = eza_last_ebcdic};
	size_t len = strlen(text);

	eza_set_text(&call, arg->data, arg->size ? arg->size : len, text, ' ');
	return (long)(arg->size && arg->size < len ? arg->size : len);
}

static int count(char *const *list)
{
	int nr = 0;

	while (list[nr])
		nr++;
	return nr;
}

/* Parameters of EZACIC08 */
enum {
	HOSTENT,
	NAME_LENGTH,
	NAME_VALUE,
	ALIAS_COUNT,
	ALIAS_SEQ,
	ALIAS_LENGTH,
	ALIAS_VALUE,
	ADDR_TYPE,
	ADDR_LENGTH,
	ADDR_COUNT,
	ADDR_SEQ,
	ADDR_VALUE,
	HOST_RETCODE,
	HOST_PARAMETERS,
};

/* Gives the entries that the sequence numbers name, and increments these. */
static int give_host(const struct eza_arg *args)
{
	const struct hostent *host;
	int aliases, addrs;
	long seq;

	memcpy(&host, args[HOSTENT].data, sizeof(host));
	if (!host || memory_check_read(host, sizeof(*host)))
		return -1;
	if (memory_check_read(host->h_name, 1) || memory_check_read(host->h_aliases, 8) ||
	    memory_check_read(host->h_addr_list, 8) || host->h_length != 4)
		return -1;
	aliases = count(host->h_aliases);
	addrs = count(host->h_addr_list);
	seq = eza_number(&args[ALIAS_SEQ], 2);
	if (!has_room(&args[NAME_VALUE], strlen(host->h_name)) ||
	    (seq >= 0 && seq < aliases &&
	     !has_room(&args[ALIAS_VALUE], strlen(host->h_aliases[seq]))))
		return -1;
	eza_set_number(&args[NAME_LENGTH], 2, set_text(&args[NAME_VALUE], host->h_name));
	eza_set_number(&args[ALIAS_COUNT], 2, aliases);
	eza_set_number(&args[ADDR_TYPE], 2, host->h_addrtype);
	eza_set_number(&args[ADDR_LENGTH], 2, host->h_length);
	eza_set_number(&args[ADDR_COUNT], 2, addrs);
	eza_set_number(&args[ALIAS_LENGTH], 2, 0);
	if (seq >= 0 && seq < aliases) {
		eza_set_number(&args[ALIAS_LENGTH], 2,
			       set_text(&args[ALIAS_VALUE], host->h_aliases[seq]));
		eza_set_number(&args[ALIAS_SEQ], 2, seq + 1);
	}
	seq = eza_number(&args[ADDR_SEQ], 2);
	if (seq >= 0 && seq < addrs) {
		eza_give_address(&args[ADDR_VALUE], host->h_addr_list[seq]);
		eza_set_number(&args[ADDR_SEQ], 2, seq + 1);
	}
	return 0;
}

EXPORT int EZACIC08(void *hostent, ...)
{
	static const uint8_t sizes[HOST_PARAMETERS] = {8, 2, 1, 2, 2, 2, 1, 2, 2, 2, 2, 4, 4};
	struct eza_arg args[HOST_PARAMETERS];
	va_list ap;
	int nr;

	va_start(ap, hostent);
	nr = eza_take_args(args, HOST_PARAMETERS, HOST_PARAMETERS, hostent, ap);
	va_end(ap);
	if (nr < HOST_PARAMETERS || eza_check_result(&args[HOST_RETCODE], 4))
		return 0;
	strict_hostent_used();
	eza_set_number(&args[HOST_RETCODE], 4,
		       check_all(args, sizes, HOST_RETCODE) ? give_host(args) : -1);
	return 0;
}

/* Parameters of EZACIC09 */
enum { RES, AI_NAMELEN, AI_CANON, AI_NAME, AI_NEXT, AI_RETCODE, AI_PARAMETERS };

static int give_entry(const struct eza_arg *args)
{
	const char *entry, *canon;
	uint32_t len;

	memcpy(&entry, args[RES].data, sizeof(entry));
	if (!entry || memory_check_read(entry, EZA_AI_LEN))
		return -1;
	/* GETADDRINFO wrote it in the byte order of its caller. */
	len = eza_word(EZA_NATIVE, entry + EZA_AI_NAMELEN);
	if (len > VSE_SOCKADDR_IN6)
		len = eza_word(EZA_BIG, entry + EZA_AI_NAMELEN);
	if (len != VSE_SOCKADDR_IN && len != VSE_SOCKADDR_IN6)
		return -1;
	memcpy(&canon, entry + EZA_AI_CANON, sizeof(canon));
	if (canon && memory_check_read(canon, 1))
		return -1;
	if (!has_room(&args[AI_CANON], canon ? strnlen(canon, CANON_MOST) : 0))
		return -1;
	eza_set_number(&args[AI_NAMELEN], 4, (long)len);
	/* The program's character code is used already. */
	if (args[AI_CANON].size)
		memset(args[AI_CANON].data, eza_last_ebcdic ? 0x40 : ' ', args[AI_CANON].size);
	if (canon)
		memcpy(args[AI_CANON].data, canon,
		       strnlen(canon, args[AI_CANON].size ? args[AI_CANON].size : CANON_MOST));
	memcpy(args[AI_NAME].data, entry + EZA_AI_NAME, sizeof(void *));
	memcpy(args[AI_NEXT].data, entry + EZA_AI_NEXT, sizeof(void *));
	return 0;
}

EXPORT int EZACIC09(void *addrinfo, ...)
{
	static const uint8_t sizes[AI_PARAMETERS] = {8, 4, 1, 8, 8, 4};
	struct eza_arg args[AI_PARAMETERS];
	va_list ap;
	int nr;

	va_start(ap, addrinfo);
	nr = eza_take_args(args, AI_PARAMETERS, AI_PARAMETERS, addrinfo, ap);
	va_end(ap);
	if (nr < AI_PARAMETERS || eza_check_result(&args[AI_RETCODE], 4))
		return 0;
	eza_set_number(&args[AI_RETCODE], 4,
		       check_all(args, sizes, AI_RETCODE) ? give_entry(args) : -1);
	return 0;
}
