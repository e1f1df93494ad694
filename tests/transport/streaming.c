/* SPDX-License-Identifier: Apache-2.0 */
/* streaming.c - packets on a byte stream whose other end is a plain socket */
#include "tests/transport/streaming.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/frame.h"

static const struct transport plain = {
	.name = "test",
	.send = streamsock_send,
	.receive = streamsock_receive,
	.release = streamsock_release,
	.watch = streamsock_watch,
	.close = streamsock_close,
};

static void on_writable(struct transport_conn *conn)
{
	((struct streaming *)conn->data)->writable++;
}

int streaming_set_up(void **state, bool peeks)
{
	struct streaming *f = calloc(1, sizeof(*f));
	int ends[2];

	assert_non_null(f);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	uv_loop_init(&f->loop);
	assert_int_equal(streamsock_create(&f->loop, &plain, ends[0], MTU, peeks, &f->conn), 0);
	f->base = &f->conn->base;
	f->base->data = f;
	f->base->on_writable = on_writable;
	f->peer = ends[1];
	f->result = 1;
	*state = f;
	return 0;
}

int streaming_tear_down(void **state)
{
	struct streaming *f = *state;

	streamsock_close(f->base);
	if (f->peer >= 0)
		close(f->peer);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	free(f);
	return 0;
}

size_t streaming_packet(struct streaming *f, uint8_t *buf, size_t len)
{
	struct lfp_packet header = {.length = (uint32_t)len, .sequence = ++f->said};

	memset(buf, (int)(f->said % 251), len);
	lfp_packet_encode(&header, buf);
	return len;
}

void streaming_expect(const struct iovec *packet, uint32_t sequence)
{
	struct lfp_packet header;
	const char *why;

	assert_int_equal(lfp_packet_decode(packet->iov_base, packet->iov_len, &header, &why), 0);
	assert_int_equal(header.sequence, sequence);
	if (packet->iov_len > LFP_PACKET_HEADER)
		assert_int_equal(((const uint8_t *)packet->iov_base)[packet->iov_len - 1],
				 sequence % 251);
}
