# SPDX-License-Identifier: Apache-2.0
# linkage.S - between the linkage of z/VSE's programs and that of Linux
#
# A program of z/VSE has no stack: R13 is a save area of 18 fullwords, R14 the return address, R15 the entry point and
# later the return code, R1 the parameter list. While it runs, the stack of Linux is kept in linux_stack. Programs run with
# addresses of 64 bits, of which they see 32: all their storage lies below 2 GB, and the left halves of registers stay 0.

# int phase_call(uint32_t entry, uint32_t list, uint32_t save): run a program; its R15
	.text
	.globl phase_call
	.type phase_call,@function
phase_call:
	stmg %r6,%r15,48(%r15)
	larl %r1,linux_stack
	stg %r15,0(%r1)
	llgfr %r15,%r2
	llgfr %r1,%r3
	llgfr %r13,%r4
	.irp r,0,2,3,4,5,6,7,8,9,10,11,12
	lghi %r\r,0
	.endr
	basr %r14,%r15
	lgfr %r2,%r15
	larl %r1,linux_stack
	lg %r15,0(%r1)
	lmg %r6,%r15,48(%r15)
	br %r14
	.size phase_call,.-phase_call

# service NAME FUNCTION: what a program calls by V(NAME). FUNCTION gets the address in R1, and its result goes into R15.
# All other registers are as before.
	.macro service name,function
	.globl \name
	.type \name,@function
\name:
	larl %r15,registers
	stmg %r0,%r14,0(%r15)
	llgtr %r2,%r1
	larl %r15,linux_stack
	lg %r15,0(%r15)
	aghi %r15,-160
	xc 0(8,%r15),0(%r15)
	brasl %r14,\function@PLT
	llgfr %r15,%r2
	larl %r1,registers
	lmg %r0,%r14,0(%r1)
	llgtr %r14,%r14
	br %r14
	.size \name,.-\name
	.endm

	service VSEEZASM,VSEASM_EZASMI
	service VSESOCKM,VSEASM_SOCKET
	service VSEEOJ,phase_end
	service VSEWTO,phase_write
	service VSEWAIT,phase_wait

	.bss
	.balign 8
linux_stack:
	.skip 8
registers:
	.skip 15 * 8
	.section .note.GNU-stack,"",@progbits
