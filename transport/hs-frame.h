/* SPDX-License-Identifier: Apache-2.0 */
/* hs-frame.h - frames of AF_IUCV over HiperSockets, as Linux and z/VSE exchange them */
#ifndef TRANSPORT_HS_FRAME_H
#define TRANSPORT_HS_FRAME_H

#include <stddef.h>
#include <stdint.h>

/*
 * A frame is an Ethernet header, a header of 104 bytes (struct af_iucv_trans_hdr in Linux's
 * include/net/iucv/af_iucv.h), and the message. Integers are big-endian, names are EBCDIC. The
 * message fills the rest of the frame.
 */

#define HS_LINK      14u     /* bytes of the Ethernet header */
#define HS_HEADER    104u    /* bytes of the one behind it */
#define HS_HEAD      118u    /* both; the rest of a device's MTU is for the message */
#define HS_ETHERTYPE 0xfbfbu /* and the magic number of the header */
#define HS_VERSION   1u

/*
 * Purpose of a frame. No other combination is sent or accepted:
 *  SYN       connect; the window is the message limit of the connecting side
 *  SYN|ACK   accepted; the window is the message limit of the accepting side
 *  SYN|FIN   refused
 *  FIN       the connection is over
 *  SHT       no more messages come from this side
 *  WIN       so many messages were read; a message may follow
 *  0         a message
 */
enum {
	HS_ACK = 0x01,
	HS_SYN = 0x02,
	HS_FIN = 0x04,
	HS_WIN = 0x08,
	HS_SHT = 0x10,
};

/* One end of a connection, as on the wire. */
struct hs_end {
	uint8_t user[8]; /* padded with blanks, or with zeros where a MAC address is the id */
	uint8_t app[8];  /* padded with blanks */
};

struct hs_frame {
	uint8_t to[6], from[6]; /* Ethernet addresses */
	uint16_t type; /* HS_ETHERTYPE; 0 with zero addresses in the kernel's answers to SYN */
	uint8_t flags;
	uint16_t window;
	struct hs_end dest, src;
	uint32_t class, tag;    /* of the message */
	const uint8_t *message; /* within the decoded bytes; hs_frame_head() does not write it */
	size_t len;
};

/* Writes the HS_HEAD bytes before the message. Fields without a member in the struct are 0. */
void hs_frame_head(const struct hs_frame *frame, uint8_t head[static HS_HEAD]);

/* Take a frame of @len bytes apart. 0; -EPROTONOSUPPORT: it is of another protocol; -EPROTO: it is
 * invalid. Unused fields are not checked. */
int hs_frame_decode(const uint8_t *bytes, size_t len, struct hs_frame *frame);

/* @name (1 to 8 letters, digits, or one of "$#@_-.+:") in EBCDIC, padded with blanks. 0 or -EINVAL
 */
int hs_name_put(const char *name, uint8_t out[static 8]);

/* Back again, without the padding. Returns 0, or -EILSEQ with an empty @out for an invalid name. */
int hs_name_get(const uint8_t in[static 8], char out[static 9]);

#endif
