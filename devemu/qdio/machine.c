/* SPDX-License-Identifier: Apache-2.0 */
/* machine.c - the machine between two HiperSockets devices: SIGA, delivery, completion */
#include <string.h>

#include "lfp/bigend.h"
#include "lfp/once.h"
#include "devemu/qdio/port.h"

/* The parts of a frame, from a SBAL or a QAOB. */
struct parts {
	uint32_t nr, len; /* bytes of all */
	struct {
		uint64_t address;
		uint32_t len;
	} part[QDIO_ELEMENTS];
};

static void trace(struct qdio_port *port, uint8_t kind, uint8_t side, uint64_t sequence,
		  uint64_t qaob, uint8_t code)
{
	struct qdio_event event = {
		.kind = kind, .side = side, .sequence = sequence, .qaob = qaob, .code = code};

	qdio_trace_event(port->trace, &event);
}

static void between(struct qdio_port *port)
{
	if (port->between)
		port->between(port->data);
}

uint8_t qdio_state(const struct qdio_port *port, const struct qdio_side *side,
		   enum qdio_queue queue, uint32_t index)
{
	index %= port->segment->geometry.buffers;
	return atomic_load_explicit(&side->slsb[queue][index], memory_order_acquire);
}

bool qdio_change(struct qdio_port *port, struct qdio_side *side, enum qdio_queue queue,
		 uint32_t index, uint8_t owner, uint8_t from, uint8_t to)
{
	struct qdio_event event = {
		.kind = QDIO_EV_STATE,
		.side = side == port->mine ? port->number : !port->number,
		.queue = (uint8_t)queue,
		.owner = owner,
		.index = index % port->segment->geometry.buffers,
		.from = from,
		.to = to,
	};

	qdio_trace_event(port->trace, &event);
	if (!atomic_compare_exchange_strong(&side->slsb[queue][event.index], &from, to))
		port->broken = true;
	return !port->broken;
}

uint64_t qdio_qaob_of(const struct qdio_side *side, uint32_t piece)
{
	return side->qaob + (uint64_t)piece * QDIO_QAOB;
}

static int32_t piece_at(const struct qdio_port *port, const struct qdio_side *side, uint64_t qaob)
{
	uint64_t offset = qaob - side->qaob;

	if (offset % QDIO_QAOB || offset / QDIO_QAOB >= qdio_pieces(port->segment))
		return -1;
	return (int32_t)(offset / QDIO_QAOB);
}

int32_t qdio_piece_of(const struct qdio_port *port, uint64_t qaob)
{
	return piece_at(port, port->mine, qaob);
}

/* Notifies the peer's program of a change: once, until the program has looked. */
static void present(struct qdio_port *port)
{
	if (atomic_exchange(&port->peer->control->dsci, 1))
		return;
	port->counts.interrupts_out++;
	if (port->interrupt)
		port->interrupt(port->data);
}

/* Each part is of the sender's memory, and all together are no more than a frame. */
static bool add_part(const struct qdio_port *port, const struct qdio_side *from,
		     struct parts *parts, uint64_t address, uint32_t len)
{
	uint64_t size = (uint64_t)qdio_pieces(port->segment) * port->segment->geometry.frame;
	uint64_t offset = address - from->out;

	if (!len || len > QDIO_PAGE || offset >= size || len > size - offset ||
	    parts->len + len > port->segment->geometry.frame)
		return false;
	parts->part[parts->nr].address = address;
	parts->part[parts->nr++].len = len;
	parts->len += len;
	return true;
}

static bool parts_of_sbal(const struct qdio_port *port, uint32_t slot, struct parts *parts)
{
	const uint8_t *sbal =
		port->mine->sbal[QDIO_OUT] + slot % port->segment->geometry.buffers * QDIO_SBAL;

	parts->nr = parts->len = 0;
	for (uint32_t i = 0; i < QDIO_ELEMENTS; i++) {
		const uint8_t *element = sbal + (size_t)i * QDIO_SBALE;
		uint8_t flags = once_u8(element);

		if (!add_part(port, port->mine, parts, once_be64(element + 8),
			      once_be32(element + 4)))
			return false;
		if (flags & QDIO_ELEMENT_LAST)
			return true;
	}
	return false;
}

static bool parts_of_qaob(const struct qdio_port *port, const struct qdio_side *from, uint64_t at,
			  struct parts *parts)
{
	const uint8_t *qaob = port->segment->memory + at;
	uint8_t nr = once_u8(qaob + QAOB_COUNT);

	parts->nr = parts->len = 0;
	if (!nr || nr > QDIO_ELEMENTS)
		return false;
	for (uint32_t i = 0; i < nr; i++)
		if (!add_part(port, from, parts, once_be64(qaob + QAOB_ADDRESS + 8 * i),
			      once_be16(qaob + QAOB_LENGTH + 2 * i)))
			return false;
	return true;
}

