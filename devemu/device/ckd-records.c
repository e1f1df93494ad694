/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-records.c - a volume of 4 KB records, and the channel programs that read and write them */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/bigend.h"
#include "devemu/channel/ccw.h"
#include "devemu/channel/tcw.h"
#include "devemu/device/ckd-geometry.h"
#include "devemu/device/ckd-records.h"

#define RECORDS_MAX 255u

/* Parts of a program, as offsets in its page */
#define AT_DX   0u    /* 16 bytes of Define Extent */
#define AT_LR   16u   /* 16 bytes of Locate Record */
#define AT_CCW  64u   /* up to 257 CCWs of 8 bytes */
#define AT_IDAW 2560u /* one for each CCW above 2 GB: only for up to 192 records */
#define AT_TCW  0u
#define AT_TSB  64u
#define AT_TCCB 128u

uint64_t ckd_4k_records(const struct ckd_image *image)
{
	return (uint64_t)image->cylinders * CKD_HEADS * CKD_4K_PER_TRACK;
}

void ckd_4k_address(uint64_t n, uint16_t *cylinder, uint16_t *head, uint8_t *record)
{
	uint64_t track = n / CKD_4K_PER_TRACK;

	*cylinder = (uint16_t)(track / CKD_HEADS);
	*head = (uint16_t)(track % CKD_HEADS);
	*record = (uint8_t)(n % CKD_4K_PER_TRACK + 1);
}

static void put_track(uint8_t *p, uint64_t track)
{
	be16_put(p, (uint16_t)(track / CKD_HEADS));
	be16_put(p + 2, (uint16_t)(track % CKD_HEADS));
}

int ckd_4k_format(struct ckd_image *image, uint32_t first, uint32_t last)
{
	const uint32_t one = CKD_COUNT + CKD_4K;
	const uint32_t r0 = CKD_COUNT + 8;
	const uint32_t len = r0 + CKD_4K_PER_TRACK * one + CKD_COUNT;
	uint8_t *bytes;
	int rc = 0;

	if (first > last || last >= image->cylinders * CKD_HEADS)
		return -EINVAL;
	bytes = calloc(1, len);
	if (!bytes)
		return -ENOMEM;
	memset(bytes + len - CKD_COUNT, 0xff, CKD_COUNT);
	for (uint32_t track = first; !rc && track <= last; track++) {
		put_track(bytes, track);
		bytes[7] = 8;
		for (uint32_t i = 0; i < CKD_4K_PER_TRACK; i++) {
			uint8_t *count = bytes + r0 + i * one;

			put_track(count, track);
			count[4] = (uint8_t)(i + 1);
			be16_put(count + 6, CKD_4K);
		}
		rc = ckd_write(image, track / CKD_HEADS, track % CKD_HEADS, CKD_HOME, bytes, len);
	}
	free(bytes);
	return rc;
}

static int check_io(struct storage *storage, uint32_t at, const struct ckd_4k_io *io,
		    uint8_t **page)
{
	if (!io->count || io->count > RECORDS_MAX || at % STORAGE_PAGE ||
	    io->record + io->count > (uint64_t)CKD_CYLINDERS_MAX * CKD_HEADS * CKD_4K_PER_TRACK)
		return -EINVAL;
	if (!storage_inside(storage, at, CKD_4K_PROGRAM, STORAGE_31) ||
	    !storage_inside(storage, io->data, (uint64_t)io->count * CKD_4K, STORAGE_64))
		return -EFAULT;
	*page = storage->bytes + at;
	return 0;
}

static void put_extent(uint8_t *p, const struct ckd_4k_io *io)
{
	p[0] = io->write ? 0x80 : 0x40; /* update writes only, or none */
	p[1] = 0xc0;
	be16_put(p + 2, CKD_4K);
	put_track(p + 8, io->record / CKD_4K_PER_TRACK);
	put_track(p + 12, (io->record + io->count - 1) / CKD_4K_PER_TRACK);
}

static void put_locate(uint8_t *p, const struct ckd_4k_io *io, uint8_t operation, uint8_t count)
{
	p[0] = operation;
	p[1] = 0x80;
	p[3] = count;
	put_track(p + 4, io->record / CKD_4K_PER_TRACK);
	put_track(p + 8, io->record / CKD_4K_PER_TRACK);
	p[12] = (uint8_t)(io->record % CKD_4K_PER_TRACK + 1);
	p[13] = 0xff;
	be16_put(p + 14, CKD_4K);
}

