/* SPDX-License-Identifier: Apache-2.0 */
/* programs.c - in the shim, programs call the functions themselves */
#include "libvsesock/strict/strict.h"

const bool strict_programs = true;
