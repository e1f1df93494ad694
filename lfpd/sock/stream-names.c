/* SPDX-License-Identifier: Apache-2.0 */
/* stream-names.c - names that a program looks up on a connection of its own */
#include "lfpd/sock/stream-names.h"

#include <stdlib.h>

#include "lfpd/names/ruling.h"
#include "lfpd/policy/dns-stream.h"

void stream_names_begin(struct socket *sock)
{
	stream_names_finish(sock);
	/* Without memory the answers teach nothing. */
	if (ruling_is_name_server(sock->instance, (const struct sockaddr *)&sock->stream.peer))
		sock->stream.answers = calloc(1, sizeof(*sock->stream.answers));
}

void stream_names_learn(struct socket *sock, const uint8_t *bytes, size_t len)
{
	struct dns_stream *stream = sock->stream.answers;
	struct dns_question question;
	struct dns_answer answer;

	while (stream && dns_stream_take(stream, &bytes, &len))
		if (dns_read_stated_answer(stream->msg, stream->len, &question, &answer))
			ruling_learn_answer(sock->instance, socket_uid(sock), question.name,
					    &answer);
}

void stream_names_finish(struct socket *sock)
{
	if (!sock->stream.answers)
		return;
	dns_stream_finish(sock->stream.answers);
	free(sock->stream.answers);
	sock->stream.answers = NULL;
}
