/* SPDX-License-Identifier: Apache-2.0 */
/* address.h - IPv4 addresses and masks as text; numbers are in the machine's byte order */
#ifndef DEVEMU_HIPERSOCKETS_ADDRESS_H
#define DEVEMU_HIPERSOCKETS_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

enum { ADDRESS_TEXT = 16 };

/* Reads "10.1.2.1". Return: 0 or -EINVAL. */
int address_read(const char *text, uint32_t *address);

/* Reads "255.255.255.240": ones, then zeros. Return: 0 or -EINVAL. */
int mask_read(const char *text, uint32_t *mask);

/* Returns @text, filled. */
const char *address_text(uint32_t address, char text[ADDRESS_TEXT]);

#endif
