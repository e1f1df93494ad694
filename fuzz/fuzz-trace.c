/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-trace.c - any bytes as the ring file of a trace, which is shown and exported */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lfpd-admin/pcapng.h"
#include "lfpd-admin/ring.h"
#include "lfpd-admin/trace-ip.h"
#include "lfpd-admin/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BLOCKS 3

static int fd = -1;
static char path[64];

static int one(const struct lfp_trace_record *record, void *data)
{
	trace_text(record, data);
	pcapng_record(record, data);
	return 0;
}

static int one_as_ip(const struct lfp_trace_record *record, void *data)
{
	return trace_ip_record(data, record);
}

/* The same file as packets of IP: much larger than the file, so nothing keeps it. */
static void read_as_ip(void)
{
	FILE *out = fopen("/dev/null", "we");
	struct trace_ip *ip;
	struct ring ring;

	if (!out)
		abort();
	ip = trace_ip_create(out);
	if (!ip)
		abort();
	if (!ring_open(&ring, path)) {
		(void)ring_each(&ring, one_as_ip, ip);
		ring_close(&ring);
	}
	trace_ip_destroy(ip);
	fclose(out);
}

/* A third of the input is the records of each block. */
static void write_file(const uint8_t *data, size_t size)
{
	struct lfp_trace_head head = {.blocks = BLOCKS, .instance = "FUZZ"};
	uint8_t buf[LFP_TRACE_BLOCK] = {0};
	size_t part = size / BLOCKS;

	if (ftruncate(fd, 0) || ftruncate(fd, (off_t)LFP_TRACE_BLOCK * (BLOCKS + 1)))
		abort();
	lfp_trace_head_encode(&head, buf);
	if (pwrite(fd, buf, LFP_TRACE_BLOCK_HEAD, 0) != LFP_TRACE_BLOCK_HEAD)
		abort();
	for (size_t i = 0; i < BLOCKS; i++) {
		const uint8_t *mine = data + i * part;
		struct lfp_trace_block block = {.number = i + BLOCKS, .before = i};
		size_t len = part < LFP_TRACE_BLOCK - LFP_TRACE_BLOCK_HEAD
				     ? part
				     : LFP_TRACE_BLOCK - LFP_TRACE_BLOCK_HEAD;

		block.used = (uint32_t)(LFP_TRACE_BLOCK_HEAD + len);
		lfp_trace_block_encode(&block, buf);
		if (len)
			memcpy(buf + LFP_TRACE_BLOCK_HEAD, mine, len);
		if (pwrite(fd, buf, block.used, (off_t)(LFP_TRACE_BLOCK * (1 + i))) != block.used)
			abort();
	}
}

static void read_file(void)
{
	char *text = NULL;
	size_t len;
	struct ring ring;
	FILE *out;

	if (ring_open(&ring, path))
		return;
	out = open_memstream(&text, &len);
	if (!out)
		abort();
	pcapng_begin(ring.head.instance, false, out);
	(void)ring_each(&ring, one, out);
	pcapng_end(ring.records, ring.lost, out);
	fclose(out);
	free(text);
	ring_close(&ring);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (fd < 0) {
		fd = memfd_create("trace", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	/* As it is, and as the contents of a file whose heads are right. */
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	read_file();
	write_file(data, size);
	read_file();
	read_as_ip();
	return 0;
}
