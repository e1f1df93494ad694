/* SPDX-License-Identifier: Apache-2.0 */
/* io.h - one I/O on its way through a fabric: its start, its stages, its end */
#ifndef DEVEMU_FABRIC_IO_H
#define DEVEMU_FABRIC_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "devemu/clock/sim.h"
#include "devemu/fabric/fabric.h"
#include "devemu/fabric/processor.h"
#include "devemu/fabric/server.h"

struct exchange;

/*
 * Where an I/O is. A stage ends with one event, and with one more for each hop or server at which
 * it has to wait:
 *
 *   QUEUED    waits for an alias of its device (IOSQ) or for an open exchange (deferred)
 *   COMMAND   the channel processor makes the command
 *   FETCH     data of a write pass fan-out, domain, card and bus
 *   OUTBOUND  command, data, or both travel hop by hop
 *   CU        the control unit works, finds data or misses the cache
 *   GRANT     the control unit asks for more data of a write (transfer ready, pacing), hop by hop
 *   INBOUND   data and response travel back hop by hop
 *   RETURNED  the channel processor works on the response (FICON)
 *   STORE     data of a read pass bus, card, domain and fan-out
 *   END       the last byte is there
 *
 *   read:  COMMAND OUTBOUND CU INBOUND [RETURNED] STORE END
 *   write: COMMAND FETCH OUTBOUND {GRANT FETCH OUTBOUND} CU INBOUND [RETURNED] END; with transfer
 *          ready (zHPF) the first OUTBOUND carries the command alone, without a FETCH before it
 */
enum io_stage {
	IO_IDLE,
	IO_QUEUED,
	IO_COMMAND,
	IO_FETCH,
	IO_OUTBOUND,
	IO_CU,
	IO_GRANT,
	IO_INBOUND,
	IO_RETURNED,
	IO_STORE,
	IO_END,
};

struct io {
	struct sim_node node; /* first: handlers get the I/O from it */
	struct processor_job job;
	struct io *next; /* in a queue or on the free list */
	struct fabric *fabric;
	struct fabric_load *load;
	struct fabric_device *device;
	struct fabric_path *path;
	struct exchange *exchange; /* its channel program, of a device with a volume (volume.h) */
	uint64_t number;
	uint64_t place, serial; /* record or block on a volume; how many its load had before it */
	uint32_t bytes;         /* of a volume: in the end, those that have moved */
	uint32_t sent;          /* bytes of a write sent so far */
	uint8_t stage;          /* enum io_stage */
	uint8_t protocol;       /* OPERATION_FICON, _ZHPF, _FCP */
	bool write;
	bool miss;
	bool auto_program; /* PROGRAM_AUTO */
	bool granted;      /* a write's first data have been asked for */
	bool known_miss;   /* zHyperLink has not found it in the cache */
	uint8_t program;   /* enum load_program, for the second try of a synchronous I/O */
	uint8_t outcome;   /* enum zhyperlink_outcome of one */
	uint32_t align;    /* its data's address is a multiple of this; for zHyperLink's limits */
	uint8_t step;      /* hop or server that it is to pass next */
	uint16_t controls; /* control frames of the burst */
	uint32_t data;     /* bytes of data in the burst */
	struct burst burst;
	uint32_t epoch; /* of its path when it started: an older one was lost with a path that
			   failed */
	/* ps: wanted by its load, given to the device's queue, accepted by the device, started at
	 * the channel, command sent, command at the control unit; how long a cache miss took; how
	 * long the command travelled. */
	int64_t asked_at, queued_at, accepted_at, started_at, sent_at, command_at, disc, cmr;
	/* Called when it has ended, with @rc 0, -ENODEV (no path left) or -EIO (its program has not
	 * ended well, volume.h). Never NULL. */
	void (*ended)(struct io *io, int rc);
	void *context;
};

/* Takes a cleared I/O from the fabric, or returns NULL without memory. io_release() gives it back.
 */
struct io *io_take(struct fabric *fabric);
void io_release(struct io *io);

/* Frees all I/Os of a fabric. */
void io_blocks_free(struct fabric *fabric);

/* A first-in first-out queue. */
void io_queue_put(struct io_queue *queue, struct io *io);
struct io *io_queue_get(struct io_queue *queue); /* NULL: empty */

/* Starts the first stage of an I/O that has an open exchange of its path's channel (stages.c). From
 * now on io->node.handler is called at each event, and calls stages_step(). */
void stages_begin(struct io *io);

/* Handles an event of @io. Returns true after the last byte, when no event is pending any more. */
bool stages_step(struct io *io);

enum { FICON_IU = 8192 }; /* bytes of data in one information unit */

/* Returns how many of the @left bytes of a write may be sent without another request of the control
 * unit (window.c). @first: the control unit has not requested any yet. */
uint32_t window_bytes(const struct io *io, uint32_t left, bool first);

/*
 * Starts an I/O (drive.c). The caller takes it by io_take() and sets its device, bytes, write,
 * ended and context; @ended gives it back by io_release(). @program is as in a load.
 */
void io_start(struct io *io, enum load_program program);

/* Moves the I/Os that wait for an exchange of @channel to other channels. */
void channel_failed(struct fabric_channel *channel);

#endif
