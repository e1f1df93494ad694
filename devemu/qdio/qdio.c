/* SPDX-License-Identifier: Apache-2.0 */
/* qdio.c - QDIO queues as program and machine see them: states, descriptors, codes */
#include "devemu/qdio/qdio.h"

#include <stddef.h>

bool qdio_may_change(uint8_t owner, uint8_t from, uint8_t to)
{
	static const struct {
		uint8_t from, to;
	} changes[] = {
		/* the program's */
		{QDIO_IN_NOT_INIT, QDIO_IN_EMPTY},
		{QDIO_IN_PRIMED, QDIO_IN_ACK},
		{QDIO_IN_PRIMED, QDIO_IN_NOT_INIT},
		{QDIO_IN_ACK, QDIO_IN_NOT_INIT},
		{QDIO_IN_ERROR, QDIO_IN_NOT_INIT},
		{QDIO_OUT_NOT_INIT, QDIO_OUT_PRIMED},
		{QDIO_OUT_EMPTY, QDIO_OUT_PRIMED},
		{QDIO_OUT_PENDING, QDIO_OUT_PRIMED},
		{QDIO_OUT_ERROR, QDIO_OUT_PRIMED},
		/* the machine's */
		{QDIO_IN_EMPTY, QDIO_IN_PRIMED},
		{QDIO_IN_EMPTY, QDIO_IN_ERROR},
		{QDIO_OUT_PRIMED, QDIO_OUT_EMPTY},
		{QDIO_OUT_PRIMED, QDIO_OUT_PENDING},
		{QDIO_OUT_PRIMED, QDIO_OUT_ERROR},
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (changes[i].from == from && changes[i].to == to)
			return (from & (QDIO_OF_PROGRAM | QDIO_OF_MACHINE)) == owner;
	return false;
}

/* Frame size and MTU (frame less 8 KB) by CHPARM/OS 00, 40, 80 and C0. */
static const uint32_t frames[] = {16384, 24576, 40960, 65536};

uint32_t qdio_mtu(uint32_t frame)
{
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
		if (frames[i] == frame)
			return frame - 8192;
	return 0;
}

uint32_t qdio_frame_for(uint32_t mtu)
{
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
		if (frames[i] - 8192 >= mtu)
			return frames[i];
	return 0;
}
