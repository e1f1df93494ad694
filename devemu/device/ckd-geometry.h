/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-geometry.h - capacity of a 3390
 *
 * Sizes and the track capacity formula: IBM 3990/9390 Reference (GA32-0274), "Track Capacity"; the
 * factors are the ones that Read Device Characteristics returns.
 */
#ifndef DEVEMU_DEVICE_CKD_GEOMETRY_H
#define DEVEMU_DEVICE_CKD_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#define CKD_HEADS         15u
#define CKD_CYLINDERS_MAX 65520u
#define CKD_R0_MAX        57326u /* longest data of record 0 */
#define CKD_DATA_MAX      56664u /* longest data of any other record */
#define CKD_CELLS         1729u  /* of a track, without home address and standard record 0 */
#define CKD_SECTORS       224u
#define CKD_HA_R0         1428u /* bytes of home address and record 0 */
#define CKD_TRACK_BYTES   58786u

/* The name and model byte that go with a number of cylinders. */
struct ckd_model {
	const char *name;
	uint8_t model;
	uint8_t type_code; /* byte 11 of the device characteristics */
	uint32_t cylinders;
};

/* Returns the smallest model with at least this many cylinders, or else the largest. */
const struct ckd_model *ckd_model_of(uint32_t cylinders);
/* Returns the model of this name ("3390-3"), or NULL. */
const struct ckd_model *ckd_model_named(const char *name);

/* Cells that a record takes; a track has room as long as the sum over R1 and so on is at most
 * CKD_CELLS. */
uint32_t ckd_record_cells(uint8_t key_len, uint16_t data_len);

/* How many records of that size fit on a track. */
uint32_t ckd_records_per_track(uint8_t key_len, uint16_t data_len);

#endif
