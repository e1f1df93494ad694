/* SPDX-License-Identifier: Apache-2.0 */
/* fctc.c - a FICON channel-to-channel device whose other side is in another process
 *
 * A packet of the socket (SOCK_SEQPACKET): 'F', 1, kind, command, status, sense, sequence (2), and
 * a block behind that; on an encrypted connection in sealed frames (fctc-security.c).
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/bigend.h"
#include "devemu/device/fctc.h"
#include "devemu/device/fctc-state.h"
#include "devemu/fces/packet.h"

#define HEADER     8u
#define QUEUE_MAX  64u /* a program that halts and starts faster than the other process runs */
#define SEALED_MAX fces_packet_room(HEADER + FCTC_BLOCK_MAX)
#define OURS       0
#define THEIRS     1

enum kind {
	KIND_COMMAND = 1,   /* to the keeper: command, sequence, block */
	KIND_RESET = 2,     /* to the keeper */
	KIND_RESULT = 3,    /* from the keeper: status, sense, sequence, block */
	KIND_ATTENTION = 4, /* from the keeper */
};

struct fctc_packet {
	struct fctc_packet *next;
	size_t len;
	uint8_t bytes[];
};

static void drop(struct fctc_packet **list, unsigned int *count)
{
	while (*list) {
		struct fctc_packet *next = (*list)->next;

		free(*list);
		*list = next;
	}
	*count = 0;
}

/* A packet of that length at the end of a list; NULL if there is no room for it. */
static struct fctc_packet *append(struct fctc_packet **list, unsigned int *count, size_t len)
{
	struct fctc_packet *packet = *count < QUEUE_MAX ? malloc(sizeof(*packet) + len) : NULL;

	if (!packet)
		return NULL;
	packet->next = NULL;
	packet->len = len;
	while (*list)
		list = &(*list)->next;
	*list = packet;
	++*count;
	return packet;
}

static void lose(struct fctc *fctc)
{
	if (fctc->fd >= 0)
		close(fctc->fd);
	fctc->fd = -1;
	drop(&fctc->queue, &fctc->queued);
	/* A command that the keeper had is as one that waited here. */
	if (!fctc->keeper && fctc->submitted && !fctc->adapter.side[OURS].ended)
		fctc->adapter.side[OURS].state = FCTC_PREPARED;
	fctc_adapter_go(&fctc->adapter, THEIRS);
}

/* Returns false when nothing more goes now. */
static bool flush(struct fctc *fctc)
{
	while (fctc->queue) {
		struct fctc_packet *packet = fctc->queue;
		const uint8_t *bytes;
		const int len = fctc_security_seal(fctc, packet->bytes, packet->len, &bytes);
		ssize_t n;

		if (len == -EAGAIN)
			return false;
		errno = EPROTO;
		n = len < 0 ? -1 : send(fctc->fd, bytes, (size_t)len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return false;
		/* Data sent before the end comes first, then the end: fctc_ready(). */
		if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) {
			drop(&fctc->queue, &fctc->queued);
			return false;
		}
		if (n < 0) {
			lose(fctc);
			return false;
		}
		fctc->queue = packet->next;
		fctc->queued--;
		free(packet);
	}
	return true;
}

static void put_packet(struct fctc *fctc, enum kind kind, uint8_t cmd, const struct fctc_side *side)
{
	size_t len = HEADER + (side ? side->len : 0);
	struct fctc_packet *packet;
	uint8_t *p;

	if (fctc->fd < 0)
		return;
	packet = append(&fctc->queue, &fctc->queued, len);
	if (!packet) {
		lose(fctc);
		return;
	}
	p = packet->bytes;
	p[0] = 'F';
	p[1] = 1;
	p[2] = (uint8_t)kind;
	p[3] = cmd;
	p[4] = side ? side->status : 0;
	p[5] = side ? side->sense : 0;
	be16_put(p + 6, fctc->sequence);
	if (len > HEADER)
		memcpy(p + HEADER, side->data, side->len);
	flush(fctc);
}

