/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h - the installed samples of both sides' configurations */
#ifndef LFPD_CTL_SAMPLE_H
#define LFPD_CTL_SAMPLE_H

/*
 * Copies @sample, a file, to @place, where no file is yet. The directories of @place are made.
 * Returns 1 if it was copied, 0 if @place exists or there is no sample, or a negative errno; then
 * nothing is at @place.
 */
int sample_copy(const char *sample, const char *place);

/* If there is a sample of lfpd's configuration for @name, copies it, and that of the LFP instance
 * that connects to it. Existing files stay. Reports each copy. Returns 0 or an LSB code. */
int sample_give(const char *name);

#endif
