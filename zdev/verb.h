/* SPDX-License-Identifier: Apache-2.0 */
/* verb.h - the verbs of zdev, zdev(1) */
#ifndef ZDEV_VERB_H
#define ZDEV_VERB_H

/* As main(): argv[0] is the verb. Returns the exit code (lfp/exit.h). A verb is a file verb-NAME.c
 * and a line in zdev.c. */
int verb_run(int argc, char **argv);
int verb_trace(int argc, char **argv);
int verb_report(int argc, char **argv);
int verb_display(int argc, char **argv);
int verb_plot(int argc, char **argv);
int verb_volume(int argc, char **argv);
int verb_keyserver(int argc, char **argv);
int verb_fctc(int argc, char **argv);

#endif
