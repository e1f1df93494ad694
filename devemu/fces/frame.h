/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h - a Fibre Channel frame in the clear and sealed
 *
 * Without start and end of frame and CRC, which a port adds and removes (fabric/link.h counts
 * them). All numbers are big-endian.
 *
 *	in the clear	header (24), payload (0 to 2112)
 *	sealed		header (24), SPI (4), sequence number (4), initialization vector (8),
 *			payload encrypted, integrity check value (16)
 *
 * That is the layout of ESP with AES-GCM (RFC 4303, RFC 4106) in the place that FC-FS has for an
 * ESP_Header, which DF_CTL says. What IBM's ports send is not published: algorithm, sizes and that
 * the whole header is authenticated are this project's choice.
 */
#ifndef DEVEMU_FCES_FRAME_H
#define DEVEMU_FCES_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "lfp/bigend.h"

enum {
	FC_HEADER = 24,
	FC_PAYLOAD_MAX = 2112,
	FC_FRAME_MAX = FC_HEADER + FC_PAYLOAD_MAX,

	FC_DF_CTL = 13, /* offset of DF_CTL in the header */
	FC_DF_ESP = 0x40,

	FCES_SPI = FC_HEADER,
	FCES_SEQUENCE = FCES_SPI + 4,
	FCES_IV = FCES_SEQUENCE + 4,
	FCES_DATA = FCES_IV + 8,
	FCES_ICV = 16,
	FCES_OVERHEAD = FCES_DATA - FC_HEADER + FCES_ICV, /* bytes more in a sealed frame */
	FCES_FRAME_MAX = FC_FRAME_MAX + FCES_OVERHEAD,
};

/* R_CTL of FC-4 device data frames: the category of what they carry, FC-FS. */
enum fc_category {
	FC_SOLICITED_DATA = 0x01,
	FC_SOLICITED_CONTROL = 0x03,
	FC_DATA_DESCRIPTOR = 0x05, /* transfer ready */
	FC_COMMAND = 0x06,         /* unsolicited */
	FC_STATUS = 0x07,
};

/* The fields of a header that are used here; the others are 0. */
struct fc_header {
	uint8_t r_ctl, type, seq_id;
	uint32_t d_id, s_id; /* 24 bits */
	uint32_t f_ctl;      /* 24 bits */
	uint16_t seq_cnt, ox_id;
	uint32_t parameter; /* where in its information unit the payload begins */
};

static inline void fc_header_put(uint8_t bytes[FC_HEADER], const struct fc_header *header)
{
	be32_put(bytes, (uint32_t)header->r_ctl << 24 | (header->d_id & 0xffffff));
	be32_put(bytes + 4, header->s_id & 0xffffff);
	be32_put(bytes + 8, (uint32_t)header->type << 24 | (header->f_ctl & 0xffffff));
	be32_put(bytes + 12, (uint32_t)header->seq_id << 24 | header->seq_cnt);
	be32_put(bytes + 16, (uint32_t)header->ox_id << 16 | 0xffff);
	be32_put(bytes + 20, header->parameter);
}

#endif
