/* SPDX-License-Identifier: Apache-2.0 */
/* once.h - reads memory that another process may write to: each word once */
#ifndef LFP_ONCE_H
#define LFP_ONCE_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Read shared memory once, then check and use that copy: the
 * compiler may not read it a second time, when it may be something else. Integers are big-endian
 * and aligned to their size.
 */

static inline uint8_t once_u8(const uint8_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline uint16_t once_be16(const uint8_t *p)
{
	return be16toh(__atomic_load_n((const uint16_t *)(const void *)p, __ATOMIC_RELAXED));
}

static inline uint32_t once_be32(const uint8_t *p)
{
	return be32toh(__atomic_load_n((const uint32_t *)(const void *)p, __ATOMIC_RELAXED));
}

static inline uint64_t once_be64(const uint8_t *p)
{
	return be64toh(__atomic_load_n((const uint64_t *)(const void *)p, __ATOMIC_RELAXED));
}

/* Copies @len bytes. The copy may mix old and new contents; callers check and use only the copy. */
static inline void once_copy(void *to, const void *from, size_t len)
{
	memcpy(to, from, len);
	__asm__ __volatile__("" ::: "memory");
}

#endif
