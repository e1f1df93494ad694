/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-sense.h - sense data of a 3390, in the 24-byte compatible format (byte 27 is X'80') */
#ifndef DEVEMU_DEVICE_CKD_SENSE_H
#define DEVEMU_DEVICE_CKD_SENSE_H

/* Sense byte 0 */
#define SENSE_COMMAND_REJECT  0x80u
#define SENSE_INTERVENTION    0x40u
#define SENSE_EQUIPMENT_CHECK 0x10u
#define SENSE_DATA_CHECK      0x08u
/* Sense byte 1 */
#define SENSE1_INVALID_TRACK_FORMAT 0x40u
#define SENSE1_END_OF_CYLINDER      0x20u
#define SENSE1_NO_RECORD_FOUND      0x08u
#define SENSE1_FILE_PROTECTED       0x04u
#define SENSE1_WRITE_INHIBITED      0x02u

/* Sense byte 7, for a command reject: format 0 and why */
#define REJECT_COMMAND   1u /* no such command */
#define REJECT_SEQUENCE  2u /* not here */
#define REJECT_COUNT     3u /* the program sends too few bytes */
#define REJECT_PARAMETER 4u
#define REJECT_MASK      5u /* the file mask forbids it */

#endif