/* Delivers the results of both sides of the adapter. */
static void tell(struct fctc *fctc)
{
	struct fctc_side *ours = &fctc->adapter.side[OURS], *theirs = &fctc->adapter.side[THEIRS];

	if (fctc->keeper && theirs->ended) {
		theirs->ended = false;
		put_packet(fctc, KIND_RESULT, fctc->their_cmd, theirs);
	}
	if (fctc->keeper && theirs->attention) {
		theirs->attention = false;
		put_packet(fctc, KIND_ATTENTION, 0, NULL);
	}
	if (ours->attention) {
		ours->attention = false;
		if (fctc->unsolicited)
			fctc->unsolicited(fctc->ctx, UNIT_ATTENTION);
	}
}

static bool take_command(struct fctc *fctc, const uint8_t *p, size_t len)
{
	struct fctc_side *theirs = &fctc->adapter.side[THEIRS];

	/* One at a time: a side that works has not heard the end of its last one. */
	if (!fctc->keeper || theirs->state != FCTC_AVAILABLE)
		return false;
	fctc->sequence = be16_get(p + 6);
	fctc->their_cmd = p[3];
	fctc_adapter_command(&fctc->adapter, THEIRS, p[3], p + HEADER, (uint32_t)(len - HEADER));
	return true;
}

static bool is_read(uint8_t cmd)
{
	return fctc_class(cmd) == FCTC_READ || fctc_class(cmd) == FCTC_READ_BACKWARD;
}

static void end_ours(struct fctc *fctc, uint8_t status, uint8_t sense, const uint8_t *data,
		     size_t len)
{
	struct fctc_side *ours = &fctc->adapter.side[OURS];

	ours->ended = true;
	ours->status = status;
	ours->sense = sense;
	ours->len = (uint32_t)len;
	memcpy(ours->data, data, len);
}

/*
 * The end of a halted command is dropped. But its block counts as read for the writer, so the next
 * Read gets it. A Read that waits already gets it, and the keeper forgets that Read.
 */
static bool take_late(struct fctc *fctc, const uint8_t *p, size_t len)
{
	struct fctc_packet *packet;

	if (!is_read(p[3]) || p[4] != UNIT_END)
		return true;
	if (fctc->submitted && !fctc->adapter.side[OURS].ended && is_read(fctc->cmd)) {
		put_packet(fctc, KIND_RESET, 0, NULL);
		end_ours(fctc, UNIT_END, 0, p + HEADER, len - HEADER);
		return true;
	}
	packet = append(&fctc->kept, &fctc->kept_count, len - HEADER);
	if (packet)
		memcpy(packet->bytes, p + HEADER, len - HEADER);
	return packet;
}

static bool take_result(struct fctc *fctc, const uint8_t *p, size_t len)
{
	if (fctc->keeper)
		return false;
	if (!fctc->submitted || fctc->adapter.side[OURS].ended || be16_get(p + 6) != fctc->sequence)
		return take_late(fctc, p, len);
	end_ours(fctc, p[4], p[5], p + HEADER, len - HEADER);
	return true;
}

/* A block that came too late for its Read. */
static bool take_kept(struct fctc *fctc)
{
	struct fctc_packet *packet = fctc->kept;

	if (!packet)
		return false;
	fctc->kept = packet->next;
	fctc->kept_count--;
	end_ours(fctc, UNIT_END, 0, packet->bytes, packet->len);
	free(packet);
	return true;
}

/* Returns false for an invalid packet. */
static bool take(struct fctc *fctc, const uint8_t *p, size_t len)
{
	if (len < HEADER || p[0] != 'F' || p[1] != 1)
		return false;
	switch (p[2]) {
	case KIND_COMMAND:
		return take_command(fctc, p, len);
	case KIND_RESET:
		if (!fctc->keeper)
			return false;
		fctc_adapter_reset(&fctc->adapter, THEIRS);
		return true;
	case KIND_RESULT:
		return take_result(fctc, p, len);
	case KIND_ATTENTION:
		if (fctc->keeper)
			return false;
		fctc->adapter.side[OURS].attention = !fctc->submitted;
		return true;
	default:
		return false;
	}
}

