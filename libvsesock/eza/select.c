/* SPDX-License-Identifier: Apache-2.0 */
/* select.c - SELECT, SELECTEX: masks of bits, the timeout, event control blocks */
#include "libvsesock/vse/select.h"

#include <stdlib.h>
#include <string.h>

#include "libvsesock/eza/functions.h"

/* MAXSOC, TIMEOUT, the masks that are sent (read, write, exception), those that come back, SELECB
 */
enum {
	AT_MAXSOC,
	AT_TIMEOUT,
	AT_SEND,
	AT_RETURN = AT_SEND + VSE_SETS,
	AT_ECB = AT_RETURN + VSE_SETS
};

#define ECBS_MOST 12

/* Returns the number of fullwords of a mask that may be used: a shorter mask has no bits for the
 * descriptors after it. */
static int count_words(const struct eza_arg *mask, int n)
{
	int words = (n + 31) / 32;

	return mask->size && mask->size / 4 < (size_t)words ? (int)(mask->size / 4) : words;
}

/* Takes a mask; a missing one asks for nothing. */
static int take_mask(const struct eza_arg *mask, int n, uint32_t *bits)
{
	int words = count_words(mask, n);

	if (!mask->data)
		return 0;
	if (memory_check_read(mask->data, (size_t)words * 4))
		return -EFAULT;
	for (int i = 0; i < words; i++)
		bits[i] = eza_word(mask->order, (const char *)mask->data + 4 * i);
	return 0;
}

static int check_room(const struct eza_arg *mask, int n)
{
	if (!mask->data)
		return 0;
	return memory_check_result(mask->data, (size_t)count_words(mask, n) * 4) ? -EFAULT : 0;
}

static void give_mask(const struct eza_arg *mask, int n, const uint32_t *bits)
{
	/* The program may have taken the memory away during the wait. */
	if (!mask->data || check_room(mask, n))
		return;
	for (int i = 0, words = count_words(mask, n); i < words; i++)
		eza_set_word(mask->order, (char *)mask->data + 4 * i, bits[i]);
}

/* Reads the timeout. Returns 1 if there is one, 0 if not, or a negative error. */
static int take_timeout(const struct eza_arg *arg, struct timeval *timeout)
{
	int32_t seconds, micros;

	if (!arg->data)
		return 0;
	if (eza_check(arg, 8))
		return eza_check(arg, 8);
	seconds = (int32_t)eza_word(arg->order, arg->data);
	micros = (int32_t)eza_word(arg->order, (const char *)arg->data + 4);
	if (seconds < 0)
		return 0;
	if (micros < 0 || micros > 999999)
		return -EINVAL;
	*timeout = (struct timeval){seconds, micros};
	return 1;
}

/* Takes SELECB: one ECB, or a list of pointers up to NULL or the end of the area. Returns their
 * number or a negative error. */
static int take_ecbs(const struct eza_arg *arg, const volatile uint32_t *ecbs[ECBS_MOST])
{
	bool list = arg->size >= sizeof(void *) && arg->size % sizeof(void *) == 0 &&
		    arg->size <= ECBS_MOST * sizeof(void *);
	const char *at = arg->data;
	int nr = 0, rc;

	if (!at)
		return 0;
	rc = eza_check(arg, 4);
	if (rc < 0)
		return rc;
	if (!list) {
		ecbs[0] = (const volatile uint32_t *)(const void *)at;
		return 1;
	}
	for (; (size_t)nr < arg->size / sizeof(void *); nr++, at += sizeof(void *)) {
		memcpy(&ecbs[nr], at, sizeof(void *));
		if (!ecbs[nr])
			break;
		if (memory_check_read((const void *)(uintptr_t)ecbs[nr], 4))
			return -EFAULT;
	}
	return nr;
}

static int wait_for(struct eza_call *call, const struct vse_ecbs *ecbs)
{
	struct timeval timeout;
	struct vse_sets *sets;
	int n, limited, rc = 0;

	/* z/OS's error for MAXSOC of SELECT above that of INITAPI. */
	if (call->values[AT_MAXSOC] < 0 || call->values[AT_MAXSOC] > VSE_DESCRIPTORS)
		return eza_fail(call, -EINVAL, 10332);
	n = (int)call->values[AT_MAXSOC];
	limited = take_timeout(&call->args[AT_TIMEOUT], &timeout);
	if (limited < 0)
		return limited;
	sets = calloc(1, sizeof(*sets));
	if (!sets)
		return -ENOMEM;
	/* One area may be several masks, so all are read before any is written. */
	for (int i = 0; i < VSE_SETS && !rc; i++)
		rc = take_mask(&call->args[AT_SEND + i], n, sets->bits[i]);
	for (int i = 0; i < VSE_SETS && !rc; i++)
		rc = check_room(&call->args[AT_RETURN + i], n);
	if (!rc)
		rc = vse_select(call->api, n, sets, limited ? &timeout : NULL, ecbs);
	for (int i = 0; i < VSE_SETS && rc >= 0; i++)
		give_mask(&call->args[AT_RETURN + i], n, sets->bits[i]);
	free(sets);
	return rc;
}

int eza_select(struct eza_call *call)
{
	return wait_for(call, NULL);
}

int eza_selectex(struct eza_call *call)
{
	const volatile uint32_t *posts[ECBS_MOST];
	struct vse_ecbs ecbs = {posts, take_ecbs(&call->args[AT_ECB], posts)};

	if (ecbs.nr < 0)
		return ecbs.nr;
	return wait_for(call, ecbs.nr ? &ecbs : NULL);
}