int ckd_4k_ccw(struct storage *storage, uint32_t at, const struct ckd_4k_io *io,
	       uint8_t orb_bytes[ORB_LEN])
{
	bool high = io->data + (uint64_t)io->count * CKD_4K - 1 > STORAGE_31;
	struct orb orb = {
		.key = io->key, .format1 = true, .prefetch = true, .lpm = 0xff, .idaw64 = high};
	struct ccw ccw = {.cmd = 0x63, .flags = CCW_CC, .count = 16, .addr = at + AT_DX};
	uint8_t *page, *p;
	int rc;

	rc = check_io(storage, at, io, &page);
	if (rc)
		return rc;
	/* An area that does not begin on a page takes two IDAWs. */
	if (high && (AT_IDAW + io->count * 16 > CKD_4K_PROGRAM))
		return -EINVAL;
	memset(page, 0, AT_CCW);
	put_extent(page + AT_DX, io);
	put_locate(page + AT_LR, io, io->write ? 0x01 : 0x06, (uint8_t)io->count);
	p = page + AT_CCW;
	ccw_encode(&ccw, true, p);
	p += CCW_LEN;
	ccw.cmd = 0x47;
	ccw.addr = at + AT_LR;
	ccw_encode(&ccw, true, p);
	for (uint32_t i = 0; i < io->count; i++) {
		uint64_t data = io->data + (uint64_t)i * CKD_4K;

		p += CCW_LEN;
		ccw = (struct ccw){.cmd = io->write ? 0x85 : 0x86,
				   .flags = i + 1 < io->count ? CCW_CC : 0,
				   .count = CKD_4K,
				   .addr = (uint32_t)data};
		if (high) {
			be64_put(page + AT_IDAW + i * 16, data);
			be64_put(page + AT_IDAW + i * 16 + 8, (data | (CKD_4K - 1)) + 1);
			ccw.flags |= CCW_IDA;
			ccw.addr = at + AT_IDAW + i * 16;
		}
		ccw_encode(&ccw, true, p);
	}
	orb.program = at + AT_CCW;
	orb_encode(&orb, orb_bytes);
	return 0;
}

/* Number of tracks, and operation of Locate Record Extended. */
static void put_locate_tracks(uint8_t *p, const struct ckd_4k_io *io)
{
	uint64_t first = io->record / CKD_4K_PER_TRACK;
	uint64_t last = (io->record + io->count - 1) / CKD_4K_PER_TRACK;

	put_locate(p, io, io->write ? 0x3f : 0x0c, (uint8_t)(last - first + 1));
	p[17] = io->write ? 0x23 : 0;
}

int ckd_4k_track_ccw(struct storage *storage, uint32_t at, const struct ckd_4k_io *io,
		     uint8_t orb_bytes[ORB_LEN])
{
	struct orb orb = {.key = io->key, .format1 = true, .prefetch = true, .lpm = 0xff};
	struct ccw ccw = {.cmd = 0x63, .flags = CCW_CC, .count = 16, .addr = at + AT_DX};
	uint8_t *page, *p;
	int rc;

	rc = check_io(storage, at, io, &page);
	if (rc)
		return rc;
	if (io->data + (uint64_t)io->count * CKD_4K - 1 > STORAGE_31)
		return -EINVAL;
	memset(page, 0, AT_CCW);
	put_extent(page + AT_DX, io);
	put_locate_tracks(page + AT_LR, io);
	p = page + AT_CCW;
	ccw_encode(&ccw, true, p);
	ccw.cmd = 0x4b;
	ccw.count = 20;
	ccw.addr = at + AT_LR;
	ccw_encode(&ccw, true, p += CCW_LEN);
	for (uint32_t done = 0, n; done < io->count; done += n) {
		n = io->count - done < CKD_4K_PER_TRACK ? io->count - done : CKD_4K_PER_TRACK;
		ccw = (struct ccw){.cmd = io->write ? 0xa5 : 0xa6,
				   .flags = done + n < io->count ? CCW_CD : 0,
				   .count = (uint16_t)(n * CKD_4K),
				   .addr = (uint32_t)io->data + done * CKD_4K};
		ccw_encode(&ccw, true, p += CCW_LEN);
	}
	orb.program = at + AT_CCW;
	orb_encode(&orb, orb_bytes);
	return 0;
}

int ckd_4k_tcw(struct storage *storage, uint32_t at, const struct ckd_4k_io *io,
	       uint8_t orb_bytes[ORB_LEN])
{
	struct orb orb = {
		.key = io->key, .transport = true, .extended = true, .lpm = 0xff, .program = at};
	uint32_t bytes = io->count * CKD_4K;
	uint8_t prefix[64] = {1, 0x80}, *page;
	struct tccb tccb = {.action = TCCB_SAC_NORMAL, .dcws = 2};
	struct tcw tcw = {
		.read = !io->write,
		.write = io->write,
		.output = io->write ? io->data : 0,
		.input = io->write ? 0 : io->data,
		.tsb = at + AT_TSB,
		.tccb = at + AT_TCCB,
		.output_count = io->write ? bytes : 0,
		.input_count = io->write ? 0 : bytes,
	};
	int rc, len;

	rc = check_io(storage, at, io, &page);
	if (rc)
		return rc;
	put_extent(prefix + 12, io);
	if (io->count == 1)
		put_locate(prefix + 44, io, io->write ? 0x01 : 0x06, 1);
	else
		put_locate_tracks(prefix + 44, io);
	tccb.dcw[0] =
		(struct dcw){.cmd = 0xe7, .flags = DCW_CC, .control_count = 64, .control = prefix};
	tccb.dcw[1].cmd = io->count == 1 ? (io->write ? 0x85 : 0x86) : (io->write ? 0xa5 : 0xa6);
	tccb.dcw[1].count = bytes;
	tccb.transport_count = tccb_transport_count(bytes);
	memset(page + AT_TSB, 0, TSB_LEN);
	len = tccb_encode(&tccb, page + AT_TCCB);
	if (len < 0)
		return len;
	tcw.tccbl = (uint8_t)((len - 20) / 4);
	tcw_encode(&tcw, page + AT_TCW);
	orb_encode(&orb, orb_bytes);
	return 0;
}