int fctc_ready(struct fctc *fctc)
{
	bool reset = false;

	if (fctc->fd < 0)
		return -EPIPE;
	flush(fctc);
	while (fctc->fd >= 0) {
		ssize_t n = recv(fctc->fd, fctc->sealed, SEALED_MAX, MSG_TRUNC);
		int len;

		/* The kernel reports a reset once, before packets that arrived earlier; those are
		 * still readable. */
		if (n < 0 && (errno == EINTR || (errno == ECONNRESET && !reset))) {
			reset |= errno == ECONNRESET;
			continue;
		}
		if (n < 0 && errno == EAGAIN)
			return 0;
		/* An empty packet is no packet, and the end of the connection looks the same. */
		len = n <= 0 || (size_t)n > SEALED_MAX
			      ? -EPROTO
			      : fctc_security_open(fctc, fctc->sealed, (size_t)n, fctc->packet,
						   HEADER + FCTC_BLOCK_MAX);
		if (len < 0 || (len > 0 && !take(fctc, fctc->packet, (size_t)len)))
			lose(fctc);
		else if (len == 0)
			flush(fctc);
		tell(fctc);
	}
	return -EPIPE;
}

short fctc_events(const struct fctc *fctc)
{
	/* Until the sides agree, room for what waits is of no use. */
	return fctc->queue && fctc->security != FCTC_AGREEING ? POLLIN | POLLOUT : POLLIN;
}

static const uint8_t sense_id[7] = {0xff, 0x30, 0x88, 0x1e, 0x30, 0x88, 0x1e};

/* Commands that do not need the other side. */
static bool by_itself(struct fctc *fctc, struct device_call *call)
{
	struct fctc_side *ours = &fctc->adapter.side[OURS];
	uint8_t bytes[256] = {0};

	switch (fctc_class(call->cmd)) {
	case FCTC_SENSE_ID:
		call_push(call, sense_id, sizeof(sense_id));
		return true;
	case FCTC_SENSE_STATE:
		/* Sense byte 0, and: X'80' extended mode, X'40' the other side is connected. */
		bytes[0] = fctc->device.sense[0];
		bytes[1] = (uint8_t)((ours->extended ? 0x80 : 0) | (fctc->fd >= 0 ? 0x40 : 0));
		call_push(call, bytes, 2);
		memset(fctc->device.sense, 0, DEVICE_SENSE);
		return true;
	case FCTC_CONFIGURATION:
		bytes[0] = 0xc4; /* one node-element descriptor, without a serial number */
		be16_put(bytes + 30, fctc->device.number);
		call_push(call, bytes, sizeof(bytes));
		return true;
	default:
		return false;
	}
}

static void submit(struct fctc *fctc, struct device_call *call)
{
	struct fctc_side *ours = &fctc->adapter.side[OURS];
	enum fctc_class class = fctc_class(call->cmd);
	uint32_t len = 0;

	if (class == FCTC_WRITE || class == FCTC_WRITE_EOF || class == FCTC_CONTROL) {
		call_pull(call, NULL, 0);
		len = (uint32_t)call_pull_optional(call, fctc->packet + HEADER, FCTC_BLOCK_MAX);
		if (call->failed)
			return;
		if (class == FCTC_CONTROL || (class == FCTC_WRITE_EOF && ours->extended))
			len = 0;
	}
	fctc->submitted = true;
	fctc->cmd = call->cmd;
	if (is_read(call->cmd) && take_kept(fctc))
		return;
	if (fctc->keeper || fctc->fd < 0) {
		fctc_adapter_command(&fctc->adapter, OURS, call->cmd, fctc->packet + HEADER, len);
		tell(fctc);
		return;
	}
	/* The keeper knows modes; what is ours is only for this side's reports. */
	if (class == FCTC_EXTENDED_MODE || class == FCTC_BASIC_MODE)
		ours->extended = class == FCTC_EXTENDED_MODE;
	ours->ended = false;
	ours->len = len;
	memcpy(ours->data, fctc->packet + HEADER, len);
	ours->status = ours->sense = 0;
	fctc->sequence++;
	put_packet(fctc, KIND_COMMAND, call->cmd, ours);
}

