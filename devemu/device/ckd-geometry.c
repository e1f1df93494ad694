/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-geometry.c - capacity of a 3390 */
#include <stddef.h>
#include <string.h>

#include "devemu/device/ckd-geometry.h"

static const struct ckd_model models[] = {
	{"3390-1", 0x02, 0x26, 1113},   {"3390-2", 0x06, 0x27, 2226},
	{"3390-3", 0x0a, 0x24, 3339},   {"3390-9", 0x0c, 0x32, 10017},
	{"3390-27", 0x0c, 0x32, 32760}, {"3390-54", 0x0c, 0x32, 65520},
};

#define MODELS (sizeof(models) / sizeof(models[0]))

const struct ckd_model *ckd_model_of(uint32_t cylinders)
{
	size_t i = 0;

	while (i < MODELS - 1 && models[i].cylinders < cylinders)
		i++;
	return &models[i];
}

const struct ckd_model *ckd_model_named(const char *name)
{
	for (size_t i = 0; i < MODELS; i++)
		if (strcmp(models[i].name, name) == 0)
			return &models[i];
	return NULL;
}

/* A field of n bytes is written in cells of 34, in pieces of 232 with 6 check bytes each. */
static uint32_t field_cells(uint32_t n)
{
	uint32_t pieces = (n + 6 + 231) / 232;

	return 9 + (n + 6 * pieces + 6 + 33) / 34;
}

uint32_t ckd_record_cells(uint8_t key_len, uint16_t data_len)
{
	return 10 + (key_len ? field_cells(key_len) : 0) + field_cells(data_len);
}

uint32_t ckd_records_per_track(uint8_t key_len, uint16_t data_len)
{
	return CKD_CELLS / ckd_record_cells(key_len, data_len);
}
