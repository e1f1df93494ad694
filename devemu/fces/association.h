/* SPDX-License-Identifier: Apache-2.0 */
/* association.h - a security association: one key for one direction of a connection
 *
 * Theory of operation
 *
 * AES-256-GCM by OpenSSL. The nonce is the association's salt (4 bytes) and the initialization
 * vector (8), which is the sequence number; it grows by one with each frame and is never used
 * twice: at its last one (at most 2^32 - 1) sealing ends with -EKEYEXPIRED, and the two ends have
 * to have agreed on another key before (end.h).
 *
 * Header, SPI and sequence number are authenticated, the payload is encrypted as well. A frame is
 * delivered only if all of that is as it was sealed, and once: the receiver remembers which of the
 * last FCES_WINDOW sequence numbers it has had, and what is older is refused.
 */
#ifndef DEVEMU_FCES_ASSOCIATION_H
#define DEVEMU_FCES_ASSOCIATION_H

#include <stddef.h>
#include <stdint.h>

#include "devemu/fces/frame.h"

enum { FCES_KEY = 32, FCES_SALT = 4, FCES_WINDOW = 256 };

#define FCES_SEQUENCE_LAST UINT32_MAX

struct fces_counters {
	uint64_t sealed, opened;
	uint64_t corrupted; /* dropped: a bit of it has changed, or it is of another key */
	uint64_t replayed;  /* dropped: it was here before, or is older than the window */
	uint64_t malformed; /* dropped: too short, too long, or in the clear */
	uint64_t unknown;   /* dropped: unknown SPI */
	uint64_t misplaced; /* opened, and dropped: it is another one than was due */
};

static inline uint64_t fces_dropped(const struct fces_counters *counters)
{
	return counters->corrupted + counters->replayed + counters->malformed + counters->unknown +
	       counters->misplaced;
}

struct fces_sa;

/**
 * fces_sa_create() - an association that has sealed and opened nothing
 * @spi:	identifies it for the receiver, not 0
 * @last:	the last sequence number, 1 to FCES_SEQUENCE_LAST
 *
 * Return: it, or NULL with errno ENOMEM or EINVAL.
 */
struct fces_sa *fces_sa_create(uint32_t spi, const uint8_t key[FCES_KEY],
			       const uint8_t salt[FCES_SALT], uint32_t last);
void fces_sa_destroy(struct fces_sa *sa);

uint32_t fces_sa_spi(const struct fces_sa *sa);
/* Returns the last sequence number sealed, or the highest one opened. */
uint32_t fces_sa_used(const struct fces_sa *sa);
const struct fces_counters *fces_sa_counters(const struct fces_sa *sa);

/**
 * fces_seal() - a frame, encrypted
 * @frame:	header and payload, FC_HEADER to FC_FRAME_MAX bytes
 * @out:	gets @len + FCES_OVERHEAD bytes; may not overlap @frame
 *
 * Return: the bytes in @out; -EKEYEXPIRED if all sequence numbers are used; -EMSGSIZE if @len or
 * @room is no such size; -EINVAL if the frame is sealed already; -EIO if OpenSSL refuses.
 */
int fces_seal(struct fces_sa *sa, const uint8_t *frame, size_t len, uint8_t *out, size_t room);

/**
 * fces_open() - a sealed frame, in the clear again
 * @out:	gets @len - FCES_OVERHEAD bytes; may not overlap @frame. Whenever this fails,
 * nothing of the frame is left in it
 *
 * Return: the bytes in @out; -EBADMSG if it is not as it was sealed; -EALREADY if it was here
 * before; -EPROTO if it is no sealed frame, or not of this SPI; -EMSGSIZE if @room does not do. All
 * but the last are counted.
 */
int fces_open(struct fces_sa *sa, const uint8_t *frame, size_t len, uint8_t *out, size_t room);

#endif
