/* SPDX-License-Identifier: Apache-2.0 */
/* test-asm.c - lists of EZASMI and SOCKET statements in assembler programs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "include/vsesock.h"
#include "libvsesock/asm/ezasmi-statement.h"
#include "libvsesock/asm/list.h"
#include "libvsesock/asm/socket-statement.h"
#include "libvsesock/csi/request.h"
#include "libvsesock/ezasmi/ezasmi.h"
#include "libvsesock/vse/errno.h"

#define DESCRIPTOR 64
#define ROOM       4096

/* Storage of the program, below 2 GB: lists have addresses of 31 bits. */
static struct {
	uint32_t list[1 + ASM_OPERANDS];
	char descriptor[DESCRIPTOR];
	int retcode, error;
	unsigned char foip[16], loip[16];
	int family;
	uint32_t ecb[40];
	char word[8];
} * program;

/* Makes a list with the operands that a descriptor names. Returns its address. */
static uint32_t list(const char *descriptor, void *const *operands)
{
	program->list[0] = (uint32_t)(uintptr_t)program->descriptor;
	strncpy(program->descriptor, descriptor, DESCRIPTOR - 1);
	for (int i = 0; operands[i]; i++)
		program->list[1 + i] = (uint32_t)(uintptr_t)operands[i];
	return (uint32_t)(uintptr_t)program->list;
}

#define LIST(descriptor, ...) list(descriptor, (void *const[]){__VA_ARGS__, NULL})

static int prepare(void **state)
{
	(void)state;
	if (!program)
		program = asm_low(ROOM);
	if (!program)
		return -1;
	memset(program, 0, sizeof(*program));
	memcpy(program->word, "WORD", 5);
	memset(program->foip, 0xee, sizeof(program->foip));
	memset(program->loip, 0xee, sizeof(program->loip));
	return 0;
}

static int lacking; /* the number of the next calloc() that fails; 0: none */

void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);

void *__wrap_calloc(size_t nr, size_t size)
{
	return lacking && --lacking == 0 ? NULL : __real_calloc(nr, size);
}

static bool real_library;

int __real_csi_make(const char *name, const char *type, struct csi_socket *request,
		    const struct csi_form *form);

/* The library: a descriptor with addresses of IPv6 */
int __wrap_csi_make(const char *name, const char *type, struct csi_socket *request,
		    const struct csi_form *form);

int __wrap_csi_make(const char *name, const char *type, struct csi_socket *request,
		    const struct csi_form *form)
{
	if (real_library)
		return __real_csi_make(name, type, request, form);
	assert_string_equal(name, "STATUS");
	assert_string_equal(type, "TCP");
	request->FAMILY = CSI_INET6;
	memset(request->FOIP, 1, sizeof(request->FOIP));
	memset(request->LOIP, 2, sizeof(request->LOIP));
	form->set(request, true);
	return 0;
}

/* Checks that @nr bytes of a field of 16 are @byte, and the others are as before. */
static void check_set(const unsigned char *field, size_t nr, unsigned char byte)
{
	for (size_t i = 0; i < 16; i++)
		assert_int_equal(field[i], i < nr ? byte : 0xee);
}

static void addresses_have_the_size_of_the_statement(void **state)
{
	uint32_t at = LIST("STATUS TCP FOIP=a LOIP=a", program->foip, program->loip);

	(void)state;
	assert_int_equal(VSEASM_SOCKET(at), 0);
	check_set(program->foip, 4, 1);
	check_set(program->loip, 4, 2);
	/* Where the FAMILY is to be set, it is not yet IPv6. */
	at = LIST("STATUS TCP FOIP=a LOIP=a FAMILY=a", program->foip, program->loip,
		  &program->family);
	assert_int_equal(VSEASM_SOCKET(at), 0);
	assert_int_equal(program->family, CSI_INET6);
	check_set(program->foip, 4, 1);
	assert_int_equal(VSEASM_SOCKET(at), 0);
	check_set(program->foip, 16, 1);
	check_set(program->loip, 16, 2);
}

