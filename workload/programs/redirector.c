/* SPDX-License-Identifier: Apache-2.0 */
/* redirector.c - stands for the VSAM Redirector: a file handler (EXTFH) for GnuCOBOL
 *
 * A program that is compiled with -fcallfh=REDIRECT has its indexed files in a database; its
 * source does not change. Other files go to GnuCOBOL's own handler. One indexed file at a time may
 * be open, with one key, which has no duplicates and lies in one piece.
 */
#include "redirector.h"
#include <ctype.h>
#include <libcob.h>
#include <string.h>

#define KEY_MOST 64

int REDIRECT(unsigned char *opcode, FCD3 *fcd);

static char file[9];                  /* the open one, or "" */
static unsigned char place[KEY_MOST]; /* of sequential reading: the next record's key ... */
static const char *next; /* ... compares so with this one; NULL: START or READ failed */

static int ends(FCD3 *fcd, const char *status)
{
	memcpy(fcd->fileStatus, status, 2);
	return 0;
}

/* Returns the file status for a result of redirector.h, and the status if there is nothing. */
static const char *status_of(int result, const char *nothing)
{
	return result < 0 ? "30" : result ? "00" : nothing;
}

static int opened(FCD3 *fcd, int mode)
{
	size_t length = LDCOMPX2(fcd->fnameLen), i;

	while (length && (fcd->fnamePtr[length - 1] == ' ' || !fcd->fnamePtr[length - 1]))
		length--;
	if (file[0] || !length || length >= sizeof(file) || LDCOMPX4(fcd->maxRecLen) > RECORD_MOST)
		return ends(fcd, "37");
	for (i = 0; i < length; i++)
		if (!isalnum((unsigned char)fcd->fnamePtr[i]))
			return ends(fcd, "31");
	memcpy(file, fcd->fnamePtr, length);
	file[length] = 0;
	if (redirected_open(file, mode == OPEN_OUTPUT) < 0) {
		file[0] = 0;
		return ends(fcd, "30");
	}
	fcd->openMode = (unsigned char)mode;
	memset(place, 0, sizeof(place));
	next = ">=";
	return ends(fcd, "00");
}

static int read_next(FCD3 *fcd, const unsigned char *key, size_t key_size, size_t size)
{
	int found;

	if (!next)
		return ends(fcd, "46");
	found = redirected_read(file, next, place, key_size, fcd->recPtr, size);
	next = NULL;
	if (found == 1) {
		memcpy(place, key, key_size);
		next = ">";
	}
	return ends(fcd, status_of(found, "10"));
}

static int start(FCD3 *fcd, const char *compares, const unsigned char *key, size_t key_size)
{
	static unsigned char record[RECORD_MOST];
	int found = redirected_read(file, compares, key, key_size, record, sizeof(record));

	memcpy(place, key, key_size);
	next = found == 1 ? strcmp(compares, "=") == 0 ? ">=" : compares : NULL;
	return ends(fcd, status_of(found, "23"));
}

int REDIRECT(unsigned char *opcode, FCD3 *fcd)
{
	unsigned int operation = (unsigned int)opcode[0] << 8 | opcode[1];
	size_t size = LDCOMPX4(fcd->curRecLen), key_at, key_size;
	const EXTKEY *part;
	unsigned char *key;
	int found;

	if (fcd->fileOrg != ORG_INDEXED)
		return EXTFH(opcode, fcd);
	part = (const EXTKEY *)((const char *)fcd->kdbPtr + LDCOMPX2(fcd->kdbPtr->key[0].offset));
	key_at = LDCOMPX4(part->pos);
	key_size = LDCOMPX4(part->len);
	if (LDCOMPX2(fcd->kdbPtr->nkeys) != 1 || LDCOMPX2(fcd->kdbPtr->key[0].count) != 1 ||
	    key_size > KEY_MOST)
		return ends(fcd, "37");
	key = fcd->recPtr + key_at;
	if (!size || size > RECORD_MOST)
		size = LDCOMPX4(fcd->maxRecLen);
	switch (operation) {
	case OP_OPEN_INPUT:
		return opened(fcd, OPEN_INPUT);
	case OP_OPEN_OUTPUT:
		return opened(fcd, OPEN_OUTPUT);
	case OP_OPEN_IO:
		return opened(fcd, OPEN_IO);
	case OP_CLOSE:
		file[0] = 0;
		fcd->openMode = OPEN_NOT_OPEN;
		return ends(fcd, "00");
	case OP_WRITE:
		return ends(
			fcd,
			status_of(redirected_insert(file, key, key_size, fcd->recPtr, size), "22"));
	case OP_REWRITE:
		return ends(
			fcd,
			status_of(redirected_update(file, key, key_size, fcd->recPtr, size), "23"));
	case OP_DELETE:
		return ends(fcd, status_of(redirected_delete(file, key, key_size), "23"));
	case OP_READ_RAN:
	case OP_READ_RAN_NO_LOCK:
	case OP_READ_RAN_LOCK:
	case OP_READ_RAN_KEPT_LOCK:
		found = redirected_read(file, "=", key, key_size, fcd->recPtr, size);
		memcpy(place, key, key_size);
		next = found == 1 ? ">" : NULL;
		return ends(fcd, status_of(found, "23"));
	case OP_READ_SEQ:
	case OP_READ_SEQ_NO_LOCK:
	case OP_READ_SEQ_LOCK:
	case OP_READ_SEQ_KEPT_LOCK:
		return read_next(fcd, key, key_size, size);
	case OP_START_EQ:
		return start(fcd, "=", key, key_size);
	case OP_START_GE:
		return start(fcd, ">=", key, key_size);
	case OP_START_GT:
		return start(fcd, ">", key, key_size);
	default:
		return ends(fcd, "37");
	}
}
