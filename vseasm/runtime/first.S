# SPDX-License-Identifier: Apache-2.0
# first.S - the start of the program's sections, which have pages of their own
	.section phase,"awx",@progbits
	.balign 4096
	.globl phase_first
phase_first:
	.skip 8
	.section .note.GNU-stack,"",@progbits
