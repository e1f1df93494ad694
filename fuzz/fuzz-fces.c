/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-fces.c - what comes to an end with endpoint security: frames, packets, messages of
 * agreements
 *
 * The first byte selects the meaning of the rest. The fuzzer cannot guess an integrity check value:
 * an opened frame must equal the sealed one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/fces/connection.h"
#include "devemu/fces/packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int source(void *context, uint32_t id, struct fces_shared *shared)
{
	(void)context;
	(void)id;
	memset(shared, 7, sizeof(*shared));
	return 0;
}

static struct fces_connection *setup(void)
{
	static const struct fces_connection_names names = {"A", "B", 1, 2, false};
	struct fces_connection *made = fces_connection_create(&names, source, NULL, NULL);

	if (!made || fces_connection_agree(made) < 0)
		abort();
	return made;
}

/* Bytes of the input over those of a frame that is good: sealed here, with the SPI in force. */
static void changed(struct fces_connection *connection, const uint8_t *data, size_t size)
{
	uint8_t frame[FC_HEADER + 100] = {0}, sealed[FC_HEADER + 100 + FCES_OVERHEAD];
	uint8_t out[FC_FRAME_MAX];
	bool same = true;
	int rc;

	if (fces_end_seal(&connection->channel, frame, sizeof(frame), sealed, sizeof(sealed)) !=
	    (int)sizeof(sealed))
		abort();
	for (size_t i = 0; i < size && i < sizeof(sealed); i++) {
		sealed[i] ^= data[i];
		same &= data[i] == 0;
	}
	rc = fces_end_open(&connection->control_unit, sealed, sizeof(sealed), out, sizeof(out));
	if ((rc == (int)sizeof(frame)) != same || (rc > 0 && memcmp(out, frame, sizeof(frame))))
		abort();
}

static void messages(struct fces_connection *connection, const uint8_t *data, size_t size)
{
	uint8_t message[FCES_MESSAGE_MAX], reply[FCES_MESSAGE_MAX];

	/* Also in the middle of an agreement, whose messages the fuzzer cannot guess either. */
	if (size & 1 && fces_end_ask(&connection->channel, message) < 0)
		abort();
	fces_end_take(&connection->channel, data, size, reply);
	fces_end_take(&connection->control_unit, data, size, reply);
	if (connection->channel.changes != 1 || connection->control_unit.changes != 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fces_connection *connection;
	uint8_t out[8192];
	int what;

	if (size < 1)
		return 0;
	what = *data++;
	size--;
	connection = setup();
	switch (what % 4) {
	case 0:
		if (fces_end_open(&connection->channel, data, size, out, sizeof(out)) > 0)
			abort();
		break;
	case 1:
		changed(connection, data, size);
		break;
	case 2:
		if (fces_packet_open(&connection->channel, data, size, out, sizeof(out)) > 0)
			abort();
		break;
	default:
		messages(connection, data, size);
	}
	/* The two ends must continue after any input. */
	memset(out, 0x5a, 100);
	if (fces_carry(connection, what & 4, 1, out, 100, out) < 0 || out[99] != 0x5a)
		abort();
	fces_connection_destroy(connection);
	return 0;
}
