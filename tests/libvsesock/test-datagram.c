/* SPDX-License-Identifier: Apache-2.0 */
/* test-datagram.c - control messages of datagrams, as the kernel's UDP takes and gives them */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <linux/errqueue.h>
#include <unistd.h>

#include "libvsesock/core/datagram.h"

union control {
	struct cmsghdr align;
	char buf[256];
};

/* A message with one control message. */
static void make(struct msghdr *msg, union control *control, int level, int type, const void *value,
		 size_t len)
{
	memset(msg, 0, sizeof(*msg));
	memset(control, 0, sizeof(*control));
	msg->msg_control = control->buf;
	msg->msg_controllen = CMSG_SPACE(len);
	control->align.cmsg_level = level;
	control->align.cmsg_type = type;
	control->align.cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(&control->align), value, len);
}

static int take(int level, int type, const void *value, size_t len, struct lfp_meta *meta)
{
	union control control;
	struct msghdr msg;

	memset(meta, 0, sizeof(*meta));
	make(&msg, &control, level, type, value, len);
	return datagram_take_control(&msg, meta);
}

static int take_int(int level, int type, int value, struct lfp_meta *meta)
{
	return take(level, type, &value, sizeof(value), meta);
}

static void taken(void **state)
{
	struct in_pktinfo info = {.ipi_ifindex = 3,
				  .ipi_spec_dst.s_addr = htonl(0x0a010203),
				  .ipi_addr.s_addr = htonl(0x01020304)};
	struct in6_pktinfo info6 = {.ipi6_ifindex = 4, .ipi6_addr = IN6ADDR_LOOPBACK_INIT};
	uint16_t segment = 1200;
	uint8_t byte = 8;
	struct lfp_meta meta;

	(void)state;
	assert_int_equal(take(IPPROTO_IP, IP_PKTINFO, &info, sizeof(info), &meta), 0);
	assert_int_equal(meta.has, LFP_HAS_PKTINFO);
	assert_int_equal(meta.ifindex, 3);
	assert_int_equal(meta.spec, 0x0a010203);
	assert_int_equal(take(IPPROTO_IPV6, IPV6_PKTINFO, &info6, sizeof(info6), &meta), 0);
	assert_int_equal(meta.has, LFP_HAS_PKTINFO6);
	assert_memory_equal(meta.local.ip, &in6addr_loopback, 16);
	assert_int_equal(take_int(IPPROTO_IP, IP_TTL, 9, &meta), 0);
	assert_int_equal(meta.ttl, 9);
	assert_int_equal(take_int(IPPROTO_IP, IP_TOS, 0x10, &meta), 0);
	assert_int_equal(meta.tos, 0x10);
	assert_int_equal(take(IPPROTO_IP, IP_TOS, &byte, 1, &meta), 0);
	assert_int_equal(meta.tos, 8);
	assert_int_equal(take_int(IPPROTO_IPV6, IPV6_HOPLIMIT, 5, &meta), 0);
	assert_int_equal(meta.has, LFP_HAS_HOPLIMIT);
	assert_int_equal(take_int(IPPROTO_IPV6, IPV6_HOPLIMIT, -1, &meta), 0);
	assert_int_equal(meta.has, 0);
	assert_int_equal(take_int(IPPROTO_IPV6, IPV6_TCLASS, 255, &meta), 0);
	assert_int_equal(meta.has, LFP_HAS_TCLASS);
	assert_int_equal(take(IPPROTO_UDP, UDP_SEGMENT, &segment, 2, &meta), 0);
	assert_int_equal(meta.segment, 1200);
	/* Other levels are not looked at. */
	assert_int_equal(take_int(IPPROTO_TCP, 1, 1, &meta), 0);
	assert_int_equal(meta.has, 0);
}

