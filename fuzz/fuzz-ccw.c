/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-ccw.c - the interpreter of CCWs, with a 3390 behind it
 *
 * Two bytes of options for the ORB, then what is put at X'1000': CCWs, their parameters and lists.
 * The addresses in format-1 CCWs keep 20 bits, so that many of them are in storage.
 */
#include "devemu/channel/ccw.h"
#include "fuzz/channel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t orb_bytes[ORB_LEN];
	struct orb orb;

	if (size < 2 + CCW_LEN || size > 2 + 8192)
		return 0;
	if (!subch)
		setup();
	clean();
	orb = (struct orb){
		.key = KEY,
		.lpm = 0xff,
		.program = PROGRAM,
		.format1 = data[0] & 0x01,
		.idaw64 = data[0] & 0x02,
		.idaw2k = data[0] & 0x04,
		.midaw = data[0] & 0x08,
		.suspend = data[0] & 0x10,
		.suppress_suspended = data[0] & 0x20,
		.length_suppression = data[0] & 0x40,
	};
	subch->hold = false;
	memcpy(storage->bytes + PROGRAM, data + 2, size - 2);
	if (orb.format1)
		for (size_t i = 0; i < data[1] && (i + 1) * CCW_LEN <= size - 2; i++) {
			uint8_t *addr = storage->bytes + PROGRAM + i * CCW_LEN + 4;

			be32_put(addr, be32_get(addr) & 0xfffff);
		}
	orb_encode(&orb, orb_bytes);
	run(orb_bytes);
	return 0;
}
