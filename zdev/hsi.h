/* SPDX-License-Identifier: Apache-2.0 */
/* hsi.h - a running HiperSockets network of zdev hsi, and its commands */
#ifndef ZDEV_HSI_H
#define ZDEV_HSI_H

#include "devemu/hipersockets/lan.h"

enum { HSI_COMMAND = 120, HSI_WHY = 160 };

struct hsi_run {
	struct hsi_pair pair;
	struct lan *lan;
};

/* Obeys a command line, zdev(1), and prints its answer, which ends with an empty line. Return: 1 to
 * go on, 0 for STOP; -EINVAL with @why, a half-sentence. */
int hsi_command(const struct hsi_run *run, const char *line, FILE *out, char why[HSI_WHY]);

#endif
