/* SPDX-License-Identifier: Apache-2.0 */
/* programs.c - in the shim, which programs call themselves */
#include "libvsesock/strict/strict.h"

const bool strict_programs = true;
