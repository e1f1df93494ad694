/* SPDX-License-Identifier: Apache-2.0 */
/* bigend.h - big-endian fields in bytes, as on the path, and in main storage */
#ifndef LFP_BIGEND_H
#define LFP_BIGEND_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* Nothing needs to be aligned. */

static inline uint16_t be16_get(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return be16toh(v);
}

static inline uint32_t be32_get(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

static inline uint64_t be64_get(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return be64toh(v);
}

static inline void be16_put(void *p, uint16_t v)
{
	v = htobe16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void be32_put(void *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void be64_put(void *p, uint64_t v)
{
	v = htobe64(v);
	memcpy(p, &v, sizeof(v));
}

#endif
