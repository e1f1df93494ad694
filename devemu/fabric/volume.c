/* SPDX-License-Identifier: Apache-2.0 */
/* volume.c - I/Os of a fabric as channel programs on real bytes */
#include "devemu/fabric/volume.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/device/ckd-geometry.h"
#include "devemu/device/ckd-records.h"
#include "devemu/fabric/sealed.h"
#include "devemu/fabric/trace.h"
#include "devemu/zhyperlink/limits.h"

void volume_close(struct volume *volume)
{
	struct exchange *exchange;

	if (!volume)
		return;
	while ((exchange = volume->all)) {
		volume->all = exchange->all;
		exchange_destroy(exchange);
	}
	ckd_close(volume->image);
	scsi_disk_close(volume->disk);
	free(volume->path);
	free(volume);
}

static struct exchange *take(struct volume *volume, unsigned int number)
{
	struct exchange *exchange = volume->idle;

	if (exchange) {
		volume->idle = exchange->next;
		return exchange;
	}
	exchange = exchange_create(volume->image, volume->disk, (uint16_t)number, volume->room);
	if (exchange) {
		exchange->all = volume->all;
		volume->all = exchange;
	}
	return exchange;
}

static void give(struct volume *volume, struct exchange *exchange)
{
	exchange->next = volume->idle;
	volume->idle = exchange;
}

/* I/Os of one size lie one behind the other, without sharing a track where that is possible: as
 * many to a track as it has room for, or each on tracks of its own. */
