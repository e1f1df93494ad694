/* SPDX-License-Identifier: Apache-2.0 */
/* pattern.h - the known stream of bytes of lfp-workload's programs in C
 *
 * The byte at position p of the stream is byte p % PERIOD of a pattern from a linear congruential
 * generator. PERIOD is a prime number, so a lost, doubled or displaced part of the stream does not
 * compare equal. transfer.cbl and stream.py have the same stream.
 *
 * Define BLOCK first, the size of the largest piece: pattern + p % PERIOD then has as many bytes.
 */
#define PERIOD 8191

static char pattern[PERIOD + BLOCK];

static void pattern_make(void)
{
	unsigned int x = 1, i;

	for (i = 0; i < sizeof(pattern); i++) {
		if (i < PERIOD) {
			x = (x * 25173 + 13849) % 65536;
			pattern[i] = (char)(x / 256);
		} else {
			pattern[i] = pattern[i - PERIOD];
		}
	}
}
