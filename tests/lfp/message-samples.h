/* SPDX-License-Identifier: Apache-2.0 */
/* message-samples.h - a frame of any message with valid fields, for the tests of the codec */
#ifndef TESTS_LFP_MESSAGE_SAMPLES_H
#define TESTS_LFP_MESSAGE_SAMPLES_H

#include "lfp/frame.h"

/* Large enough for the largest frame of any message. */
#define SAMPLE_ROOM (LFP_PAYLOAD_MAX + 64u * 1024)

/* A state of the random sequence, which is the same on all machines; not 0. */
struct sample_random {
	uint64_t state;
};

uint64_t sample_number(struct sample_random *random, uint64_t min, uint64_t max);

/**
 * sample_fill() - a frame of @message with random valid fields
 * @message: the message @random: source of the fields
 * @longest:	most bytes in a text and in the bytes at the end, if the message allows so many
 * @frame:	the result; its texts and bytes point to memory of this module
 */
void sample_fill(const struct lfp_message *message, struct sample_random *random, uint32_t longest,
		 struct lfp_frame *frame);

/* Address of a field in the C struct. */
void *sample_field(struct lfp_frame *frame, const struct lfp_message_field *field);

/* Bytes that the field takes in an encoded frame. */
size_t sample_field_size(struct lfp_frame *frame, const struct lfp_message_field *field);

/* Fails the test if a header field or a field of the body differs. */
void sample_compare(const struct lfp_message *message, struct lfp_frame *a, struct lfp_frame *b);

/* A side that may send the message. */
enum lfp_side sample_side(const struct lfp_message *message);

/* Decodes a copy of exactly so many bytes, so that a sanitizer sees what reads beyond them. */
int sample_decode(const uint8_t *buf, size_t len, enum lfp_side side, const char **why);

/* Fails the test unless the frame is refused for @reason. */
void sample_refused(const uint8_t *buf, size_t len, enum lfp_side side, const char *reason);

/* A number of @size bytes as on the wire. */
void sample_put_number(uint8_t *at, size_t size, uint64_t value);

#endif
