/* SPDX-License-Identifier: Apache-2.0 */
/* history.h - the ring file of HISTORY: interval records of an instance, and their one reader */
#ifndef LFP_HISTORY_H
#define LFP_HISTORY_H

#include <stddef.h>
#include <stdint.h>

/*
 * All integers are big-endian. A head of LFP_HISTORY_HEAD bytes:
 *    0  "LFPHIST1"
 *    8  u32  number of columns, 1 to LFP_HISTORY_COLUMNS
 *   12  u32  number of slots, 1 to LFP_HISTORY_SLOTS
 *   16  name of the instance, 8 bytes, filled up with NUL
 *   24  u64  check: of the bytes 0 to 23 and of all columns
 * Then the columns, LFP_HISTORY_COLUMN bytes each:
 *    0  kind: an enum lfp_history_kind
 *    1  name, lower case letters, digits and "_", filled up with NUL
 * Then the slots. Each has room for one record:
 *    0  u64  serial number, from 1; 0: the slot was never used. Record n is in slot n modulo the
 *            number of slots
 *    8  u64  run: the time when the instance was started, us since 1970; tells restarts apart
 *   16  u64  begin of the interval, us since 1970
 *   24  u64  end of the interval, us since 1970, at least its begin
 *   32  u64  values, one a column: the growth of a counter in the interval, or a gauge at its end
 *    .  u64  check: of all bytes of the record before it
 * A record is written as a whole. A check that does not fit tells a record that was not.
 */
#define LFP_HISTORY_HEAD    32u
#define LFP_HISTORY_COLUMN  48u
#define LFP_HISTORY_COLUMNS 256u
#define LFP_HISTORY_SLOTS   (1u << 22)

enum lfp_history_kind {
	LFP_HISTORY_GAUGE = 'g',
	LFP_HISTORY_COUNTER = 'c',
	LFP_HISTORY_COUNTER_US = 'u', /* microseconds */
};

struct lfp_history_column {
	enum lfp_history_kind kind;
	char name[LFP_HISTORY_COLUMN];
};

struct lfp_history_record {
	uint64_t serial, run, begin, end;
	const uint64_t *values; /* one a column */
};

struct lfp_history {
	char instance[9];
	uint32_t columns, slots;
	struct lfp_history_column column[LFP_HISTORY_COLUMNS];
	uint32_t nr;      /* of the records, by rising serial number */
	uint32_t damaged; /* slots whose record is not whole */
	struct lfp_history_record *records;
	uint64_t *values; /* of all records */
};

/* Bytes of the head with its columns, of a slot, and of the whole file. */
size_t lfp_history_head_size(uint32_t columns);
size_t lfp_history_slot_size(uint32_t columns);
uint64_t lfp_history_size(uint32_t columns, uint32_t slots);

/* The most slots that a file of @size bytes has; 0: not one. */
uint32_t lfp_history_slots(uint32_t columns, uint64_t size);

/* Write a head of lfp_history_head_size() bytes, or a record of lfp_history_slot_size() bytes. */
void lfp_history_head_encode(const struct lfp_history *history, uint8_t *buf);
void lfp_history_record_encode(const struct lfp_history_record *record, uint32_t columns,
			       uint8_t *buf);

/* Reads the head of a file. Returns 0; -EPROTO if it is no history, or its head is damaged; or
 * another negative errno. */
int lfp_history_head_read(int fd, struct lfp_history *history);

/**
 * lfp_history_each() - call a function for each record of a file, in no order
 * @fd:		a regular file; its offset does not matter
 * @history:	its head; each damaged record is counted in it
 * @take:	ends the reading by a return value other than 0; the record lasts until it returns
 *
 * Return: 0, the value of @take, or a negative errno.
 */
int lfp_history_each(int fd, struct lfp_history *history,
		     int (*take)(void *data, const struct lfp_history_record *record), void *data);

/**
 * lfp_history_read() - read a file, also while another process writes it
 * @fd:		a regular file; its offset does not matter
 * @history:	filled after 0; to be freed by lfp_history_free()
 *
 * Return: 0; -EPROTO if it is no history, or its head is damaged; or another negative errno.
 * Damaged records are left out and counted.
 */
int lfp_history_read(int fd, struct lfp_history *history);
void lfp_history_free(struct lfp_history *history);

/* Returns the number of the column, or history->columns if there is none of this name. */
uint32_t lfp_history_find(const struct lfp_history *history, const char *name);

#endif
