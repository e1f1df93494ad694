/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-proxy.c - any bytes as the answers of a proxy, cut anywhere */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/policy/proxy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_same(const struct proxy_answer *a, const struct proxy_answer *b)
{
	return a->error == b->error && (a->error || (a->next == b->next && a->used == b->used));
}

/* The first byte chooses the kind, the second the place of the cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct upstream upstream = {.name = "p"};
	enum proxy_step step;
	size_t cut;

	if (size < 2)
		return 0;
	upstream.kind = data[0] & 1 ? UPSTREAM_HTTP : UPSTREAM_SOCKS5;
	upstream.user[0] = data[0] & 2 ? 'u' : '\0';
	cut = data[1];
	data += 2;
	size -= 2;
	step = proxy_first(&upstream);
	while (step != PROXY_DONE) {
		struct proxy_answer whole = proxy_read(&upstream, step, data, size);
		struct proxy_answer part =
			proxy_read(&upstream, step, data, cut < size ? cut : size);

		if (whole.error) {
			if (!whole.why)
				abort();
			return 0;
		}
		if (whole.used > size)
			abort();
		if (whole.next == step) {
			if (whole.used != size || part.error || part.next != step)
				abort();
			return 0;
		}
		/* A decision holds, whatever follows; before it each byte belongs to the answer. */
		if (cut >= whole.used ? !is_same(&part, &whole)
				      : part.error || part.next != step || part.used != cut)
			abort();
		data += whole.used;
		size -= whole.used;
		step = whole.next;
	}
	return 0;
}
