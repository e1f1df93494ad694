/* SPDX-License-Identifier: Apache-2.0 */
/* dns-stream.h - takes apart what a name server sends on a connection */
#ifndef LFPD_POLICY_DNS_STREAM_H
#define LFPD_POLICY_DNS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DNS_STREAM_MAX 16384u /* bytes of a message; a longer one is passed over */

/* On a connection each message follows its length of two bytes (RFC 1035, 4.2.2). Both may come in
 * any pieces. All zero at first. */
struct dns_stream {
	uint8_t head[2];
	unsigned int nr_head;
	size_t len, have; /* of the message: its length, and the bytes that have come */
	uint8_t *msg;     /* NULL: it is passed over */
	size_t room;
};

/* Takes bytes from *@bytes until a message is complete, or all @len of them. Returns true if
 * stream->msg then has a complete message of stream->len bytes; it is valid until the next call. */
bool dns_stream_take(struct dns_stream *stream, const uint8_t **bytes, size_t *len);

void dns_stream_finish(struct dns_stream *stream);

#endif
