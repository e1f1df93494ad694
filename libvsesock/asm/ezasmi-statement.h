/* SPDX-License-Identifier: Apache-2.0 */
/* ezasmi-statement.h - EZASMI in an assembler program */
#ifndef VSESOCK_ASM_EZASMI_STATEMENT_H
#define VSESOCK_ASM_EZASMI_STATEMENT_H

#include <stddef.h>
#include <stdint.h>

/* Returns the keywords that all types have, one after the other, from 0 on; NULL after the last. */
const char *asm_common_at(size_t i);

/* Returns why a type cannot be used by assembler programs, or NULL. */
const char *asm_lacking(const char *type);

/* Runs the statement whose list is at this address. Returns R15: 0, or 4 if the interface phase
 * cannot be loaded. */
uint32_t VSEASM_EZASMI(uint32_t list);

#endif
