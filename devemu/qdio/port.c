/* SPDX-License-Identifier: Apache-2.0 */
/* port.c - a program's half of its HiperSockets device */
#include "devemu/qdio/port.h"

#include <errno.h>
#include <string.h>

#include "lfp/bigend.h"
#include "lfp/once.h"

static void init_states(struct qdio_port *port, enum qdio_queue queue, uint32_t empty)
{
	uint8_t unused = queue == QDIO_OUT ? QDIO_OUT_NOT_INIT : QDIO_IN_NOT_INIT;

	for (uint32_t i = 0; i < port->segment->geometry.buffers; i++)
		atomic_store(&port->mine->slsb[queue][i], i < empty ? QDIO_IN_EMPTY : unused);
}

/* An input buffer has its memory for good. */
static void init_input(struct qdio_port *port)
{
	uint32_t frame = port->segment->geometry.frame;

	for (uint32_t i = 0; i < port->segment->geometry.buffers; i++)
		for (uint32_t e = 0; e < QDIO_ELEMENTS && e * QDIO_PAGE < frame; e++) {
			uint8_t *element = port->mine->sbal[QDIO_IN] + (size_t)i * QDIO_SBAL +
					   (size_t)e * QDIO_SBALE;

			be32_put(element + 4, QDIO_PAGE);
			be64_put(element + 8,
				 port->mine->in + (uint64_t)i * frame + (uint64_t)e * QDIO_PAGE);
		}
}

void qdio_port_init(struct qdio_port *port, struct qdio_segment *segment, unsigned int side,
		    uint32_t posted, bool cq)
{
	*port = (struct qdio_port){
		.segment = segment,
		.mine = &segment->side[side],
		.peer = &segment->side[!side],
		.posted = posted,
		.given = posted,
		.cq = cq,
		.number = (uint8_t)side,
		.placed = -1,
		.nr_free = qdio_pieces(segment),
	};
	for (uint32_t i = 0; i < port->nr_free; i++)
		port->free[i] = (uint16_t)i;
}

void qdio_activate(struct qdio_port *port)
{
	init_input(port);
	init_states(port, QDIO_OUT, 0);
	init_states(port, QDIO_IN, port->posted);
	init_states(port, QDIO_CQ, port->cq ? port->segment->geometry.buffers : 0);
	atomic_store(&port->mine->control->active, 1);
}

/* The piece used last is in the processor's cache and is used next. A piece that the machine has
 * had goes to the end, where a second completion of it does no harm. */
static void piece_free(struct qdio_port *port, uint32_t piece, bool last)
{
	uint32_t n = qdio_pieces(port->segment);

	port->piece[piece] = QDIO_FREE;
	if (!last)
		port->free_first = (port->free_first + n - 1) % n;
	port->free[(port->free_first + (last ? port->nr_free : 0)) % n] = (uint16_t)piece;
	port->nr_free++;
}

static void finish(struct qdio_port *port, uint32_t piece, uint8_t code)
{
	struct qdio_event event = {.kind = QDIO_EV_COMPLETED,
				   .side = port->number,
				   .qaob = qdio_qaob_of(port->mine, piece),
				   .code = code};

	qdio_trace_event(port->trace, &event);
	port->waiting--;
	piece_free(port, piece, true);
	switch (code) {
	case QDIO_AORC_OK:
		port->counts.done_ok++;
		return;
	case QDIO_AORC_UNREACHABLE:
	case QDIO_AORC_GONE:
	case 17:
	case 18:
		port->counts.done_unreachable++;
		port->failed = -EHOSTUNREACH;
		return;
	default:
		port->counts.done_error++;
		port->failed = -EIO;
	}
}

static uint8_t code_of(const struct qdio_port *port, uint32_t piece)
{
	return once_u8(port->segment->memory + qdio_qaob_of(port->mine, piece) + QAOB_AORC);
}

/* Returns whether the program owns slot number `scanned` again. */
static bool scan_one(struct qdio_port *port)
{
	uint32_t piece = port->in_slot[port->scanned % port->segment->geometry.buffers];

	switch (qdio_state(port, port->mine, QDIO_OUT, port->scanned)) {
	case QDIO_OUT_EMPTY:
		if (port->piece[piece] != QDIO_ON_WAY)
			break;
		piece_free(port, piece, false);
		return true;
	case QDIO_OUT_ERROR:
		if (port->piece[piece] != QDIO_ON_WAY)
			break;
		port->failed = -ENOBUFS;
		piece_free(port, piece, false);
		return true;
	case QDIO_OUT_PENDING:
		if (port->piece[piece] == QDIO_EARLY)
			finish(port, piece, code_of(port, piece));
		else if (port->piece[piece] == QDIO_ON_WAY)
			port->piece[piece] = QDIO_WAITS;
		else
			break;
		return true;
	case QDIO_OUT_PRIMED:
		if (port->late_slot && port->late == port->scanned) {
			port->late_slot = false;
			qdio_change(port, port->mine, QDIO_OUT, port->late, QDIO_OF_MACHINE,
				    QDIO_OUT_PRIMED, QDIO_OUT_PENDING);
		}
		return false;
	default:
		break;
	}
	port->broken = true;
	return false;
}