static bool is_posted(void)
{
	void *ecbs[] = {program->ecb};

	return !vse_ecb_wait(ecbs, 1, 0);
}

/* An operand that is wrong before the library sees it. */
static void a_refused_statement_posts_its_ecb(void **state)
{
	(void)state;
	VSEASM_EZASMI(LIST("CLOSE S=w ECB=a RETCODE=a ERRNO=a", program->word, program->ecb,
			   &program->retcode, &program->error));
	assert_int_equal(program->retcode, -1);
	assert_true(program->error > 0);
	assert_true(is_posted());
	memset(program->ecb, 0, sizeof(program->ecb));
	program->retcode = program->error = 0;
	assert_int_equal(
		VSEASM_SOCKET(LIST("CLOSE TCP DESC=w ECB=a RETCODE=a ERRNO=a", program->word,
				   program->ecb, &program->retcode, &program->error)),
		8);
	assert_int_equal(program->retcode, -1);
	assert_true(program->error > 0);
	assert_true(is_posted());
}

/* Checks what a statement has set that had no memory, and clears it. */
static void check_no_memory(void)
{
	assert_int_equal(lacking, 0);
	assert_int_equal(program->retcode, -1);
	assert_true(program->error > 0);
	assert_true(is_posted());
	program->retcode = program->error = 0;
	memset(program->ecb, 0, sizeof(program->ecb));
}

static void without_memory_retcode_is_set(void **state)
{
	static struct csi_socket request;
	const struct ezasmi said = {
		.RETCODE = &program->retcode, .ERRNO = &program->error, .ECB = program->ecb};
	uint32_t at = LIST("CLOSE TCP ECB=a RETCODE=a ERRNO=a", program->ecb, &program->retcode,
			   &program->error);

	(void)state;
	real_library = true;
	for (int i = 1; i <= 2; i++) {
		lacking = i;
		VSEASM_SOCKET(at);
		check_no_memory();
	}
	lacking = 1;
	request.ECB = program->ecb;
	(void)csi_make("CLOSE", "TCP", &request, NULL);
	real_library = false;
	program->retcode = request.RETCODE;
	program->error = request.ERRNO;
	check_no_memory();
	lacking = 1;
	VSEASM_EZASMI(LIST("TERMAPI ECB=a RETCODE=a ERRNO=a", program->ecb, &program->retcode,
			   &program->error));
	check_no_memory();
	lacking = 1;
	(void)smi_make("TERMAPI", &said, false);
	check_no_memory();
}

/* A quoted word is no fullword. */
static void a_word_is_no_number(void **state)
{
	(void)state;
	VSEASM_EZASMI(LIST("LISTEN BACKLOG=w RETCODE=a ERRNO=a", program->word, &program->retcode,
			   &program->error));
	assert_int_equal(program->retcode, -1);
	assert_int_equal(program->error, vse_errno(vse_space(), EINVAL));
}

/* A number is no ECB, and no place of a result. */
static void numbers_are_not_written(void **state)
{
	(void)state;
	VSEASM_EZASMI(LIST("CLOSE ECB=n RETCODE=n", program->ecb, &program->retcode));
	assert_int_equal(VSEASM_SOCKET(LIST("CLOSE TCP ECB=n", program->ecb)), 8);
	assert_false(is_posted());
	assert_int_equal(program->retcode, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(addresses_have_the_size_of_the_statement, prepare),
		cmocka_unit_test_setup(a_refused_statement_posts_its_ecb, prepare),
		cmocka_unit_test_setup(without_memory_retcode_is_set, prepare),
		cmocka_unit_test_setup(a_word_is_no_number, prepare),
		cmocka_unit_test_setup(numbers_are_not_written, prepare),
	};

	return cmocka_run_group_tests_name("asm", tests, NULL, NULL);
}
