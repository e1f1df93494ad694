/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-via.c - any bytes as a command to the appliance, as a piece of its answer, and as its
 * configuration disk */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "via/disk.h"
#include "via/request.h"
#include "via/settings.h"
#include "via/sntp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is taken is the same when it is sent again. */
static void check_request(const uint8_t *data, size_t size)
{
	struct via_request first, second;
	char text[VIA_REQUEST_MAX + 1], why[VIA_WHY] = "";

	if (via_request_decode((const char *)data, size, &first, why)) {
		if (!*why)
			abort();
		return;
	}
	via_request_encode(&first, text);
	if (via_request_decode(text, strlen(text), &second, why) || first.verb != second.verb ||
	    first.nr != second.nr || memcmp(first.words, second.words, sizeof(first.words)) != 0)
		abort();
}

/* Lines, as they come on a stream. */
static void check_answer(const uint8_t *data, size_t size)
{
	struct via_answer answer = {.next = 0};
	const char *at = (const char *)data, *end = at + size;
	char *text = NULL, why[VIA_WHY] = "";
	size_t len;
	FILE *out = open_memstream(&text, &len);

	while (out && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t nr = (size_t)((newline ? newline : end) - at);

		if (via_answer_take(&answer, at, nr, out, why)) {
			if (!*why)
				abort();
			break;
		}
		at += nr + 1;
	}
	if (out)
		fclose(out);
	for (size_t i = 0; i < len; i++)
		if (text[i] != '\n' && (text[i] < ' ' || text[i] > '~'))
			abort();
	free(text);
}

/* What an archive has is the same when it is written again. */
static void check_archive(const uint8_t *data, size_t size)
{
	static struct via_files first, second;
	struct lfp_reader_errors errs;
	struct via_settings settings;
	char *archive = NULL, why[VIA_WHY] = "";
	size_t len;
	FILE *out;

	if (via_archive_read(data, size, &first, why)) {
		if (!*why)
			abort();
		return;
	}
	out = open_memstream(&archive, &len);
	if (!out || via_archive_write(&first, out) || fclose(out))
		abort();
	if (via_archive_read((const uint8_t *)archive, len, &second, why) || second.nr != first.nr)
		abort();
	for (size_t i = 0; i < first.nr; i++) {
		if (strcmp(first.of[i].name, second.of[i].name) != 0 ||
		    first.of[i].size != second.of[i].size ||
		    memcmp(first.of[i].data, second.of[i].data, first.of[i].size) != 0)
			abort();
		if (via_settings_read(&first.of[i], &settings, &errs) && !errs.nr)
			abort();
	}
	free(archive);
}

static void check_disk(const uint8_t *data, size_t size)
{
	struct via_disk disk;

	via_disk_read(data, size, &disk);
	if (disk.chosen >= 0)
		check_archive(disk.places[disk.chosen].archive, disk.places[disk.chosen].size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct via_file settings = {.name = "via.conf", .data = data, .size = size};
	struct via_settings read;
	struct lfp_reader_errors errs;
	int64_t ns;

	(void)sntp_answer(data, size, 0, &ns);
	check_request(data, size);
	check_answer(data, size);
	check_archive(data, size);
	check_disk(data, size);
	(void)via_settings_read(&settings, &read, &errs);
	return 0;
}
