/* SPDX-License-Identifier: Apache-2.0 */
/* display.h - operator commands that show the state of a fabric */
#ifndef DEVEMU_REPORT_DISPLAY_H
#define DEVEMU_REPORT_DISPLAY_H

#include <stdio.h>

#include "devemu/fabric/fabric.h"

/*
 * Answer a command as the console does: D M=DEV(nnnn), D M=CHP(nn), D M=CHP(nn),PATHINFO, D M=CPU,
 * D IOS,ZHPF, SETIOS ZHPF=YES or NO, and NETSTAT -d -K LINK. DISPLAY may stand for D, letters in
 * either case, and blanks where the console takes them. The time in the answer is the simulated
 * one; @number is its message number.
 *
 * Return: 0; -EINVAL if it is no such command, -ENODEV if it names an unknown object, with @why
 * filled.
 */
int display_command(struct fabric *fabric, const char *command, unsigned int number, FILE *out,
		    char why[120]);

/* "IEE174I hh.mm.ss DISPLAY M nnn" */
void display_head(const struct fabric *fabric, unsigned int number, FILE *out);

/* "None", "Auth" or "Encr", as the Conn Sec columns have it. */
const char *display_security(const struct fabric_path *path);

void display_device(const struct fabric *fabric, const struct fabric_device *device, FILE *out);
void display_channel(const struct fabric *fabric, const struct fabric_channel *channel,
		     bool pathinfo, FILE *out);
void display_processors(const struct fabric *fabric, FILE *out);

#endif
