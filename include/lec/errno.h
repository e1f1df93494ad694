/* SPDX-License-Identifier: Apache-2.0 */
/* errno.h - errors in the numbers of z/VSE's LE/C; vselfpd's errno-map.csv names their sources */
#ifndef VSESOCK_LEC_ERRNO_H
#define VSESOCK_LEC_ERRNO_H

#include "lec.h"

LEC_BEGIN

/* Each thread has its own. Errors of the C library's own functions come in these numbers, too. */
extern int *lec_errno_location(void);
#define errno (*lec_errno_location())

LEC_END

#define EDOM               1
#define ERANGE             2
#define ELOAD              83
#define EACCES             111
#define EAGAIN             112
#define EBADF              113
#define EBUSY              114
#define ECHILD             115
#define EDEADLK            116
#define EEXIST             117
#define EFAULT             118
#define EFBIG              119
#define EINTR              120
#define EINVAL             121
#define EIO                122
#define EISDIR             123
#define EMFILE             124
#define EMLINK             125
#define ENAMETOOLONG       126
#define ENFILE             127
#define ENODEV             128
#define ENOENT             129
#define ENOEXEC            130
#define ENOLCK             131
#define ENOMEM             132
#define ENOSPC             133
#define ENOSYS             134
#define ENOTDIR            135
#define ENOTEMPTY          136
#define ENOTTY             137
#define ENXIO              138
#define EPERM              139
#define EPIPE              140
#define EROFS              141  /* taken over from z/OS */
#define ESPIPE             142  /* taken over from z/OS */
#define ESRCH              143  /* taken over from z/OS */
#define EXDEV              144  /* taken over from z/OS */
#define E2BIG              145  /* taken over from z/OS */
#define ELOOP              146  /* taken over from z/OS */
#define EILSEQ             147  /* taken over from z/OS */
#define ENODATA            148  /* taken over from z/OS */
#define EOVERFLOW          149  /* taken over from z/OS */
#define ENOTSUP            247  /* taken over from z/OS */
#define ENOATTR            265  /* taken over from z/OS */
#define EIBMBADCALL        1000 /* taken over from z/OS */
#define EIBMBADPARM        1001 /* taken over from z/OS */
#define EIBMSOCKOUTOFRANGE 1002 /* taken over from z/OS */
#define EIBMSOCKINUSE      1003 /* taken over from z/OS */
#define EIBMCONFLICT       1008 /* taken over from z/OS */
#define EIBMCANCELLED      1009 /* taken over from z/OS */
#define EIBMBADTCPNAME     1011 /* taken over from z/OS */
#define ENOTBLK            1100 /* taken over from z/OS */
#define ETXTBSY            1101 /* taken over from z/OS */
#define EWOULDBLOCK        1102 /* taken over from z/OS */
#define EINPROGRESS        1103 /* taken over from z/OS */
#define EALREADY           1104 /* taken over from z/OS */
#define ENOTSOCK           1105 /* taken over from z/OS */
#define EDESTADDRREQ       1106 /* taken over from z/OS */
#define EMSGSIZE           1107 /* taken over from z/OS */
#define EPROTOTYPE         1108 /* taken over from z/OS */
#define ENOPROTOOPT        1109 /* taken over from z/OS */
#define EPROTONOSUPPORT    1110 /* taken over from z/OS */
#define ESOCKTNOSUPPORT    1111 /* taken over from z/OS */
#define EOPNOTSUPP         1112 /* taken over from z/OS */
#define EPFNOSUPPORT       1113 /* taken over from z/OS */
#define EAFNOSUPPORT       1114 /* taken over from z/OS */
#define EADDRINUSE         1115 /* taken over from z/OS */
#define EADDRNOTAVAIL      1116 /* taken over from z/OS */
#define ENETDOWN           1117 /* taken over from z/OS */
#define ENETUNREACH        1118 /* taken over from z/OS */
#define ENETRESET          1119 /* taken over from z/OS */
#define ECONNABORTED       1120 /* taken over from z/OS */
#define ECONNRESET         1121 /* taken over from z/OS */
#define ENOBUFS            1122 /* taken over from z/OS */
#define EISCONN            1123 /* taken over from z/OS */
#define ENOTCONN           1124 /* taken over from z/OS */
#define ESHUTDOWN          1125 /* taken over from z/OS */
#define ETOOMANYREFS       1126 /* taken over from z/OS */
#define ETIMEDOUT          1127 /* taken over from z/OS */
#define ECONNREFUSED       1128 /* taken over from z/OS */
#define EHOSTDOWN          1129 /* taken over from z/OS */
#define EHOSTUNREACH       1130 /* taken over from z/OS */
#define EPROCLIM           1131 /* taken over from z/OS */
#define EUSERS             1132 /* taken over from z/OS */
#define EDQUOT             1133 /* taken over from z/OS */
#define ESTALE             1134 /* taken over from z/OS */
#define EREMOTE            1135 /* taken over from z/OS */
#define ENOSTR             1136 /* taken over from z/OS */
#define ETIME              1137 /* taken over from z/OS */
#define ENOSR              1138 /* taken over from z/OS */
#define ENOMSG             1139 /* taken over from z/OS */
#define EBADMSG            1140 /* taken over from z/OS */
#define EIDRM              1141 /* taken over from z/OS */
#define ENONET             1142 /* taken over from z/OS */
#define ERREMOTE           1143 /* taken over from z/OS */
#define ENOLINK            1144 /* taken over from z/OS */
#define EADV               1145 /* taken over from z/OS */
#define ESRMNT             1146 /* taken over from z/OS */
#define ECOMM              1147 /* taken over from z/OS */
#define EPROTO             1148 /* taken over from z/OS */
#define EMULTIHOP          1149 /* taken over from z/OS */
#define EDOTDOT            1150 /* taken over from z/OS */
#define EREMCHG            1151 /* taken over from z/OS */
#define ECANCELED          1152 /* taken over from z/OS */
#define EINTRNODATA        1159 /* taken over from z/OS */
#define ENOREUSE           1160 /* taken over from z/OS */
#define ENOMOVE            1161 /* taken over from z/OS */
#define ENOTRUE            1190 /* ours: EZATRUE is not active */
#define ESTRICT            1191 /* ours: LFP_STRICT=fail, and z/VSE would not do it */

#endif
