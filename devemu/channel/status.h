/* SPDX-License-Identifier: Apache-2.0 */
/* status.h - bits of unit status, subchannel status and function, activity and status control
 *
 * z/Architecture Principles of Operation, "Subchannel-Status Word"; the same values are in Linux,
 * arch/s390/include/asm/scsw.h.
 */
#ifndef DEVEMU_CHANNEL_STATUS_H
#define DEVEMU_CHANNEL_STATUS_H

/* Unit (device) status */
#define UNIT_ATTENTION   0x80u
#define UNIT_MODIFIER    0x40u /* with channel end and device end: one CCW is passed over */
#define UNIT_CU_END      0x20u
#define UNIT_BUSY        0x10u
#define UNIT_CHANNEL_END 0x08u
#define UNIT_DEVICE_END  0x04u
#define UNIT_CHECK       0x02u
#define UNIT_EXCEPTION   0x01u
#define UNIT_END         (UNIT_CHANNEL_END | UNIT_DEVICE_END)

/* Subchannel status */
#define SCH_PCI               0x80u
#define SCH_INCORRECT_LENGTH  0x40u
#define SCH_PROGRAM_CHECK     0x20u
#define SCH_PROTECTION_CHECK  0x10u
#define SCH_DATA_CHECK        0x08u
#define SCH_CONTROL_CHECK     0x04u
#define SCH_INTERFACE_CONTROL 0x02u
#define SCH_CHAINING_CHECK    0x01u

/* Function control */
#define FCTL_START 0x4u
#define FCTL_HALT  0x2u
#define FCTL_CLEAR 0x1u

/* Activity control */
#define ACTL_RESUME_PENDING 0x40u
#define ACTL_START_PENDING  0x20u
#define ACTL_HALT_PENDING   0x10u
#define ACTL_CLEAR_PENDING  0x08u
#define ACTL_SUBCHANNEL     0x04u /* subchannel active */
#define ACTL_DEVICE         0x02u /* device active */
#define ACTL_SUSPENDED      0x01u

/* Status control */
#define STCTL_ALERT        0x10u
#define STCTL_INTERMEDIATE 0x08u
#define STCTL_PRIMARY      0x04u
#define STCTL_SECONDARY    0x02u
#define STCTL_PENDING      0x01u

#endif
