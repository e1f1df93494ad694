/* SPDX-License-Identifier: Apache-2.0 */
/* verb.h - the verbs of zdev, zdev(1), and what they share: loading a scenario, running it */
#ifndef ZDEV_VERB_H
#define ZDEV_VERB_H

#include <stdbool.h>

#include "devemu/fabric/fabric.h"

/* As main(): argv[0] is the verb. Returns the exit code (lfp/exit.h). A verb is a file verb-NAME.c
 * and a line in zdev.c. */
int verb_run(int argc, char **argv);
int verb_trace(int argc, char **argv);
int verb_report(int argc, char **argv);
int verb_display(int argc, char **argv);
int verb_check(int argc, char **argv);
int verb_plot(int argc, char **argv);
int verb_volume(int argc, char **argv);
int verb_keyserver(int argc, char **argv);
int verb_fctc(int argc, char **argv);
int verb_ipsec(int argc, char **argv);
int verb_hsi(int argc, char **argv);

/* Reads the scenario @path ("-" is standard input) and builds it. The caller finishes @config and
 * destroys @fabric. Return: 0, or the exit code after a message, with nothing left to free. */
int load_scenario(const char *path, struct config *config, struct fabric **fabric);

/* Runs the warm-up and the time of @fabric's configuration. After a second a progress line is
 * updated on standard error, if that is a terminal and not @quiet. Return: 0 or a negative errno
 * after a message, in which @path is the scenario's name. */
int run_scenario(struct fabric *fabric, const char *path, bool quiet);

/* Prints message VLFZ005E and returns the exit code. */
int run_failed(const struct fabric *fabric, const char *path, int rc);

/* Flushes standard output. Return: 0 or a negative errno. */
int run_flush(void);

/* Returns the time of the machine's clock in seconds. */
double run_wall(void);

#endif
