/* SPDX-License-Identifier: Apache-2.0 */
/* disk-file.h - writes and shows a configuration disk */
#ifndef LFP_VIA_DISK_FILE_H
#define LFP_VIA_DISK_FILE_H

/* Checks the files of a directory, and reports what is wrong with them. Returns an enum lfp_exit.
 */
int disk_check(const char *dir);

/* Checks them, and writes them to the half of the disk that does not count, its head last. The disk
 * is made if it does not exist. Returns an enum lfp_exit. */
int disk_write(const char *dir, const char *disk);

/* Prints the generations and the files of a disk. */
int disk_show(const char *disk);

#endif
