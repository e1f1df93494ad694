/* SPDX-License-Identifier: Apache-2.0 */
/* zhpf.h - the system's switch for zHPF: ZHPF= in an IECIOSxx member, SETIOS ZHPF=, its display */
#ifndef DEVEMU_FABRIC_ZHPF_H
#define DEVEMU_FABRIC_ZHPF_H

#include <stdbool.h>
#include <stdio.h>

#include "devemu/fabric/fabric.h"
#include "lfp/reader.h"

/*
 * Read a member: lines of up to 80 columns (the last 8 are a sequence number and ignored), a
 * comment between slash-asterisk and asterisk-slash, KEYWORD=VALUE separated by blanks or commas.
 * ZHPF=YES or NO is taken (the last one counts), other keywords are passed over. @zhpf is NO
 * without one. Return: 0 or -EINVAL with @err.
 */
int zhpf_member(const char *name, FILE *file, bool *zhpf, struct lfp_reader_error *err);

/* "SETIOS ZHPF=YES" or "SETIOS ZHPF=NO", in either case of letters. I/Os that have started go on as
 * they are. Return: 0 or -EINVAL (not such a command; nothing has changed). */
int zhpf_setios(struct fabric *fabric, const char *command);

/* "D IOS,ZHPF": the state as two lines. */
void zhpf_display(const struct fabric *fabric, FILE *out);

/* Whether an I/O to @device on @channel may be in transport mode now. */
bool zhpf_allowed(const struct fabric *fabric, const struct fabric_channel *channel,
		  const struct fabric_device *device);

#endif
