/* SPDX-License-Identifier: Apache-2.0 */
/* connection.h - a channel and a control unit of one process that are connected by endpoint
 * security
 *
 * Both ends, with the fibre between them. Keys change by themselves when they are used far enough;
 * frames go on meanwhile.
 */
#ifndef DEVEMU_FCES_CONNECTION_H
#define DEVEMU_FCES_CONNECTION_H

#include "devemu/fces/end.h"

struct fces_connection {
	struct fces_end channel, control_unit;
	uint32_t port[2]; /* 24-bit addresses: of the channel, of the control unit */
	uint8_t seq_id;
	bool scsi; /* an FCP channel's; otherwise FC-SB */
	void (*tap)(void *context, bool from_cu, uint8_t *bytes, size_t len);
	void *tap_context;
	uint32_t corrupt;         /* fces_connection_corrupt() */
	uint64_t carried;         /* sealed frames that have gone, for that */
	uint32_t wait;            /* frames until a change that has failed is tried again */
	uint64_t refused_changes; /* agreements that have failed while older keys were in force */
};

/* Names and addresses of the two ends. The channel asks. */
struct fces_connection_names {
	const char *channel, *control_unit;
	uint32_t channel_port, control_unit_port;
	bool scsi;
};

/* Creates a connection without keys. Return: NULL without memory. */
struct fces_connection *fces_connection_create(const struct fces_connection_names *names,
					       fces_key_source *source, void *channel,
					       void *control_unit);
void fces_connection_destroy(struct fces_connection *connection);

/* Agree on (other) keys. Returns 0, or the error of fces_end_ask() or fces_end_take(). After an
 * error the present keys stay in force. */
int fces_connection_agree(struct fces_connection *connection);

/* Called with each sealed frame, and each message of an agreement, on its way; it may change them.
 */
void fces_connection_tap(struct fces_connection *connection,
			 void (*tap)(void *context, bool from_cu, uint8_t *bytes, size_t len),
			 void *context);

/* A fibre that changes a bit of every @every-th sealed frame, each time another bit; 0: of none. */
void fces_connection_corrupt(struct fces_connection *connection, uint32_t every);

/* One frame, sealed at one end and opened at the other. Return: its bytes in @out, or what
 * fces_end_seal() or fces_end_open() says: the frame is dropped then. A link delivers in order and
 * only one frame is under way: if another one comes in its place, be it sealed by the same keys and
 * never seen before, it is dropped as well, -EBADMSG. */
int fces_carry_frame(struct fces_connection *connection, bool from_cu, const uint8_t *frame,
		     size_t len, uint8_t *out, size_t room);

/**
 * fces_carry_unit() - the bytes of an information unit, in frames of up to 2,048
 * @category:	the kind of unit, the only fact about it that is visible on the way
 * @ox_id:	of its exchange
 * @out:	gets what has come to the other end, @len bytes; may be @data
 *
 * Return: 0, or the error of fces_carry_frame() for the first dropped frame: then the unit is lost
 * and none of its bytes are in @out, unless it is @data.
 */
int fces_carry_unit(struct fces_connection *connection, bool from_cu, enum fc_category category,
		    uint16_t ox_id, const uint8_t *data, size_t len, uint8_t *out);

/* The same of a unit of data. */
int fces_carry(struct fces_connection *connection, bool from_cu, uint16_t ox_id,
	       const uint8_t *data, size_t len, uint8_t *out);

#endif