/* Copy a frame into input buffer @index of @to, which is empty, and let its program have it. */
static bool store(struct qdio_port *port, struct qdio_side *to, uint32_t index,
		  const struct parts *parts)
{
	uint32_t frame = port->segment->geometry.frame;
	uint8_t *sbal = to->sbal[QDIO_IN] + (size_t)index * QDIO_SBAL;
	uint64_t at = to->in + (uint64_t)index * frame;
	uint32_t left = parts->len;
	uint8_t *out = port->segment->memory + at;

	for (uint32_t i = 0; i < parts->nr; i++) {
		memcpy(out, port->segment->memory + parts->part[i].address, parts->part[i].len);
		out += parts->part[i].len;
	}
	for (uint32_t i = 0; i < QDIO_ELEMENTS && left; i++) {
		uint8_t *element = sbal + (size_t)i * QDIO_SBALE;
		uint32_t len = left < QDIO_PAGE ? left : QDIO_PAGE;

		/* The program's buffers are where it said when it made its queues. */
		if (once_be64(element + 8) != at + (uint64_t)i * QDIO_PAGE) {
			port->broken = true;
			return false;
		}
		left -= len;
		be32_put(element + 4, len);
		element[0] = left ? 0 : QDIO_ELEMENT_LAST;
	}
	return qdio_change(port, to, QDIO_IN, index, QDIO_OF_MACHINE, QDIO_IN_EMPTY,
			   QDIO_IN_PRIMED);
}

static void end_slot(struct qdio_port *port, uint32_t slot, uint8_t state)
{
	qdio_change(port, port->mine, QDIO_OUT, slot, QDIO_OF_MACHINE, QDIO_OUT_PRIMED, state);
}

static void lose(struct qdio_port *port, uint32_t slot)
{
	uint8_t *sbal =
		port->mine->sbal[QDIO_OUT] + slot % port->segment->geometry.buffers * QDIO_SBAL;

	port->counts.target_full++;
	trace(port, QDIO_EV_LOST, port->number, port->sequence, 0, 0);
	sbal[15 * QDIO_SBALE + 3] |= QDIO_TARGET_FULL;
	end_slot(port, slot, QDIO_OUT_ERROR);
}

static void append(struct qdio_port *port, uint32_t slot, uint64_t qaob)
{
	struct qdio_control *control = port->mine->control;
	uint32_t n = port->segment->geometry.buffers;
	struct qdio_pending *entry;

	port->waiting++;
	port->counts.pending_ever++;
	if (port->counts.pending_max < port->waiting)
		port->counts.pending_max = port->waiting;
	trace(port, QDIO_EV_PENDING, port->number, port->sequence, qaob, 0);
	if (port->faults.race && !port->late_slot) {
		port->faults.race--;
		port->late_slot = true;
		port->late = slot;
	} else {
		end_slot(port, slot, QDIO_OUT_PENDING);
	}
	entry = &port->mine->pending[port->appended++ % n];
	atomic_store_explicit(&entry->qaob, qaob, memory_order_relaxed);
	atomic_store_explicit(&entry->sequence, port->sequence, memory_order_relaxed);
	between(port);
	atomic_store_explicit(&control->pended, port->appended, memory_order_release);
	/* The target may have given back buffers before it could see this. */
	present(port);
}

/* Returns whether the list is empty; then the peer's next buffer is known. */
static bool list_is_empty(struct qdio_port *port)
{
	struct qdio_control *control = port->mine->control;
	uint64_t settled = atomic_load_explicit(&control->settled, memory_order_acquire);

	if (port->appended - settled > port->segment->geometry.buffers)
		port->broken = true;
	if (settled != port->settled)
		port->fill = (uint32_t)atomic_load(&control->fill);
	port->settled = settled;
	return settled == port->appended;
}

static struct qdio_cc accept_frame(struct qdio_port *port, uint32_t slot, uint64_t qaob,
				   const struct parts *parts)
{
	uint32_t n = port->segment->geometry.buffers;
	bool direct = list_is_empty(port) &&
		      qdio_state(port, port->peer, QDIO_IN, port->fill) == QDIO_IN_EMPTY;

	if (!direct && qaob && port->waiting >= n) {
		port->counts.full++;
		return (struct qdio_cc){2, false};
	}
	between(port);
	trace(port, QDIO_EV_ACCEPTED, port->number, port->sequence, qaob, 0);
	port->counts.frames_out++;
	port->counts.bytes_out += parts->len;
	if (direct) {
		trace(port, QDIO_EV_STORED, port->number, port->sequence, 0, 0);
		if (store(port, port->peer, port->fill++ % n, parts)) {
			end_slot(port, slot, QDIO_OUT_EMPTY);
			present(port);
		}
	} else if (qaob) {
		append(port, slot, qaob);
	} else {
		lose(port, slot);
	}
	port->sequence++;
	return (struct qdio_cc){0, false};
}

