/* SPDX-License-Identifier: Apache-2.0 */
/* connection.c - both ends in one process */
#include "devemu/fces/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	RETRY = 1024,
	CARRIED = 2048, /* bytes of data in a full frame, as fabric/link.h counts them */
	TYPE_SCSI = 0x08,
	TYPE_TO_CU = 0x1b,   /* FC-SB: channel to control unit */
	TYPE_FROM_CU = 0x1c, /* and back */
	F_CTL_FIRST = 0x200000,
	F_CTL_LAST = 0x180000, /* last of the sequence; the initiative goes over */
};

struct fces_connection *fces_connection_create(const struct fces_connection_names *names,
					       fces_key_source *source, void *channel,
					       void *control_unit)
{
	struct fces_connection *connection = calloc(1, sizeof(*connection));

	if (!connection)
		return NULL;
	fces_end_init(&connection->channel, names->channel, names->control_unit, true, source,
		      channel);
	fces_end_init(&connection->control_unit, names->control_unit, names->channel, false, source,
		      control_unit);
	connection->port[0] = names->channel_port;
	connection->port[1] = names->control_unit_port;
	connection->scsi = names->scsi;
	return connection;
}

void fces_connection_destroy(struct fces_connection *connection)
{
	if (!connection)
		return;
	fces_end_finish(&connection->channel);
	fces_end_finish(&connection->control_unit);
	free(connection);
}

void fces_connection_tap(struct fces_connection *connection,
			 void (*tap)(void *context, bool from_cu, uint8_t *bytes, size_t len),
			 void *context)
{
	connection->tap = tap;
	connection->tap_context = context;
}

void fces_connection_corrupt(struct fces_connection *connection, uint32_t every)
{
	connection->corrupt = every;
}

static void corrupt(struct fces_connection *connection, uint8_t *bytes, size_t len)
{
	uint64_t bit;

	if (!connection->corrupt || ++connection->carried % connection->corrupt)
		return;
	bit = connection->carried / connection->corrupt % (len * 8);
	bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

static void pass(struct fces_connection *connection, bool from_cu, uint8_t *bytes, size_t len)
{
	if (connection->tap)
		connection->tap(connection->tap_context, from_cu, bytes, len);
}

int fces_connection_agree(struct fces_connection *connection)
{
	uint8_t message[FCES_MESSAGE_MAX], reply[FCES_MESSAGE_MAX];
	bool from_cu = false;
	int len = fces_end_ask(&connection->channel, message);

	while (len > 0) {
		pass(connection, from_cu, message, (size_t)len);
		from_cu = !from_cu;
		len = fces_end_take(from_cu ? &connection->control_unit : &connection->channel,
				    message, (size_t)len, reply);
		if (len > 0)
			memcpy(message, reply, (size_t)len);
	}
	return len;
}

/* If this fails, the keys last a good while longer. */
static void change(struct fces_connection *connection)
{
	if (connection->wait) {
		connection->wait--;
	} else if (fces_connection_agree(connection) < 0) {
		/* The request will have no answer. */
		if (connection->channel.state == FCES_ASKED)
			fces_end_quiet(&connection->channel);
		connection->refused_changes++;
		connection->wait = RETRY;
	}
}

int fces_carry_frame(struct fces_connection *connection, bool from_cu, const uint8_t *frame,
		     size_t len, uint8_t *out, size_t room)
{
	struct fces_end *from = from_cu ? &connection->control_unit : &connection->channel;
	struct fces_end *to = from_cu ? &connection->channel : &connection->control_unit;
	uint8_t sealed[FCES_FRAME_MAX], due[FCES_DATA];
	int rc;

	if (fces_end_change_due(&connection->channel))
		change(connection);
	rc = fces_end_seal(from, frame, len, sealed, sizeof(sealed));
	if (rc < 0)
		return rc;
	/* Header and sequence number, by which no two frames under one key are the same. */
	memcpy(due, sealed, sizeof(due));
	pass(connection, from_cu, sealed, (size_t)rc);
	corrupt(connection, sealed, (size_t)rc);
	rc = fces_end_open(to, sealed, (size_t)rc, out, room);
	if (rc >= 0 && ((size_t)rc != len || memcmp(sealed, due, sizeof(due)))) {
		to->counters.misplaced++;
		memset(out, 0, (size_t)rc);
		return -EBADMSG;
	}
	return rc;
}

static uint8_t type_of(const struct fces_connection *connection, bool from_cu)
{
	if (connection->scsi)
		return TYPE_SCSI;
	return from_cu ? TYPE_FROM_CU : TYPE_TO_CU;
}

int fces_carry_unit(struct fces_connection *connection, bool from_cu, enum fc_category category,
		    uint16_t ox_id, const uint8_t *data, size_t len, uint8_t *out)
{
	uint8_t frame[FC_HEADER + CARRIED], arrived[FC_HEADER + CARRIED];
	struct fc_header header = {
		.r_ctl = (uint8_t)category,
		.type = type_of(connection, from_cu),
		.d_id = connection->port[!from_cu],
		.s_id = connection->port[from_cu],
		.seq_id = connection->seq_id++,
		.ox_id = ox_id,
	};
	size_t at = 0;

	do {
		const size_t part = len - at < CARRIED ? len - at : CARRIED;
		int rc;

		header.f_ctl = (at ? 0 : F_CTL_FIRST) | (at + part == len ? F_CTL_LAST : 0);
		header.parameter = (uint32_t)at;
		fc_header_put(frame, &header);
		memcpy(frame + FC_HEADER, data + at, part);
		rc = fces_carry_frame(connection, from_cu, frame, FC_HEADER + part, arrived,
				      sizeof(arrived));
		if (rc < 0) {
			if (out != data)
				memset(out, 0, len);
			return rc;
		}
		memcpy(out + at, arrived + FC_HEADER, part);
		header.seq_cnt++;
		at += part;
	} while (at < len);
	return 0;
}

int fces_carry(struct fces_connection *connection, bool from_cu, uint16_t ox_id,
	       const uint8_t *data, size_t len, uint8_t *out)
{
	return fces_carry_unit(connection, from_cu, FC_SOLICITED_DATA, ox_id, data, len, out);
}
