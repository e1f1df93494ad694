/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-state.h - shared by the files of the 3390: its state within a channel program, and motion
 * over a track
 *
 * Theory of operation
 *
 * The device stands on a track, behind one of its fields (enum orientation, `at` is the offset of
 * what comes next). Define Extent says which tracks a program may touch. Locate Record goes to one
 * of them and opens a domain: the next `left` data commands, which have to fit the operation that
 * it named. All this is forgotten when a program begins.
 *
 * Every command function returns unit status; ckd_check() makes the sense data that go with unit
 * check.
 */
#ifndef DEVEMU_DEVICE_CKD_STATE_H
#define DEVEMU_DEVICE_CKD_STATE_H

#include "devemu/channel/device.h"
#include "devemu/device/ckd-geometry.h"
#include "devemu/device/ckd-image.h"
#include "devemu/device/ckd-sense.h"

enum orientation {
	AT_NOTHING,
	AT_INDEX, /* behind the home address */
	AT_COUNT,
	AT_KEY,
	AT_DATA,
	AT_END, /* a multi-track command could not go on from the last record */
};

/* Operations of Locate Record (byte 0, bits 2 to 7; byte 17 for the extended ones) */
enum operation {
	OPERATION_ORIENT = 0x00,
	OPERATION_WRITE_DATA = 0x01,
	OPERATION_FORMAT = 0x03,
	OPERATION_READ_DATA = 0x06,
	OPERATION_WRITE_ANY = 0x09,
	OPERATION_READ_ANY = 0x0a,
	OPERATION_WRITE_TRACK = 0x0b,
	OPERATION_READ_TRACKS = 0x0c,
	OPERATION_READ_TRACK_SET = 0x0e,
	OPERATION_READ = 0x16,
	OPERATION_WRITE_FULL = 0x23, /* Linux: write track data */
	OPERATION_EXTENDED = 0x3f,
};

/* Orientation that Locate Record asks for (byte 0, bits 0 and 1) */
#define LOCATE_COUNT 0x00u
#define LOCATE_HOME  0x40u
#define LOCATE_DATA  0x80u
#define LOCATE_INDEX 0xc0u

/* File mask */
#define MASK_WRITE         0xc0u
#define MASK_WRITE_NO_R0   0x00u /* all but home address and record 0 */
#define MASK_WRITE_NOTHING 0x40u
#define MASK_WRITE_UPDATE  0x80u
#define MASK_WRITE_ALL     0xc0u
#define MASK_RESERVED      0x20u
#define MASK_SEEK          0x18u
#define MASK_SEEK_ALL      0x00u
#define MASK_SEEK_CYLINDER 0x08u
#define MASK_SEEK_HEAD     0x10u
#define MASK_SEEK_NONE     0x18u

struct ckd_device {
	struct device device;
	struct ckd_image *image;

	/* Forgotten when a program begins */
	bool extent_defined, mask_set, seeked, located;
	bool id_equal, key_equal, wrote_ckd; /* the last command, for commands that depend on it */
	bool index_passed;
	bool failed; /* the image has become unusable */
	uint8_t file_mask;
	uint8_t attributes;   /* global, of Define Extent */
	uint16_t block_size;  /* of Define Extent; 0: not given */
	uint32_t first, last; /* the extent, as track numbers */
	uint8_t last_cmd;
	/* The domain */
	uint8_t operation, orientation_asked;
	uint8_t left;
	uint16_t transfer_length; /* 0: not given */
	uint8_t subsystem[44];    /* data prepared by Perform Subsystem Function */
	uint8_t subsystem_len;

	/* Where it stands */
	uint32_t cylinder, head;
	const uint8_t *track;
	uint32_t at;
	enum orientation orientation;
	struct ckd_record record; /* the last count field passed */

	uint8_t path_group[11];
	uint8_t path_state;
	uint8_t buf[65536]; /* a write, before it goes to the image */
};

static inline struct ckd_device *ckd_of(struct device *device)
{
	return (struct ckd_device *)device;
}

/* Unit check with these sense bytes. @reject: REJECT_*, or 0. */
uint8_t ckd_check(struct ckd_device *ckd, uint8_t sense0, uint8_t sense1, uint8_t reject);

static inline uint8_t reject(struct ckd_device *ckd, uint8_t why)
{
	return ckd_check(ckd, SENSE_COMMAND_REJECT, 0, why);
}

static inline bool multitrack(uint8_t cmd)
{
	return cmd & 0x80;
}

/* Pulls exactly @len bytes of parameters; 0, or the unit status that ends the command. */
uint8_t ckd_parameters(struct ckd_device *ckd, struct device_call *call, uint8_t *buf, size_t len);

/* Checks that a data command may come here: a track is chosen, and in a domain @in_domain is true.
 * Returns 0 or unit status. */
static inline uint8_t positioned(struct ckd_device *ckd, bool in_domain)
{
	if ((!ckd->seeked && !ckd->located) || (ckd->left && !in_domain))
		return reject(ckd, REJECT_SEQUENCE);
	return 0;
}

/* To the index of a track that is there; checks its home address. */
uint8_t ckd_go_to(struct ckd_device *ckd, uint32_t cylinder, uint32_t head);
uint8_t ckd_go_to_index(struct ckd_device *ckd);
/* To the next track, within extent and cylinder. */
uint8_t ckd_advance(struct ckd_device *ckd);
/* Returns true if the track is within the extent. */
bool ckd_in_extent(const struct ckd_device *ckd, uint32_t cylinder, uint32_t head);

#define NEXT_R0     1u /* record 0 counts as well */
#define NEXT_ONCE   2u /* the end of the track is no record found */
#define NEXT_END    4u /* the end of the track is told: ckd->orientation is AT_END */
#define NEXT_SEARCH 8u /* passing the index is noted for single-track only */

/* Behind the next count field; goes round the track, or to the next one if @cmd is multi-track. */
uint8_t ckd_next_count(struct ckd_device *ckd, uint8_t cmd, unsigned int how);

/* For commands about the records of several tracks, behind the last one of a track: to the first
 * count field of the next track. Returns false at the end of the domain, or if @status is or gets a
 * unit status. */
bool ckd_continue(struct ckd_device *ckd, uint8_t *status);

uint8_t ckd_define_extent(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_locate(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_locate_extended(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_prefix(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_set_file_mask(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_seek(struct ckd_device *ckd, struct device_call *call);

uint8_t ckd_read_home(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_read_r0(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_read_count(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_read_data(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_read_kd(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_read_ckd(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_read_multiple(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_read_track(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_read_track_data(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_read_ipl(struct ckd_device *ckd, struct device_call *call);

uint8_t ckd_write_data(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_write_kd(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_write_ckd(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_write_r0(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_write_home(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_write_track_data(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_erase(struct ckd_device *ckd, struct device_call *call);

uint8_t ckd_write_next(struct ckd_device *ckd, struct device_call *call);

uint8_t ckd_search_home(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_search_id(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_search_key(struct ckd_device *ckd, struct device_call *call);

uint8_t ckd_sense(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_sense_id(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_characteristics(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_configuration(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_set_path_group(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_sense_path_group(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_subsystem_function(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_subsystem_data(struct ckd_device *ckd, struct device_call *call);
uint8_t ckd_subsystem_status(struct ckd_device *ckd, struct device_call *call);

#endif
