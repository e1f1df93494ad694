/* SPDX-License-Identifier: Apache-2.0 */
/* symbols.h - symbolic parameters that SETPARM sets, of the job and of the system */
#ifndef VSEJOB_SYMBOLS_H
#define VSEJOB_SYMBOLS_H

#include <stddef.h>

/*
 * A name has 1 to 8 of A-Z 0-9 $ # @, a value at most 50 characters, none of them a control
 * character, comma or newline. At most SYMBOLS_MAX are set at a time. A name with the empty value
 * is set, too: in statements it is replaced by nothing. Programs do not see it.
 */
#define SYMBOLS_MAX 64u
#define SYMBOL_NAME 9u
#define SYMBOL_TEXT 51u

struct symbols {
	struct {
		char name[SYMBOL_NAME];
		char value[SYMBOL_TEXT];
	} item[SYMBOLS_MAX];
	size_t nr;
};

/* Set @name. NULL, or what is wrong, a half-sentence. */
const char *symbols_set(struct symbols *symbols, const char *name, const char *value);

/* The value of @name, or NULL if it is not set. */
const char *symbols_get(const struct symbols *symbols, const char *name);

/* Adds the parameters of @more that @symbols lacks, as many as fit. */
void symbols_add(struct symbols *symbols, const struct symbols *more);

/* "NAME=value,NAME=value" without empty values, for the environment of a step; -ENAMETOOLONG. */
int symbols_print(const struct symbols *symbols, char *buf, size_t size);

/*
 * The system's parameters are in the file RUN/vselfp/setparm, one NAME=value a line. The file lives
 * as long as the run-time directory: until the machine is started again, as with z/VSE's SETPARM
 * SYSTEM. An empty value is not saved. These functions return 0 or a negative errno and set @path
 * for messages. A process that changes symbols locks, loads, saves and unlocks. The lock waits for
 * other processes. It returns the argument for unlock, or a negative errno.
 */
int symbols_lock_system(char *path, size_t size);
void symbols_unlock_system(int lock);
int symbols_load_system(struct symbols *symbols, char *path, size_t size);
int symbols_save_system(const struct symbols *symbols, char *path, size_t size);

#endif
