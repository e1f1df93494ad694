/* SPDX-License-Identifier: Apache-2.0 */
/* hostent.h - HOSTENT for an assembler program, whose addresses are fullwords */
#ifndef VSESOCK_ASM_HOSTENT_H
#define VSESOCK_ASM_HOSTENT_H

#include <netdb.h>
#include <stdint.h>

/* Sets @address to that of a copy: fullwords with the addresses of the name and of the list of
 * aliases, the family, the length of an address, the address of the list of addresses. Names are
 * EBCDIC, ended by NUL. It is valid until the thread's next call. Returns 0 or -ENOMEM. */
int asm_hostent(uint32_t *address, const struct hostent *host);

#endif
