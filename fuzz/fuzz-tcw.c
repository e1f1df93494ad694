/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-tcw.c - the interpreter of transport mode, with a 3390 behind it
 *
 * One byte of options, then what is put at X'1000': TCW, TCCB, lists. Unless option 1 is on, the
 * lengths and counts are made consistent, because the fuzzer would not guess them.
 */
#include "devemu/channel/tcw.h"
#include "fuzz/channel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TCCB (PROGRAM + 128)
#define TSB  (PROGRAM + 64)

/* The TCCB as its bytes say as far as they do; its lengths and counts are those of its DCWs. */
static void agree(void)
{
	struct tccb tccb = {.action = TCCB_SAC_NORMAL};
	uint8_t bytes[TCCB_LEN_MAX], *p = storage->bytes;
	struct tcw tcw = {.read = p[PROGRAM + 5] & 2, .tsb = TSB, .tccb = TCCB};
	uint32_t at = TCCB + TCCB_HEADER, data = 0;
	int len;

	if (p[PROGRAM + 5] & 4)
		tcw.flags = tcw.read ? TCW_INPUT_TIDA : TCW_OUTPUT_TIDA;
	tcw.write = !tcw.read;
	tcw.input = tcw.output = be32_get(p + PROGRAM + 12) & 0x7fff0;
	do {
		struct dcw *dcw = &tccb.dcw[tccb.dcws++];

		*dcw = (struct dcw){.cmd = p[at],
				    .flags = p[at + 1] & DCW_CC,
				    .control_count = p[at + 3],
				    .count = be16_get(p + at + 6),
				    .control = p + at + DCW_LEN};
		data += dcw->count;
		at += DCW_LEN + ((dcw->control_count + 3u) & ~3u);
	} while (tccb.dcws < TCCB_DCW_MAX && tccb.dcw[tccb.dcws - 1].flags & DCW_CC);
	tccb.dcw[tccb.dcws - 1].flags = 0;
	tccb.transport_count = tccb_transport_count(data);
	len = tccb_encode(&tccb, bytes);
	if (len < 0)
		return;
	tcw.tccbl = (uint8_t)((len - 20) / 4);
	*(tcw.read ? &tcw.input_count : &tcw.output_count) = data;
	memcpy(p + TCCB, bytes, (size_t)len);
	tcw_encode(&tcw, p + PROGRAM);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct orb orb = {
		.key = KEY, .transport = true, .extended = true, .lpm = 0xff, .program = PROGRAM};
	uint8_t orb_bytes[ORB_LEN];

	if (size < 1 + TCW_LEN || size > 1 + 8192)
		return 0;
	if (!subch)
		setup();
	clean();
	memcpy(storage->bytes + PROGRAM, data + 1, size - 1);
	if (!(data[0] & 1))
		agree();
	orb_encode(&orb, orb_bytes);
	run(orb_bytes);
	return 0;
}
