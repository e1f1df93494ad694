# SPDX-License-Identifier: Apache-2.0
# last.S - the end of the program's sections, and the parameter of the job step
	.section phase,"awx",@progbits
	.balign 8
	.globl phase_parm, phase_save, phase_last
# The address of the parameter, the parameter: a halfword with its length, and its characters
phase_parm:
	.skip 4 + 2 + 256
	.balign 8
phase_save:
	.skip 72
	.balign 4096
phase_last:
	.section .note.GNU-stack,"",@progbits
