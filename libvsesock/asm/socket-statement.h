/* SPDX-License-Identifier: Apache-2.0 */
/* socket-statement.h - the SOCKET macro in an assembler program */
#ifndef VSESOCK_ASM_SOCKET_STATEMENT_H
#define VSESOCK_ASM_SOCKET_STATEMENT_H

#include <stddef.h>
#include <stdint.h>

/* Returns the keywords one after the other, from 0 on; NULL after the last. */
const char *asm_field_at(size_t i);

/* Runs the statement whose list is at this address. Returns R15: 0, or 8 if RETCODE is -1. */
uint32_t VSEASM_SOCKET(uint32_t list);

#endif
