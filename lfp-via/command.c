/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - a command to the appliance, and its answer */
#include "lfp-via/command.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "lfp/exit.h"
#include "lfp/log.h"

static int send_command(const struct reach *reach, const struct via_request *request)
{
	char text[VIA_REQUEST_MAX + 2];
	size_t len;

	via_request_encode(request, text);
	len = strlen(text);
	if (!reach->messages)
		text[len++] = '\n';
	return send(reach->fd, text, len, MSG_NOSIGNAL | (reach->messages ? MSG_EOR : 0)) ==
			       (ssize_t)len
		       ? 0
		       : -errno;
}

static int broken(const char *why)
{
	lfp_msg("VLFD562E", "The appliance's answer cannot be used: %s.", why);
	return LFP_EXIT_UNAVAILABLE;
}

/* Takes all pieces that are whole. Returns -1 to go on, or an exit code. */
static int take_pieces(struct via_answer *answer, char *data, size_t *len)
{
	char *newline, why[VIA_WHY];

	while (!answer->ended && (newline = memchr(data, '\n', *len))) {
		size_t piece = (size_t)(newline - data);

		if (via_answer_take(answer, data, piece, stdout, why))
			return broken(why);
		*len -= piece + 1;
		memmove(data, newline + 1, *len);
	}
	if (*len > VIA_PIECE_MAX)
		return broken("a piece is too long");
	return -1;
}

int command_run(const struct reach *reach, const struct via_request *request)
{
	char data[2 * VIA_PIECE_MAX + 2];
	struct via_answer answer = {.next = 0};
	size_t len = 0;
	int code = -1, rc = send_command(reach, request);

	if (rc)
		return broken(strerror(-rc));
	while (code < 0 && !answer.ended) {
		ssize_t n = recv(reach->fd, data + len, sizeof(data) - 1 - len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return broken(n < 0 && errno == EAGAIN ? "it does not come"
				      : answer.next            ? "it is cut off"
							       : "the connection was refused");
		len += (size_t)n;
		if (reach->messages)
			data[len++] = '\n';
		code = take_pieces(&answer, data, &len);
	}
	return answer.ended ? answer.code : code;
}