static uint8_t command(struct device *device, struct device_call *call)
{
	struct fctc *fctc = (struct fctc *)device;
	struct fctc_side *ours = &fctc->adapter.side[OURS];

	if (!call->again) {
		if (by_itself(fctc, call))
			return UNIT_END;
		submit(fctc, call);
		if (call->failed)
			return UNIT_END;
	}
	if (!ours->ended)
		return DEVICE_LATER;
	ours->ended = false;
	fctc->submitted = false;
	switch (fctc_class(call->cmd)) {
	case FCTC_READ:
	case FCTC_READ_BACKWARD:
	case FCTC_SENSE_COMMAND:
		if (!(ours->status & (UNIT_CHECK | UNIT_BUSY)))
			call_push(call, ours->data, ours->status & UNIT_EXCEPTION ? 0 : ours->len);
		break;
	default:
		break;
	}
	if (ours->status & UNIT_CHECK) {
		memset(device->sense, 0, DEVICE_SENSE);
		device->sense[0] = ours->sense;
	}
	return ours->status;
}

static void reset(struct device *device)
{
	struct fctc *fctc = (struct fctc *)device;

	if (!fctc->keeper && fctc->submitted && !fctc->adapter.side[OURS].ended)
		put_packet(fctc, KIND_RESET, 0, NULL);
	fctc_adapter_reset(&fctc->adapter, OURS);
	fctc->submitted = false;
}

static void destroy(struct device *device)
{
	fctc_destroy((struct fctc *)device);
}

static const struct device_ops ops = {
	.name = "FCTC",
	.command = command,
	.reset = reset,
	.destroy = destroy,
};

void fctc_secure(struct fctc *fctc, struct fces_end *end, bool required)
{
	fctc->end = end;
	fctc->required = required;
}

bool fctc_encrypted(const struct fctc *fctc)
{
	return fctc->fd >= 0 && fctc->security == FCTC_ENCRYPTED;
}

struct fctc *fctc_create(uint16_t number)
{
	struct fctc *fctc = calloc(1, sizeof(*fctc));

	if (!fctc)
		return NULL;
	fctc->device.ops = &ops;
	fctc->device.number = number;
	fctc->device.sense_len = DEVICE_SENSE;
	fctc->fd = -1;
	fctc->packet = malloc(HEADER + FCTC_BLOCK_MAX);
	fctc->sealed = malloc(SEALED_MAX);
	if (!fctc->packet || !fctc->sealed || fctc_adapter_init(&fctc->adapter)) {
		free(fctc->packet);
		free(fctc->sealed);
		free(fctc);
		errno = ENOMEM;
		return NULL;
	}
	fctc_adapter_come(&fctc->adapter, OURS);
	return fctc;
}

void fctc_destroy(struct fctc *fctc)
{
	if (!fctc)
		return;
	if (fctc->fd >= 0)
		close(fctc->fd);
	drop(&fctc->queue, &fctc->queued);
	drop(&fctc->kept, &fctc->kept_count);
	fctc_adapter_finish(&fctc->adapter);
	free(fctc->packet);
	free(fctc->sealed);
	free(fctc);
}

void fctc_attach(struct fctc *fctc, int fd, bool keeper)
{
	if (fctc->fd >= 0)
		lose(fctc);
	drop(&fctc->kept, &fctc->kept_count);
	fctc->fd = fd;
	fctc->keeper = keeper;
	fctc->sequence = 0;
	fctc->adapter.side[OURS].extended = false;
	fctc_adapter_come(&fctc->adapter, THEIRS);
	if (fctc_security_begin(fctc) < 0)
		lose(fctc);
	if (fctc->fd >= 0 && fctc->unsolicited)
		fctc->unsolicited(fctc->ctx, UNIT_DEVICE_END);
}
