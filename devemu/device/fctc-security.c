/* SPDX-License-Identifier: Apache-2.0 */
/* fctc-security.c - endpoint security of an FCTC connection
 *
 * Before the first packet of its commands, the side that has connected sends the first message of
 * an agreement (devemu/fces/end.h), or "SK", 1, 0: it is not capable. Commands wait until both
 * sides have agreed. Clear data on an encrypted connection, or a modified frame, ends the
 * connection.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "devemu/device/fctc-state.h"
#include "devemu/fces/packet.h"

/* Packets of the asker without an answer, after which there will be none: its commands are answered
 * one by one, behind what was asked before them. */
enum { UNANSWERED_MAX = 16 };

static const uint8_t not_capable[] = {'S', 'K', 1, 0};

/* A message is small: a socket without room for it counts as lost. */
static int tell(struct fctc *fctc, const uint8_t *message, size_t len)
{
	ssize_t n;

	do
		n = send(fctc->fd, message, len, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* Continues in the clear, unless this side requires encryption. */
static int in_the_clear(struct fctc *fctc)
{
	if (fctc->security == FCTC_ENCRYPTED || (fctc->end && fctc->required))
		return -EPERM;
	fctc->security = FCTC_CLEAR;
	return 0;
}

static int ask(struct fctc *fctc)
{
	uint8_t message[FCES_MESSAGE_MAX];
	int rc = fces_end_ask(fctc->end, message);

	if (rc < 0)
		return rc;
	fctc->asked = fctc->packets;
	rc = tell(fctc, message, (size_t)rc);
	if (rc < 0)
		fces_end_quiet(fctc->end);
	return rc;
}

int fctc_security_begin(struct fctc *fctc)
{
	int rc;

	fctc->security = fctc->end ? FCTC_AGREEING : FCTC_CLEAR;
	if (fctc->keeper)
		return 0;
	if (fctc->end) {
		rc = ask(fctc);
		if (rc == 0 || fctc->required)
			return rc;
		in_the_clear(fctc); /* without a key */
	}
	return tell(fctc, not_capable, sizeof(not_capable));
}

int fctc_security_seal(struct fctc *fctc, const uint8_t *packet, size_t len, const uint8_t **bytes)
{
	int rc;

	*bytes = packet;
	if (fctc->security == FCTC_AGREEING)
		return -EAGAIN;
	if (fctc->security == FCTC_CLEAR)
		return (int)len;
	if (!fctc->keeper && fctc->end->state != FCES_QUIET &&
	    (uint16_t)(fctc->packets - fctc->asked) >= UNANSWERED_MAX)
		fces_end_quiet(fctc->end);
	/* If that fails, the keys last a good while longer. */
	if (fctc->end->state == FCES_QUIET && fces_end_change_due(fctc->end)) {
		rc = ask(fctc);
		if (rc < 0)
			fctc->end->change_after += fctc->end->change_after / 16 + 1;
	}
	*bytes = fctc->sealed;
	return fces_packet_seal(fctc->end, ++fctc->packets, packet, len, fctc->sealed);
}

static int take_message(struct fctc *fctc, const uint8_t *message, size_t len)
{
	uint8_t reply[FCES_MESSAGE_MAX];
	int rc;

	if (len == sizeof(not_capable) && !memcmp(message, not_capable, len))
		return in_the_clear(fctc);
	if (!fctc->end)
		return fctc->keeper ? tell(fctc, not_capable, sizeof(not_capable)) : -EPROTO;
	rc = fces_end_take(fctc->end, message, len, reply);
	if (rc > 0)
		rc = tell(fctc, reply, (size_t)rc);
	if (fctc->security != FCTC_AGREEING)
		return 0; /* keys that do not change are no reason to end it */
	if (rc < 0) {
		rc = tell(fctc, not_capable, sizeof(not_capable));
		return rc < 0 ? rc : in_the_clear(fctc);
	}
	if (fces_end_ready(fctc->end) && fctc->end->state == FCES_QUIET)
		fctc->security = FCTC_ENCRYPTED;
	return 0;
}

int fctc_security_open(struct fctc *fctc, const uint8_t *bytes, size_t len, uint8_t *packet,
		       size_t room)
{
	int rc;

	if (len && bytes[0] == 'S')
		return take_message(fctc, bytes, len);
	if (len && bytes[0] == 'E') {
		if (fctc->security != FCTC_ENCRYPTED)
			return -EPROTO;
		rc = fces_packet_open(fctc->end, bytes, len, packet, room);
		return rc == -EALREADY ? 0 : rc; /* it was here before */
	}
	rc = in_the_clear(fctc);
	if (rc < 0)
		return rc;
	if (len > room)
		return -EMSGSIZE;
	memcpy(packet, bytes, len);
	return (int)len;
}
