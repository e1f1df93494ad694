/* SPDX-License-Identifier: Apache-2.0 */
/* vsetask.c - VSETASK and EZASTRUE: tasks and EZATRUE for COBOL programs */
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "include/vsesock.h"
#include "lfp/ctl.h"
#include "libvsesock/core/export.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/vse/values.h"

#define ETRUE_BAD    16
#define EZATRUE_AREA 10 /* bytes: EZATRUE, the operation, the return code */

EXPORT int EZASTRUE(void *commarea)
{
	static const uint8_t ebcdic[8] = {0xC5, 0xE9, 0xC1, 0xE3, 0xD9, 0xE4, 0xC5, 0x40};
	uint8_t *area = commarea;
	int code = ETRUE_BAD;

	if (memory_check_result(area, EZATRUE_AREA))
		return 0;
	if (!memcmp(area, "EZATRUE ", 8) || !memcmp(area, ebcdic, 8)) {
		if (area[8] == 'S' || area[8] == 0xE2)
			code = vse_true_start();
		else if (area[8] == 'T' || area[8] == 0xE3)
			code = vse_true_stop();
	}
	area[9] = (uint8_t)code;
	return 0;
}

#define FUNCTION_MAX 8
#define NUMBER       4 /* bytes */

static void put_number(void *at, int value)
{
	uint32_t big = htobe32((uint32_t)value);

	memcpy(at, &big, sizeof(big));
}

static int get_number(const void *at)
{
	uint32_t big;

	memcpy(&big, at, sizeof(big));
	return (int)be32toh(big);
}

/* A literal may be shorter than 8 characters: compare the word, ignore the rest. */
static bool is_word(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

/* Does a call with the parameters of a COBOL program. Returns RETCODE. */
static int call_task(const char *function, const char *name, void *number)
{
	char word[FUNCTION_MAX + 1] = "", text[LFP_CTL_CLIENT + 1] = "";
	bool begins, tells;
	int rc = -1;

	if (vse_text(word, FUNCTION_MAX, function) < 0)
		return -1;
	begins = is_word(word, "BEGIN");
	tells = begins || is_word(word, "CURRENT");
	if (tells ? memory_check_result(number, NUMBER) : memory_check_read(number, NUMBER))
		return -1;
	if (begins) {
		if (name && vse_text(text, LFP_CTL_CLIENT, name) < 0)
			return -1;
		text[strcspn(text, " ")] = '\0';
		rc = vse_task_begin(text);
	} else if (is_word(word, "SWITCH")) {
		return vse_task_switch(get_number(number));
	} else if (is_word(word, "END")) {
		return vse_task_end(get_number(number));
	} else if (tells) {
		rc = vse_task_current();
	}
	if (rc >= 0)
		put_number(number, rc);
	return rc;
}

EXPORT int VSETASK(const char *function, const char *name, void *number, void *retcode)
{
	int saved = errno;

	/* Without a place for the result nothing is done. */
	if (!memory_check_result(retcode, NUMBER))
		put_number(retcode, call_task(function, name, number));
	errno = saved;
	return 0;
}