static void refused(void **state)
{
	struct in_pktinfo info = {.ipi_ifindex = 3};
	struct lfp_meta meta;
	union control control;
	struct msghdr msg;
	int one = 1;

	(void)state;
	assert_int_equal(take_int(IPPROTO_IP, IP_TTL, 0, &meta), -EINVAL);
	assert_int_equal(take_int(IPPROTO_IP, IP_TTL, 256, &meta), -EINVAL);
	assert_int_equal(take(IPPROTO_IP, IP_TTL, &one, 1, &meta), -EINVAL);
	assert_int_equal(take_int(IPPROTO_IP, IP_TOS, 256, &meta), -EINVAL);
	assert_int_equal(take(IPPROTO_IP, IP_PKTINFO, &info, sizeof(info) - 1, &meta), -EINVAL);
	assert_int_equal(take_int(IPPROTO_IP, IP_MTU, 1, &meta), -EINVAL);
	assert_int_equal(take_int(IPPROTO_IPV6, IPV6_HOPLIMIT, 256, &meta), -EINVAL);
	assert_int_equal(take_int(IPPROTO_IPV6, IPV6_HOPLIMIT, -2, &meta), -EINVAL);
	assert_int_equal(take_int(IPPROTO_IPV6, IPV6_PKTINFO, 1, &meta), -EINVAL);
	assert_int_equal(take_int(SOL_SOCKET, SO_MARK, 1, &meta), -EPERM);
	assert_int_equal(take_int(SOL_SOCKET, SO_ERROR, 1, &meta), -EINVAL);
	assert_int_equal(take_int(IPPROTO_UDP, UDP_GRO, 1, &meta), -EINVAL);
	/* A length that is not within the buffer, or too short. */
	make(&msg, &control, IPPROTO_IP, IP_TTL, &one, sizeof(one));
	control.align.cmsg_len = msg.msg_controllen + 1;
	assert_int_equal(datagram_take_control(&msg, &meta), -EINVAL);
	control.align.cmsg_len = sizeof(struct cmsghdr) - 1;
	assert_int_equal(datagram_take_control(&msg, &meta), -EINVAL);
}

/* Give all there is into @room bytes; the message afterwards. */
static struct msghdr given(const struct lfp_meta *meta, union control *control, size_t room)
{
	struct msghdr msg = {.msg_control = control->buf, .msg_controllen = room};

	memset(control, 0, sizeof(*control));
	datagram_give_control(&msg, NULL, meta);
	return msg;
}

static void gives(void **state)
{
	const struct lfp_meta meta = {
		.has = LFP_HAS_PKTINFO | LFP_HAS_TTL | LFP_HAS_TOS,
		.ttl = 64,
		.tos = 4,
		.ifindex = 2,
		.local = {.family = LFP_AF_INET, .ip = {10, 0, 0, 9}},
		.spec = 0x0a000001,
	};
	union control control;
	struct msghdr msg = given(&meta, &control, sizeof(control.buf));
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	struct in_pktinfo info;
	int ttl;

	(void)state;
	assert_int_equal(msg.msg_flags, 0);
	assert_int_equal(msg.msg_controllen,
			 CMSG_SPACE(sizeof(info)) + CMSG_SPACE(sizeof(int)) + CMSG_SPACE(1));
	assert_int_equal(cmsg->cmsg_type, IP_PKTINFO);
	memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
	assert_int_equal(info.ipi_ifindex, 2);
	assert_int_equal(ntohl(info.ipi_addr.s_addr), 0x0a000009);
	assert_int_equal(ntohl(info.ipi_spec_dst.s_addr), 0x0a000001);
	cmsg = CMSG_NXTHDR(&msg, cmsg);
	assert_int_equal(cmsg->cmsg_type, IP_TTL);
	memcpy(&ttl, CMSG_DATA(cmsg), sizeof(ttl));
	assert_int_equal(ttl, 64);
	cmsg = CMSG_NXTHDR(&msg, cmsg);
	assert_int_equal(cmsg->cmsg_type, IP_TOS);
	assert_int_equal(cmsg->cmsg_len, CMSG_LEN(1));
	assert_int_equal(*CMSG_DATA(cmsg), 4);
}

