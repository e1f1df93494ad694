/* SPDX-License-Identifier: Apache-2.0 */
/* control-file.h - the file in memory behind a descriptor of type CONTROL: instance and result */
#ifndef VSESOCK_CSI_CONTROL_FILE_H
#define VSESOCK_CSI_CONTROL_FILE_H

#include <stddef.h>

/* Makes the file of an instance, without a result. A descriptor, or a negative error. */
int csi_file_make(const char *nn);

/* Gets the instance; "" if the file is damaged. */
void csi_file_instance(int fd, char nn[3]);

/* Returns the size of the result in bytes; 0: none. */
int csi_file_waiting(int fd);

/* Remove the result; store one; read its first @len bytes. Return 0 or a negative error. */
int csi_file_clear(int fd);
int csi_file_store(int fd, const void *data, size_t len);
int csi_file_read(int fd, void *data, size_t len);

#endif