static void scan(struct qdio_port *port)
{
	while (port->scanned != port->slot && !port->broken && scan_one(port))
		port->scanned++;
}

uint8_t *qdio_place(struct qdio_port *port)
{
	uint32_t n = qdio_pieces(port->segment);

	if (port->placed < 0) {
		scan(port);
		if (port->broken || !port->nr_free ||
		    port->slot - port->scanned == port->segment->geometry.buffers)
			return NULL;
		port->placed = port->free[port->free_first];
		port->free_first = (port->free_first + 1) % n;
		port->nr_free--;
		port->piece[port->placed] = QDIO_PLACED;
	}
	return port->segment->memory + port->mine->out +
	       (uint64_t)port->placed * port->segment->geometry.frame;
}

static void describe(struct qdio_port *port, uint32_t piece, uint32_t len)
{
	uint8_t *sbal = port->mine->sbal[QDIO_OUT] +
			port->slot % port->segment->geometry.buffers * QDIO_SBAL;
	uint8_t *qaob = port->segment->memory + qdio_qaob_of(port->mine, piece);
	uint64_t at = port->mine->out + (uint64_t)piece * port->segment->geometry.frame;
	uint32_t i;

	memset(sbal, 0, QDIO_SBAL);
	memset(qaob, 0, QDIO_QAOB);
	for (i = 0; len; i++) {
		uint32_t size = len < QDIO_PAGE ? len : QDIO_PAGE;
		uint8_t *element = sbal + (size_t)i * QDIO_SBALE;

		len -= size;
		element[0] = len ? 0 : QDIO_ELEMENT_LAST;
		be32_put(element + 4, size);
		be64_put(element + 8, at);
		be64_put(qaob + QAOB_ADDRESS + 8 * i, at);
		be16_put(qaob + QAOB_LENGTH + 2 * i, (uint16_t)size);
		at += size;
	}
	qaob[QAOB_COUNT] = (uint8_t)i;
	be64_put(qaob + QAOB_USER, piece);
}

/* SIGA for the last slot. */
static int initiate(struct qdio_port *port)
{
	uint32_t slot = port->slot - 1, before = port->waiting;
	uint32_t piece = port->in_slot[slot % port->segment->geometry.buffers];
	struct qdio_cc cc = qdio_siga(port, port->cq ? QDIO_SIGA_WRITE_QAOB : QDIO_SIGA_WRITE, slot,
				      qdio_qaob_of(port->mine, piece));
	int earlier = port->failed;
	bool lost;

	port->primed = cc.cc == 2;
	if (cc.cc == 2)
		return QDIO_PRIMED;
	if (port->broken)
		return -EPROTO;
	if (cc.cc)
		return -EPIPE;
	port->failed = 0;
	scan(port);
	if (port->broken)
		return -EPROTO;
	lost = port->failed == -ENOBUFS;
	if (lost || !port->failed)
		port->failed = earlier;
	return lost ? -ENOBUFS : port->waiting != before ? QDIO_PENDING : QDIO_DELIVERED;
}

int qdio_kick(struct qdio_port *port)
{
	if (port->broken)
		return -EPROTO;
	return port->primed ? initiate(port) : QDIO_DELIVERED;
}

int qdio_send(struct qdio_port *port, size_t len)
{
	uint32_t n = port->segment->geometry.buffers, piece = (uint32_t)port->placed;
	uint8_t from;
	int rc;

	if (port->broken)
		return -EPROTO;
	if (port->placed < 0 || !len || len > port->segment->geometry.frame)
		return -EINVAL;
	if (port->waiting >= n || port->slot - port->scanned == n)
		return -EAGAIN;
	rc = qdio_kick(port);
	if (rc == QDIO_PRIMED)
		return -EAGAIN;
	if (rc == -ENOBUFS)
		port->failed = rc; /* the one before: this one may arrive */
	else if (rc < 0)
		return rc;
	describe(port, piece, (uint32_t)len);
	from = qdio_state(port, port->mine, QDIO_OUT, port->slot);
	if (!qdio_change(port, port->mine, QDIO_OUT, port->slot, QDIO_OF_PROGRAM, from,
			 QDIO_OUT_PRIMED))
		return -EPROTO;
	port->in_slot[port->slot++ % n] = (uint16_t)piece;
	port->piece[piece] = QDIO_ON_WAY;
	port->placed = -1;
	return initiate(port);
}