/* As put_cmsg(): the last one is cut off, or is not there. */
static void cut_off(void **state)
{
	const struct lfp_meta meta = {.has = LFP_HAS_HOPLIMIT | LFP_HAS_TCLASS, .ttl = 1, .tos = 2};
	size_t one = CMSG_SPACE(sizeof(int));
	union control control;
	struct msghdr msg;

	(void)state;
	msg = given(&meta, &control, 0);
	assert_int_equal(msg.msg_flags, MSG_CTRUNC);
	assert_int_equal(msg.msg_controllen, 0);
	msg = given(&meta, &control, one);
	assert_int_equal(msg.msg_flags, MSG_CTRUNC);
	assert_int_equal(msg.msg_controllen, one);
	msg = given(&meta, &control, one + sizeof(struct cmsghdr) + 2);
	assert_int_equal(msg.msg_flags, MSG_CTRUNC);
	assert_int_equal(msg.msg_controllen, one + sizeof(struct cmsghdr) + 2);
	assert_int_equal(CMSG_NXTHDR(&msg, CMSG_FIRSTHDR(&msg))->cmsg_len,
			 sizeof(struct cmsghdr) + 2);
	assert_int_equal(control.buf[one + sizeof(struct cmsghdr) + 2], 0);
	msg = given(&meta, &control, 2 * one);
	assert_int_equal(msg.msg_flags, 0);
	assert_int_equal(msg.msg_controllen, 2 * one);
}

/* As put_cmsg() (net/core/scm.c): bad memory gets nothing, without an error. */
static void bad_memory(void **state)
{
	const struct lfp_meta meta = {.has = LFP_HAS_HOPLIMIT, .ttl = 1};
	void *bad = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct msghdr msg = {.msg_control = bad, .msg_controllen = 64};
	struct lfp_meta taken_meta = {.has = 0};

	(void)state;
	assert_true(bad != MAP_FAILED);
	datagram_give_control(&msg, NULL, &meta);
	assert_int_equal(msg.msg_controllen, 0);
	assert_int_equal(msg.msg_flags, 0);
	msg.msg_controllen = 64;
	assert_int_equal(datagram_take_control(&msg, &taken_meta), -EFAULT);
	msg.msg_controllen = (size_t)INT_MAX + 1;
	assert_int_equal(datagram_take_control(&msg, &taken_meta), -ENOBUFS);
	munmap(bad, 4096);
}

/* A mapped address is one of IPv4 in IP_PKTINFO. */
static void mapped(void **state)
{
	const struct lfp_meta meta = {
		.has = LFP_HAS_PKTINFO | LFP_HAS_PKTINFO6,
		.local = {.family = LFP_AF_INET6, .ip = {[10] = 0xff, 0xff, 10, 0, 0, 9}},
	};
	union control control;
	struct msghdr msg = given(&meta, &control, sizeof(control.buf));
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	struct in6_pktinfo info6;
	struct in_pktinfo info;

	(void)state;
	assert_int_equal(cmsg->cmsg_type, IPV6_PKTINFO);
	memcpy(&info6, CMSG_DATA(cmsg), sizeof(info6));
	assert_memory_equal(&info6.ipi6_addr, meta.local.ip, 16);
	cmsg = CMSG_NXTHDR(&msg, cmsg);
	assert_int_equal(cmsg->cmsg_type, IP_PKTINFO);
	memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
	assert_int_equal(ntohl(info.ipi_addr.s_addr), 0x0a000009);
}