struct qdio_cc qdio_siga(struct qdio_port *port, enum qdio_function function, uint32_t slot,
			 uint64_t qaob)
{
	struct parts parts;

	if (port->gone || !atomic_load(&port->peer->control->active))
		return (struct qdio_cc){3, false};
	if (!atomic_load(&port->mine->control->active))
		return (struct qdio_cc){1, false};
	if (port->faults.busy) {
		port->faults.busy--;
		port->counts.busy++;
		return (struct qdio_cc){2, true};
	}
	if (qdio_state(port, port->mine, QDIO_OUT, slot) != QDIO_OUT_PRIMED ||
	    (function == QDIO_SIGA_WRITE_QAOB && piece_at(port, port->mine, qaob) < 0) ||
	    !parts_of_sbal(port, slot, &parts)) {
		port->broken = true;
		return (struct qdio_cc){1, false};
	}
	return accept_frame(port, slot, function == QDIO_SIGA_WRITE_QAOB ? qaob : 0, &parts);
}

static void post(struct qdio_port *port, uint64_t qaob)
{
	uint32_t index = port->posts++ % port->segment->geometry.buffers;

	be64_put(port->peer->sbal[QDIO_CQ] + (size_t)index * QDIO_SBAL + 8, qaob);
	qdio_change(port, port->peer, QDIO_CQ, index, QDIO_OF_MACHINE, QDIO_IN_EMPTY,
		    QDIO_IN_PRIMED);
	present(port);
}

static void pay_completions(struct qdio_port *port)
{
	uint32_t nr = 0;

	if (port->nr_owed && port->faults.late) {
		port->faults.late--;
		return;
	}
	while (nr < port->nr_owed && !port->broken &&
	       qdio_state(port, port->peer, QDIO_CQ, port->posts) == QDIO_IN_EMPTY)
		post(port, port->owed[nr++]);
	port->nr_owed -= nr;
	memmove(port->owed, port->owed + nr, port->nr_owed * sizeof(port->owed[0]));
}

static void owe(struct qdio_port *port, uint64_t qaob)
{
	port->owed[port->nr_owed++] = qaob;
	if (port->faults.duplicate && port->nr_owed < port->segment->geometry.buffers) {
		port->faults.duplicate--;
		port->owed[port->nr_owed++] = qaob;
	}
}

static void give_held(struct qdio_port *port)
{
	if (port->held && port->faults.hold) {
		port->faults.hold--;
		return;
	}
	for (; port->held; port->held--)
		qdio_change(port, port->mine, QDIO_IN, port->given - port->held, QDIO_OF_PROGRAM,
			    QDIO_IN_NOT_INIT, QDIO_IN_EMPTY);
	/* The sender sees the buffers, or this side what it has put on the list: both these changes
	 * and the look at the list that follows are sequentially consistent. */
}

/* Returns whether there is an empty buffer, which is then number `filled`. */
static bool has_buffer(struct qdio_port *port)
{
	uint32_t end = port->given - port->held;

	if ((int32_t)(port->taken - port->filled) > 0)
		port->filled = port->taken;
	while (port->filled != end &&
	       qdio_state(port, port->mine, QDIO_IN, port->filled) == QDIO_IN_PRIMED)
		port->filled++;
	return port->filled != end;
}

/* The oldest transfer of the peer's list is done. */
static void settle(struct qdio_port *port)
{
	struct qdio_control *control = port->peer->control;
	uint32_t n = port->segment->geometry.buffers;
	struct qdio_pending *entry = &port->peer->pending[port->drained % n];
	uint64_t qaob = atomic_load_explicit(&entry->qaob, memory_order_relaxed);
	uint64_t sequence = atomic_load_explicit(&entry->sequence, memory_order_relaxed);
	uint8_t code = port->faults.fail ? port->faults.aorc : QDIO_AORC_OK, side = !port->number;
	struct parts parts;

	if (piece_at(port, port->peer, qaob) < 0 ||
	    !parts_of_qaob(port, port->peer, qaob, &parts)) {
		port->broken = true;
		return;
	}
	if (code) {
		port->faults.fail--;
		trace(port, QDIO_EV_FAILED, side, sequence, qaob, code);
	} else {
		trace(port, QDIO_EV_STORED, side, sequence, qaob, 0);
		if (!store(port, port->mine, port->filled++ % n, &parts))
			return;
	}
	port->segment->memory[qaob + QAOB_AORC] = code;
	port->drained++;
	/* Our own program looks before it sleeps. */
	atomic_store(&port->mine->control->dsci, 1);
	atomic_store(&control->fill, port->filled % n);
	atomic_store_explicit(&control->settled, port->drained, memory_order_release);
	owe(port, qaob);
}

void qdio_machine_run(struct qdio_port *port)
{
	uint32_t n = port->segment->geometry.buffers;
	uint64_t pended;

	if (port->broken)
		return;
	give_held(port);
	pended = atomic_load(&port->peer->control->pended);
	if (pended - port->drained > n) {
		port->broken = true;
		return;
	}
	while (port->drained != pended && !port->broken && port->nr_owed < n - 1 &&
	       has_buffer(port)) {
		settle(port);
		between(port);
	}
	pay_completions(port);
}

bool qdio_machine_owes(const struct qdio_port *port)
{
	return !port->broken && !port->gone && (port->held || port->nr_owed || port->late_slot);
}

void qdio_machine_peer_gone(struct qdio_port *port)
{
	port->gone = true;
}