int qdio_send_copy(struct qdio_port *port, const void *bytes, size_t len)
{
	int32_t placed = port->placed;
	uint8_t *at;
	int rc = -EAGAIN;

	if (port->broken)
		return -EPROTO;
	if (len > port->segment->geometry.frame)
		return -EINVAL;
	port->placed = -1;
	at = qdio_place(port);
	if (at) {
		memcpy(at, bytes, len);
		rc = qdio_send(port, len);
	}
	if (port->placed >= 0)
		piece_free(port, (uint32_t)port->placed, false);
	port->placed = placed;
	return rc;
}

/* The QAOB of @piece is complete. */
static void complete_piece(struct qdio_port *port, uint32_t piece)
{
	switch (port->piece[piece]) {
	case QDIO_WAITS:
		finish(port, piece, code_of(port, piece));
		break;
	case QDIO_ON_WAY:
		port->piece[piece] = QDIO_EARLY;
		break;
	default:
		port->counts.done_twice++;
		break;
	}
}

int qdio_complete(struct qdio_port *port)
{
	uint32_t n = port->segment->geometry.buffers;
	int nr = 0, failed;

	/* The slots are scanned afterwards, so a completion may precede its slot's state, as on the
	 * real machine. Later completions cause an interrupt of their own, so the loop ends. */
	while (port->cq && !port->broken && nr < (int)n &&
	       qdio_state(port, port->mine, QDIO_CQ, port->completed) == QDIO_IN_PRIMED) {
		uint32_t index = port->completed++ % n;
		const uint8_t *sbal = port->mine->sbal[QDIO_CQ] + (size_t)index * QDIO_SBAL;
		int32_t piece = qdio_piece_of(port, once_be64(sbal + 8));

		if (piece < 0) {
			port->broken = true;
			break;
		}
		qdio_change(port, port->mine, QDIO_CQ, index, QDIO_OF_PROGRAM, QDIO_IN_PRIMED,
			    QDIO_IN_NOT_INIT);
		complete_piece(port, (uint32_t)piece);
		qdio_change(port, port->mine, QDIO_CQ, index, QDIO_OF_PROGRAM, QDIO_IN_NOT_INIT,
			    QDIO_IN_EMPTY);
		nr++;
	}
	scan(port);
	for (uint32_t i = 0; port->gone && i < qdio_pieces(port->segment); i++)
		if (port->piece[i] == QDIO_WAITS || port->piece[i] == QDIO_EARLY) {
			finish(port, i, QDIO_AORC_GONE);
			nr++;
		}
	if (port->broken)
		return -EPROTO;
	failed = port->failed;
	port->failed = 0;
	return failed ? failed : nr;
}

bool qdio_noticed(struct qdio_port *port)
{
	bool any = atomic_exchange(&port->mine->control->dsci, 0);

	port->counts.interrupts_in += any;
	return any;
}

int qdio_receive(struct qdio_port *port, struct iovec *frame)
{
	uint32_t n = port->segment->geometry.buffers, index = port->taken % n;
	uint32_t size = port->segment->geometry.frame, len = 0;
	const uint8_t *sbal = port->mine->sbal[QDIO_IN] + (size_t)index * QDIO_SBAL;

	if (port->broken)
		return -EPROTO;
	if (qdio_state(port, port->mine, QDIO_IN, index) != QDIO_IN_PRIMED)
		return 0;
	/* The machine fills only what it was given. */
	if (port->taken == port->given - port->held)
		port->broken = true;
	for (uint32_t i = 0; i < QDIO_ELEMENTS; i++) {
		const uint8_t *element = sbal + (size_t)i * QDIO_SBALE;
		uint8_t flags = once_u8(element);
		uint32_t part = once_be32(element + 4);

		if (part > QDIO_PAGE || len + part > size)
			port->broken = true;
		len += part;
		if (port->broken || flags & QDIO_ELEMENT_LAST)
			break;
		if (part != QDIO_PAGE || i == QDIO_ELEMENTS - 1)
			port->broken = true;
	}
	if (port->broken || !qdio_change(port, port->mine, QDIO_IN, index, QDIO_OF_PROGRAM,
					 QDIO_IN_PRIMED, QDIO_IN_NOT_INIT))
		return -EPROTO;
	port->taken++;
	port->counts.frames_in++;
	port->counts.bytes_in += len;
	*frame = (struct iovec){port->segment->memory + port->mine->in + (uint64_t)index * size,
				len};
	return 1;
}

void qdio_replenish(struct qdio_port *port, uint32_t nr)
{
	port->given += nr;
	port->held += nr;
	qdio_machine_run(port);
}
