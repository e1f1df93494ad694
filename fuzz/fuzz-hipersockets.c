/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-hipersockets.c - any bytes as definitions of HiperSockets: a profile of z/OS, and behind a
 * line
 * "--" Linux's commands and displays, and behind another one its ifcfg-hsi0 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/hipersockets/netstat.h"
#include "devemu/hipersockets/pair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct part {
	const char *begin;
	size_t size;
};

/* Takes what is before the next line "--". */
static struct part take(struct part *rest)
{
	static const char mark[] = "\n--\n";
	const char *end = memmem(rest->begin, rest->size, mark, sizeof(mark) - 1);
	struct part part = *rest;

	if (!end) {
		rest->size = 0;
		return part;
	}
	part.size = (size_t)(end - part.begin);
	rest->begin = end + sizeof(mark) - 1;
	rest->size -= part.size + sizeof(mark) - 1;
	return part;
}

static FILE *part_file(struct part part)
{
	FILE *file = part.size ? fmemopen((void *)(uintptr_t)part.begin, part.size, "r")
			       : fopen("/dev/null", "re");

	if (!file)
		abort();
	return file;
}

/* A refusal has its place, and is one line. */
static bool is_read(int rc, const struct lfp_reader_error *err)
{
	if (rc < 0 && (rc != -EINVAL || !err->line || strncmp(err->text, "fuzz", 4) ||
		       strchr(err->text, '\n')))
		abort();
	return rc == 0;
}

static bool read_linux(struct linux_side *side, const char *name, struct part part)
{
	struct lfp_reader_error err = {.text = ""};
	FILE *file = part_file(part);
	const int rc = linux_side_read(side, name, file, &err);

	fclose(file);
	return is_read(rc, &err);
}

static void tell(void *context, const char *text)
{
	(void)context;
	if (!*text || strchr(text, '\n'))
		abort();
}

/* Whatever is accepted can be displayed. */
static void use(const struct tcpip_profile *profile, const struct linux_side *side)
{
	const struct netstat_link state = {.time = "00:00:00", .frame = 65536};
	const struct netstat_counters counters = {.bytes_in = UINT64_MAX};
	FILE *out = fopen("/dev/null", "we");
	char why[PAIR_WHY] = "";
	struct hsi_pair pair;

	if (!out)
		abort();
	for (unsigned int i = 0; i < profile->links; i++)
		netstat_devlinks(profile, &profile->link[i], &state, out);
	for (unsigned int i = 0; i < side->interfaces; i++)
		netstat_ifconfig(&side->interface[i], "", &counters, out);
	fclose(out);
	if (pair_find(&pair, profile, side, 65536, why) == 0)
		pair_warn(&pair, tell, NULL);
	else if (!*why || strchr(why, '\n'))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct part rest = {(const char *)data, size}, part = take(&rest);
	struct lfp_reader_error err = {.text = ""};
	static struct tcpip_profile profile;
	static struct linux_side side;
	FILE *file = part_file(part);
	int rc = tcpip_profile_read(&profile, "fuzz", file, &err);

	fclose(file);
	side = (struct linux_side){0};
	if (is_read(rc, &err) && read_linux(&side, "fuzz", take(&rest)) &&
	    read_linux(&side, "fuzz/ifcfg-hsi0", take(&rest)))
		use(&profile, &side);
	return 0;
}
