/* SPDX-License-Identifier: Apache-2.0 */
/* fctc-state.h - a channel-to-channel device, the connection to its other side, its encryption */
#ifndef DEVEMU_DEVICE_FCTC_STATE_H
#define DEVEMU_DEVICE_FCTC_STATE_H

#include "devemu/channel/device.h"
#include "devemu/device/fctc-adapter.h"

struct fces_end;

enum fctc_security {
	FCTC_CLEAR,
	FCTC_AGREEING, /* nothing is sent until the sides have agreed */
	FCTC_ENCRYPTED,
};

struct fctc {
	struct device device;
	struct fctc_adapter adapter; /* of the keeper both sides (0 is ours); else only 0 is used,
					for results */
	bool keeper;
	int fd;            /* -1: not connected */
	bool submitted;    /* our command is under way */
	uint8_t cmd;       /* ours */
	uint8_t their_cmd; /* the keeper's: the last one that came */
	uint16_t sequence; /* of our commands, or of received ones */
	uint8_t *packet;
	uint8_t *sealed;      /* the same, encrypted */
	struct fces_end *end; /* of fctc_secure(); NULL: not capable of endpoint security */
	bool required;
	enum fctc_security security; /* of the connection there is */
	uint16_t packets;            /* sealed so far */
	uint16_t asked;              /* of them, when new keys were last asked for */
	struct fctc_packet *queue;   /* packets that the socket has not accepted yet */
	unsigned int queued;
	/* Blocks that arrived for a Read that had been halted. The next Reads get them. */
	struct fctc_packet *kept;
	unsigned int kept_count;
	/* Unsolicited status for the program: attention, or device end when the other side has
	 * come. */
	void (*unsolicited)(void *ctx, uint8_t unit_status);
	void *ctx;
};

/* Starts the agreement on a new connection. Return: 0 or a negative errno. */
int fctc_security_begin(struct fctc *fctc);

/* Encodes @packet into @bytes. Returns the length; -EAGAIN: not yet possible; another negative
 * errno: never. */
int fctc_security_seal(struct fctc *fctc, const uint8_t *packet, size_t len, const uint8_t **bytes);

/* Decodes received bytes into @packet. Returns the packet's length; 0: no packet for the program; a
 * negative errno: the caller must end the connection. */
int fctc_security_open(struct fctc *fctc, const uint8_t *bytes, size_t len, uint8_t *packet,
		       size_t room);

#endif
