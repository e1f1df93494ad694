/* SPDX-License-Identifier: Apache-2.0 */
/* sntp.c - a question for the time, and its answer (RFC 4330) */
#include "via/sntp.h"

#include <errno.h>
#include <string.h>

#include "lfp/bigend.h"

#define VERSION 4
#define CLIENT  3
#define SERVER  4

/* Where the fields lie, in bytes. */
enum { AT_STRATUM = 1, AT_ORIGINATE = 24, AT_TRANSMIT = 40 };

#define SECONDS_TO_1970 2208988800u /* from 1900 */
#define NOW_AT_LEAST                                                                               \
	0xe0000000u /* February 2019: a smaller number is one of the era from 2036 on */

void sntp_question(uint8_t out[static VIA_SNTP_LEN], uint64_t nonce)
{
	memset(out, 0, VIA_SNTP_LEN);
	out[0] = VERSION << 3 | CLIENT;
	be64_put(out + AT_TRANSMIT, nonce);
}

int sntp_answer(const uint8_t *data, size_t len, uint64_t nonce, int64_t *ns)
{
	int64_t seconds, fraction;

	if (len < VIA_SNTP_LEN || (data[0] & 7) != SERVER || data[0] >> 6 == 3 ||
	    !data[AT_STRATUM] || data[AT_STRATUM] > 15 || be64_get(data + AT_ORIGINATE) != nonce ||
	    !be64_get(data + AT_TRANSMIT))
		return -EPROTO;
	seconds = be32_get(data + AT_TRANSMIT);
	fraction = be32_get(data + AT_TRANSMIT + 4);
	if (seconds < NOW_AT_LEAST)
		seconds += (int64_t)1 << 32;
	*ns = (seconds - SECONDS_TO_1970) * 1000000000 + (fraction * 1000000000 >> 32);
	return 0;
}
