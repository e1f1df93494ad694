/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h - a view again and again, on a terminal that it has for itself */
#ifndef LFPD_ADMIN_WATCH_H
#define LFPD_ADMIN_WATCH_H

#include "lfpd-admin/view.h"

/**
 * watch() - show a view every view->interval seconds, until "q" or a signal
 *
 * Without a terminal, and with view->json, each look is written below the one before. An instance
 * that cannot be asked is no end. Returns the exit code of the program.
 */
int watch(struct view *view, view_function show);

#endif