uint64_t volume_place(const struct volume *volume, struct random *random, uint32_t bytes)
{
	const uint32_t count = bytes / CKD_4K;
	uint32_t step;

	if (volume->disk) {
		const uint32_t blocks = bytes / SCSI_BLOCK;

		return random_below(random, volume->disk->blocks / blocks) * blocks;
	}
	if (CKD_4K_PER_TRACK % count == 0)
		step = count;
	else
		step = (count + CKD_4K_PER_TRACK - 1) / CKD_4K_PER_TRACK * CKD_4K_PER_TRACK;
	return random_below(random, ckd_4k_records(volume->image) / step) * step;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

/* Fills in the data of a write: each word differs from all other words of the load. */
static void fill(uint8_t *at, const struct io *io)
{
	uint64_t word = mix(io->place + 1) ^ mix(~io->serial);

	for (uint32_t i = 0; i < io->bytes; i += 8, word += UINT64_C(0x9E3779B97F4A7C15)) {
		const uint64_t little = htole64(word);

		memcpy(at + i, &little, io->bytes - i < 8 ? io->bytes - i : 8);
	}
}

__extension__ typedef unsigned __int128 wide;

static uint64_t fold(uint64_t a, uint64_t b)
{
	const wide product = (wide)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t load(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return le64toh(word);
}

/* Four products of two words at a time, each with variables of its own, or it would take as long as
 * a channel program. It tells bytes apart, and is no signature. */
static uint64_t hash(uint64_t place, const uint8_t *at, uint32_t bytes)
{
	const uint64_t salt = UINT64_C(0xA0761D6478BD642F);
	uint64_t a = mix(place), b = mix(bytes), c = 2, d = 3;
	const uint8_t *end = at + bytes;

	for (; end - at >= 64; at += 64) {
		a = fold(load(at) ^ salt, load(at + 8) ^ a);
		b = fold(load(at + 16) ^ salt, load(at + 24) ^ b);
		c = fold(load(at + 32) ^ salt, load(at + 40) ^ c);
		d = fold(load(at + 48) ^ salt, load(at + 56) ^ d);
	}
	for (; at < end; at++)
		a = mix(a ^ *at);
	return mix(a) ^ mix(b + 1) ^ mix(c + 2) ^ mix(d + 3);
}

static struct exchange_request request_of(const struct io *io)
{
	return (struct exchange_request){
		.mode = io->protocol == OPERATION_ZHPF  ? EXCHANGE_TCW
			: io->protocol == OPERATION_FCP ? EXCHANGE_SCSI
							: EXCHANGE_CCW,
		.place = io->place,
		.bytes = io->bytes,
		.skew = io->align,
		.write = io->write,
		.first_transfer_ready_off = io->path->channel->config->no_first_transfer_ready,
	};
}

/* The control unit does not execute a command that it does not receive. */
static int run_over_path(struct io *io, struct exchange *exchange)
{
	const struct exchange_request request = request_of(io);
	int rc = exchange_prepare(exchange, &request);

	if (rc < 0)
		return rc;
	exchange->lost = io->path->fces && !sealed_start(io, exchange);
	if (exchange->lost)
		return 0;
	rc = exchange_run(exchange);
	if (rc < 0)
		return rc;
	io->bytes = exchange->moved;
	exchange->lost = io->path->fces && !sealed_end(io, exchange);
	return 0;
}

int volume_start(struct io *io)
{
	struct volume *volume = io->device->volume;
	const struct exchange_request request = request_of(io);
	struct exchange *exchange = take(volume, io->device->number);
	uint8_t *data;
	int rc;

	if (!exchange)
		return -ENOMEM;
	data = exchange_data(exchange, &request);
	if (io->write)
		fill(data, io);
	rc = run_over_path(io, exchange);
	if (rc < 0) {
		give(volume, exchange);
		return rc;
	}
	io->exchange = exchange;
	exchange->hash = hash(io->place, data, io->bytes);
	return 0;
}

bool volume_lost(const struct io *io)
{
	return io->exchange->lost;
}

unsigned int volume_units(struct io *io, bool to_cu)
{
	struct exchange *exchange = io->exchange;
	unsigned int *next = to_cu ? &exchange->next_out : &exchange->next_in, units = 0;

	for (; *next < exchange->ius; (*next)++) {
		const struct exchange_iu *iu = &exchange->iu[*next];

		if (iu->to_cu != to_cu)
			continue;
		/* A write's data go as requested. Until all have arrived, only transfer ready comes
		 * back. */
		if (to_cu && exchange->gone + iu->data > io->sent)
			break;
		if (!to_cu && io->sent < io->bytes && io->write && iu->kind != IU_TRANSFER_READY)
			break;
		if (to_cu)
			exchange->gone += iu->data;
		eventlog_add(&io->fabric->sim.log, io->fabric->sim.now, TRACE_IU,
			     io->device->number, trace_iu(iu->kind, to_cu, iu->bytes));
		units++;
	}
	return units;
}

static void release(struct io *io)
{
	give(io->device->volume, io->exchange);
	io->exchange = NULL;
}

static int count(struct io *io, const struct exchange_status *status)
{
	struct volume *volume = io->device->volume;
	struct volume_counters *counters = &volume->counters;

	if (!status->good) {
		counters->errors++;
		memcpy(counters->sense, status->sense, sizeof(counters->sense));
		return -EIO;
	}
	if (io->write) {
		counters->writes++;
		counters->written_hash += io->exchange->hash;
	} else {
		counters->reads++;
		counters->read_hash += io->exchange->hash;
	}
	return 0;
}

int volume_end(struct io *io)
{
	const int64_t now = io->fabric->sim.now;
	struct exchange_status status;
	int rc;

	exchange_end(io->exchange, (uint32_t)((now - io->command_at) / SIM_US), &status);
	eventlog_add(&io->fabric->sim.log, now, TRACE_STATUS, io->device->number,
		     (uint64_t)status.unit << 8 | status.subchannel);
	rc = count(io, &status);
	release(io);
	return rc;
}

void volume_cancel(struct io *io)
{
	exchange_cancel(io->exchange);
	io->bytes = io->exchange->wanted;
	release(io);
}

int volume_sync(struct io *io)
{
	struct volume *volume = io->device->volume;
	const struct exchange_request request = {.skew = io->align};
	struct zhyperlink_request record = {.write = io->write, .bytes = io->bytes};
	struct exchange_status status = {.good = true};
	uint16_t cylinder, head;
	uint8_t *data;
	int outcome;

	io->exchange = take(volume, io->device->number);
	if (!io->exchange)
		return -ENOMEM;
	data = exchange_data(io->exchange, &request);
	if (io->write)
		fill(data, io);
	ckd_4k_address(io->place, &cylinder, &head, &record.record);
	record.cylinder = cylinder;
	record.head = head;
	record.address = io->exchange->data;
	outcome = (int)zhyperlink_move(volume->image, io->exchange->storage, &record);
	if (outcome == ZHYPERLINK_DONE) {
		io->exchange->hash = hash(io->place, data, io->bytes);
		count(io, &status);
	}
	release(io);
	return outcome;
}
