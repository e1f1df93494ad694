/* SPDX-License-Identifier: Apache-2.0 */
/* storage.c - the image of main storage */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "devemu/bytes/storage.h"

#define SIZE_MAX_BYTES (UINT64_C(64) << 30)
/* Inaccessible pages before and after, so that an overrun faults. */
#define GUARD UINT64_C(65536)

struct storage *storage_create(uint64_t size)
{
	struct storage *storage;
	void *bytes;

	if (!size || size % STORAGE_PAGE || size > SIZE_MAX_BYTES) {
		errno = EINVAL;
		return NULL;
	}
	storage = calloc(1, sizeof(*storage));
	if (!storage)
		return NULL;
	storage->keys = calloc(size / STORAGE_PAGE, 1);
	/* Untouched pages cost nothing. */
	bytes = mmap(NULL, size + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		     -1, 0);
	if (bytes != MAP_FAILED &&
	    mprotect((uint8_t *)bytes + GUARD, size, PROT_READ | PROT_WRITE) < 0) {
		munmap(bytes, size + 2 * GUARD);
		bytes = MAP_FAILED;
	}
	if (!storage->keys || bytes == MAP_FAILED) {
		if (bytes != MAP_FAILED)
			munmap(bytes, size + 2 * GUARD);
		free(storage->keys);
		free(storage);
		errno = ENOMEM;
		return NULL;
	}
	storage->bytes = (uint8_t *)bytes + GUARD;
	storage->size = size;
	return storage;
}

void storage_destroy(struct storage *storage)
{
	if (!storage)
		return;
	munmap(storage->bytes - GUARD, storage->size + 2 * GUARD);
	free(storage->keys);
	free(storage);
}

int storage_fetch(struct storage *storage, uint64_t addr, void *buf, size_t len, uint8_t key)
{
	uint8_t *at;
	int rc = storage_access(storage, addr, len, STORAGE_64, key, false, &at);

	if (!rc && len)
		memcpy(buf, at, len);
	return rc;
}

int storage_store(struct storage *storage, uint64_t addr, const void *buf, size_t len, uint8_t key)
{
	uint8_t *at;
	int rc = storage_access(storage, addr, len, STORAGE_64, key, true, &at);

	if (!rc && len)
		memcpy(at, buf, len);
	return rc;
}

int storage_key_set(struct storage *storage, uint64_t addr, uint8_t key)
{
	if (addr >= storage->size)
		return -EFAULT;
	storage->keys[addr / STORAGE_PAGE] = key & 0xfe;
	return 0;
}

int storage_key_get(const struct storage *storage, uint64_t addr, uint8_t *key)
{
	if (addr >= storage->size)
		return -EFAULT;
	*key = storage->keys[addr / STORAGE_PAGE];
	return 0;
}