/* The descriptor's name is the source, and it is closed; time stamps go to the program. */
static void sources(void **state)
{
	const struct lfp_meta peer = {.addr = {.family = LFP_AF_INET, .port = 1}};
	const struct lfp_meta shown = {
		.addr = {.family = LFP_AF_INET, .port = 2}, .has = LFP_HAS_TTL, .ttl = 3};
	struct sockaddr_un name, bound;
	socklen_t len = lfp_source_name(&shown, 4711, &bound);
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	union control control, out;
	struct msghdr native, msg = {.msg_control = out.buf, .msg_controllen = sizeof(out.buf)};
	struct timeval now = {.tv_sec = 5};
	struct lfp_meta meta;

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&bound, len), 0);
	make(&native, &control, SOL_SOCKET, SCM_RIGHTS, &fd, sizeof(fd));
	native.msg_name = &name;
	native.msg_namelen = lfp_source_name(&peer, 1, &name);
	datagram_take_source(&native, &meta);
	assert_memory_equal(&meta, &shown, sizeof(meta));
	assert_int_equal(close(fd), -1);
	datagram_give_control(&msg, &native, &meta);
	assert_int_equal(CMSG_FIRSTHDR(&msg)->cmsg_type, IP_TTL);
	assert_int_equal(msg.msg_controllen, CMSG_SPACE(sizeof(int)));

	make(&native, &control, SOL_SOCKET, SCM_TIMESTAMP, &now, sizeof(now));
	native.msg_name = &name;
	native.msg_namelen = lfp_source_name(&peer, 1, &name);
	datagram_take_source(&native, &meta);
	assert_memory_equal(&meta, &peer, sizeof(meta));
	msg.msg_controllen = sizeof(out.buf);
	datagram_give_control(&msg, &native, &meta);
	assert_int_equal(CMSG_FIRSTHDR(&msg)->cmsg_type, SCM_TIMESTAMP);
	assert_int_equal(msg.msg_controllen, CMSG_SPACE(sizeof(now)));

	/* A datagram without such a name has no sender. */
	native.msg_namelen = 5;
	datagram_take_source(&native, &meta);
	assert_int_equal(meta.addr.family, LFP_AF_UNSPEC);
}

static void error_queue(void **state)
{
	const struct lfp_ctl_errqueue entry = {
		.error = ECONNREFUSED,
		.origin = SO_EE_ORIGIN_ICMP,
		.type = 3,
		.code = 3,
		.dest = {.family = LFP_AF_INET, .port = 9},
		.offender = {.family = LFP_AF_INET, .ip = {10, 0, 0, 1}},
	};
	union control control;
	struct msghdr msg = {.msg_control = control.buf, .msg_controllen = sizeof(control.buf)};
	struct sock_extended_err err;
	struct sockaddr_in offender;
	struct cmsghdr *cmsg;

	(void)state;
	datagram_give_error(&msg, &entry);
	cmsg = CMSG_FIRSTHDR(&msg);
	assert_int_equal(cmsg->cmsg_level, IPPROTO_IP);
	assert_int_equal(cmsg->cmsg_type, IP_RECVERR);
	assert_int_equal(cmsg->cmsg_len, CMSG_LEN(sizeof(err) + sizeof(offender)));
	memcpy(&err, CMSG_DATA(cmsg), sizeof(err));
	assert_int_equal(err.ee_errno, ECONNREFUSED);
	assert_int_equal(err.ee_code, 3);
	memcpy(&offender, CMSG_DATA(cmsg) + sizeof(err), sizeof(offender));
	assert_int_equal(offender.sin_family, AF_INET);
	assert_int_equal(ntohl(offender.sin_addr.s_addr), 0x0a000001);
}

static void known(void **state)
{
	struct sockaddr_un near = {.sun_family = AF_UNIX,
				   .sun_path = "vselfp/01/0123456789abcdef/0000000000000001"};
	struct lfp_addr addr = {.family = LFP_AF_INET, .port = 53}, other = addr;
	struct sockaddr_un another = near;

	(void)state;
	other.port = 54;
	another.sun_path[LFP_NEAR_PATH_LEN - 1] = '2';
	assert_false(datagram_is_known(&near, &addr));
	datagram_know(&near, &addr);
	assert_true(datagram_is_known(&near, &addr));
	assert_false(datagram_is_known(&near, &other));
	assert_false(datagram_is_known(&another, &addr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken),       cmocka_unit_test(refused),
		cmocka_unit_test(gives),       cmocka_unit_test(cut_off),
		cmocka_unit_test(mapped),      cmocka_unit_test(sources),
		cmocka_unit_test(bad_memory),  cmocka_unit_test(known),
		cmocka_unit_test(error_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
