/* SPDX-License-Identifier: Apache-2.0 */
/* peek.h - reading a far end without waking the program, which waits for an answer */
#ifndef IJBLFP_SOCK_PEEK_H
#define IJBLFP_SOCK_PEEK_H

#include <stdbool.h>
#include <stddef.h>

struct instance;
struct vsock;

/* Returns how many bytes the next read of the far end may ask for with MSG_PEEK, or 0: it must take
 * what it reads. The caller knows that nothing but data of the program comes next. */
size_t peek_room(const struct instance *inst, const struct vsock *vs);

/* Notes that @n bytes were read, with MSG_PEEK if @peeked. */
void peek_note_read(struct instance *inst, struct vsock *vs, size_t n, bool peeked);

/* Notes that the program has got something, and takes what is left. */
void peek_note_answer(struct vsock *vs);

/* Takes what was read and is still in the far end. */
void peek_settle(struct vsock *vs);

/* Notes that the socket has another far end. */
void peek_renew(struct vsock *vs);

/* The timer that takes what is left where no answer comes. */
void peek_init(struct instance *inst);
void peek_finish(struct instance *inst);

#endif
