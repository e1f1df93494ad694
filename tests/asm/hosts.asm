* SPDX-License-Identifier: Apache-2.0
* HOSTS - GETHOSTBYNAME OF THE PARAMETER, GETHOSTBYADDR OF THE RESULT, AND
*         WHAT A HOSTENT HAS; RETURN CODE 8: A CALL HAS FAILED
HOSTS    CSECT
         SAVE  (14,12)
         LR    12,15
         USING HOSTS,12
         LA    15,MYSAVE
         ST    13,4(,15)
         ST    15,8(,13)
         LR    13,15
         L     2,0(,1)
         LH    3,0(,2)
         ST    3,NAMELEN
         LA    2,2(,2)
         EZASMI TYPE=INITAPI,ERRNO=ERRNO,RETCODE=RETCODE
         BAL   10,CHECK
         EZASMI TYPE=GETHOSTBYNAME,NAMELEN=NAMELEN,NAME=(2),           X
               HOSTENT=HOSTENT,ERRNO=ERRNO,RETCODE=RETCODE
         BAL   10,CHECK
         L     4,HOSTENT
         USING ENTRY,4
         CLC   FAMILY,=F'2'
         BNE   WRONG
         CLC   ADDRLEN,=F'4'
         BNE   WRONG
         L     5,ALIASES          A LIST, WHICH MAY BE EMPTY
         L     5,ADDRS
         ICM   6,15,0(5)
         BZ    WRONG
         MVC   ADDRESS,0(6)
         EZASMI TYPE=GETHOSTBYADDR,HOSTADR=ADDRESS,HOSTENT=HOSTENT,    X
               ERRNO=ERRNO,RETCODE=RETCODE
         BAL   10,CHECK
         L     4,HOSTENT
         L     5,NAME             EBCDIC, ENDED BY X'00'
         LR    6,5
SEARCH   CLI   0(6),0
         BE    FOUND
         LA    6,1(,6)
         B     SEARCH
FOUND    SR    6,5
         STH   6,MSG
         BCTR  6,0
         EX    6,MOVE
         WTO   TEXT=MSG
         DROP  4
         CLC   ADDRESS,=X'7F000001'
         BNE   WRONG
         EZASMI TYPE=TERMAPI,ERRNO=ERRNO,RETCODE=RETCODE
         L     13,4(,13)
         RETURN (14,12),RC=0
MOVE     MVC   MSG+2(*-*),0(5)
CHECK    L     0,RETCODE
         LTR   0,0
         BNMR  10
WRONG    WTO   'WRONG'
         EOJ   RC=8
MYSAVE   DS    18F
NAMELEN  DS    F
HOSTENT  DS    A
ERRNO    DS    F
RETCODE  DS    F
ADDRESS  DS    XL4
MSG      DS    H,CL256
ENTRY    DSECT
NAME     DS    A
ALIASES  DS    A
FAMILY   DS    F
ADDRLEN  DS    F
ADDRS    DS    A
         END   HOSTS
