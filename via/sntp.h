/* SPDX-License-Identifier: Apache-2.0 */
/* sntp.h - a question for the time, and its answer (RFC 4330) */
#ifndef VIA_SNTP_H
#define VIA_SNTP_H

#include <stddef.h>
#include <stdint.h>

#define VIA_SNTP_LEN  48 /* bytes of a message */
#define VIA_SNTP_PORT 123

/* The question. @nonce stands in the place of our time, of which the server needs nothing: who
 * cannot see the question cannot answer it. */
void sntp_question(uint8_t out[static VIA_SNTP_LEN], uint64_t nonce);

/* The server's time in an answer to that question. Returns 0, or -EPROTO: it is none, or the server
 * does not know the time. @ns: nanoseconds since 1970. */
int sntp_answer(const uint8_t *data, size_t len, uint64_t nonce, int64_t *ns);

#endif
