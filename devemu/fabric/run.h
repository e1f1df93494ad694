/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - a fabric from its configuration to its end */
#ifndef DEVEMU_FABRIC_RUN_H
#define DEVEMU_FABRIC_RUN_H

#include "devemu/fabric/fabric.h"

/*
 * Build from @config, which must outlive the fabric. Checks everything that one part says about
 * another. Return: 0, -ENOMEM, or -EINVAL with @error filled.
 */
int fabric_create(struct fabric **fabric, const struct config *config, struct fabric_error *error);
void fabric_destroy(struct fabric *fabric);

/* Start the loads, run the warm-up, begin counting, run the time of the configuration. Return: 0 or
 * a negative errno. fabric_begin() and fabric_run_until() are its parts, for those who look in
 * between. */
int fabric_run(struct fabric *fabric);
int fabric_begin(struct fabric *fabric);
int fabric_run_until(struct fabric *fabric, int64_t at);

/* All counters are 0 from now on. */
void fabric_reset_counters(struct fabric *fabric);

#endif
