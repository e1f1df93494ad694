/* SPDX-License-Identifier: Apache-2.0 */
/* storage.h - the image of main storage, the only memory that channel programs can name
 *
 * Addresses are absolute and start at 0. An address that the image does not have is a normal case
 * (-EFAULT), never a fault of the process. Each block of 4096 bytes has a storage key; 24-, 31- and
 * 64-bit addressing differ only in the highest address that a caller may form (STORAGE_24 and so
 * on).
 */
#ifndef DEVEMU_BYTES_STORAGE_H
#define DEVEMU_BYTES_STORAGE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORAGE_PAGE 4096u

/* The highest address of each addressing mode. */
#define STORAGE_24 UINT64_C(0x0000000000ffffff)
#define STORAGE_31 UINT64_C(0x000000007fffffff)
#define STORAGE_64 UINT64_C(0xffffffffffffffff)

/* A storage key (z/Architecture Principles of Operation, "Storage Key"). */
#define STORAGE_KEY_ACCESS 0xf0u /* access-control bits */
#define STORAGE_KEY_FETCH  0x08u /* fetches are protected too */
#define STORAGE_KEY_REF    0x04u
#define STORAGE_KEY_CHANGE 0x02u

struct storage {
	uint8_t *bytes;
	uint64_t size; /* a multiple of STORAGE_PAGE */
	uint8_t *keys; /* one for each page */
};

/**
 * storage_create() - main storage of zeros, all keys 0
 * @size:	bytes, a multiple of 4096, at least 4096 and at most 64 GiB
 *
 * Return: NULL with errno EINVAL or ENOMEM. storage_destroy() releases it.
 */
struct storage *storage_create(uint64_t size);
void storage_destroy(struct storage *storage);

/* Returns true if [addr, addr + len) exists and ends at or below @highest. Length 0 exists if its
 * address could be formed. */
static inline bool storage_inside(const struct storage *storage, uint64_t addr, uint64_t len,
				  uint64_t highest)
{
	if (!len)
		return addr <= highest;
	return addr < storage->size && len <= storage->size - addr && addr + len - 1 <= highest;
}

/**
 * storage_access() - find the bytes of [addr, addr + len)
 * @key:	the access key in bits 0 to 3 (0x10 is key 1); key 0 permits everything
 * @store:	to store there, or only to fetch
 * @at:		the first byte; good as long as the storage is
 *
 * Return: 0, -EFAULT if a byte is not there or lies above @highest, -EACCES if a key forbids it.
 */
static inline int storage_access(struct storage *storage, uint64_t addr, uint64_t len,
				 uint64_t highest, uint8_t key, bool store, uint8_t **at)
{
	if (!storage_inside(storage, addr, len, highest))
		return -EFAULT;
	if (len) {
		for (uint64_t page = addr / STORAGE_PAGE; page <= (addr + len - 1) / STORAGE_PAGE;
		     page++) {
			uint8_t has = storage->keys[page];

			if (key && ((has ^ key) & STORAGE_KEY_ACCESS) &&
			    (store || has & STORAGE_KEY_FETCH))
				return -EACCES;
			has |= store ? STORAGE_KEY_REF | STORAGE_KEY_CHANGE : STORAGE_KEY_REF;
			storage->keys[page] = has;
		}
	}
	*at = storage->bytes + (len ? addr : 0);
	return 0;
}

/* Copies out of or into storage, 64-bit addresses; returns what storage_access() does. */
int storage_fetch(struct storage *storage, uint64_t addr, void *buf, size_t len, uint8_t key);
int storage_store(struct storage *storage, uint64_t addr, const void *buf, size_t len, uint8_t key);

/* The key of the page that holds @addr: access bits, fetch protection, reference and change. 0 or
 * -EFAULT. */
int storage_key_set(struct storage *storage, uint64_t addr, uint8_t key);
int storage_key_get(const struct storage *storage, uint64_t addr, uint8_t *key);

#endif
