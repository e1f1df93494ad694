***********************************************************************
*                                                                     *
*  ECHOCLI - A CLIENT OF EZASMI: SENDS LINES TO AN ECHO SERVER AND    *
*            COMPARES WHAT COMES BACK                                 *
*                                                                     *
*  SPDX-License-Identifier: Apache-2.0                                *
*                                                                     *
*  PARM='PORT,HOST'   A DECIMAL NUMBER, AND AN IPV4 ADDRESS           *
*                                                                     *
*  RETURN CODE        0: ALL LINES CAME BACK   8: NOT SO              *
*                    12: THE PARAMETER IS WRONG                       *
*                                                                     *
*  REGISTERS   R10 RETURN ADDRESS OF SUBROUTINES, R11 A LINE,         *
*              R12 BASE, R13 SAVE AREA                                *
*                                                                     *
***********************************************************************
         PRINT NOGEN
R0       EQU   0
R1       EQU   1
R2       EQU   2
R3       EQU   3
R5       EQU   5
R6       EQU   6
R7       EQU   7
R10      EQU   10
R11      EQU   11
R12      EQU   12
R13      EQU   13
R14      EQU   14
R15      EQU   15
ECHOCLI  START X'78'              BEHIND THE PARTITION'S SAVE AREA
         SAVE  (14,12)
         LR    R12,R15
         USING ECHOCLI,R12
         LA    R15,MYSAVE
         ST    R13,4(,R15)        CHAIN THE SAVE AREAS
         ST    R15,8(,R13)
         LR    R13,R15
*
*        THE PARAMETER: A HALFWORD WITH ITS LENGTH, AND CHARACTERS
*
         L     R2,0(,R1)
         LH    R3,0(,R2)          ITS LENGTH
         LA    R2,2(,R2)          ITS CHARACTERS
         BAL   R10,GETPORT
         LTR   R3,R3
         BZ    BADPARM            THERE IS NO HOST
         STH   R3,HOSTLEN
         BCTR  R3,0
         EX    R3,MOVEHOST
*
*        INITAPI, AND THE ADDRESS IN BINARY
*
         XC    EZASMTIE(TIELENTH),EZASMTIE
         EZASMI TYPE=INITAPI,     BEGIN TO USE THE INTERFACE           +
               MAXSOC=50,                                              +
               IDENT=IDENT,                                            +
               SUBTASK=SUBTASK,                                        +
               MAXSNO=MAXSNO,                                          +
               TASK=EZASMTIE,                                          +
               ERROR=NOPHASE,                                          +
               ERRNO=ERRNO,RETCODE=RETCODE
         LA    R11,=CL8'INITAPI'
         BAL   R10,CHECK
         EZASMI TYPE=PTON,AF='INET',SRCADDR=HOST,SRCLEN=HOSTLEN,       +
               DSTADDR=ADDRESS,ERRNO=ERRNO,RETCODE=RETCODE
         LA    R11,=CL8'PTON'
         BAL   R10,CHECK
*
*        A SOCKET, AND THE CONNECTION
*
         EZASMI TYPE=SOCKET,AF='INET',SOCTYPE='STREAM',                +
               ERRNO=ERRNO,RETCODE=RETCODE
         LA    R11,=CL8'SOCKET'
         BAL   R10,CHECK
         MVC   S,RETCODE+2        A HALFWORD
         EZASMI TYPE=CONNECT,S=S,NAME=NAME,                            +
               ERRNO=ERRNO,RETCODE=RETCODE
         LA    R11,=CL8'CONNECT'
         BAL   R10,CHECK
*
*        ALL LINES, ONE AFTER THE OTHER
*
         LA    R11,LINES
NEXTLINE CLI   0(R11),X'FF'
         BE    ENDLINES
         BAL   R10,ECHO
         LA    R11,L'LINES(,R11)
         B     NEXTLINE
*
ENDLINES EZASMI TYPE=SHUTDOWN,S=S,HOW=1,ERRNO=ERRNO,RETCODE=RETCODE
         EZASMI TYPE=CLOSE,S=S,ERRNO=ERRNO,RETCODE=RETCODE
         EZASMI TYPE=TERMAPI
         WTO   'ECHOCLI: ALL LINES CAME BACK'
         SR    R15,R15
         B     LEAVE
*
*        SENDS THE LINE AT R11, AND RECEIVES UNTIL AS MUCH HAS COME
*        BACK: OPERANDS AS (REGISTER) AND *ADDRESS OF THE ADDRESS
*
ECHO     ST    R10,ECHOBACK
         ST    R11,LINEPTR
         LA    R3,S
         EZASMI TYPE=WRITE,S=(R3),NBYTE=LINELEN,BUF=*LINEPTR,          +
               ERRNO=ERRNO,RETCODE=RETCODE,MF=(E,SMILIST)
         LA    R11,=CL8'WRITE'
         BAL   R10,CHECK
         CLC   RETCODE,LINELEN
         BNE   BROKEN
         LA    R5,INPUT
         L     R6,LINELEN
READMORE ST    R6,REST
         EZASMI TYPE=READ,S=S,NBYTE=REST,BUF=0(,R5),                   +
               ERRNO=ERRNO,RETCODE=RETCODE,MF=(E,SMILIST)
         LA    R11,=CL8'READ'
         BAL   R10,CHECK
         L     R7,RETCODE
         LTR   R7,R7
         BZ    BROKEN             THE SERVER HAS CLOSED
         AR    R5,R7
         SR    R6,R7
         BNZ   READMORE
         L     R11,LINEPTR
         CLC   INPUT,0(R11)
         BNE   BROKEN
         MVC   MSGTEXT,0(R11)
         WTO   TEXT=MSG
         L     R10,ECHOBACK
         BR    R10
*
*        ENDS THE PROGRAM IF THE CALL WHOSE NAME IS AT R11 HAS FAILED
*
CHECK    L     R0,RETCODE
         LTR   R0,R0
         BNMR  R10
         MVC   FAILNAME,0(R11)
         L     R0,ERRNO
         CVD   R0,DOUBLE
         UNPK  FAILNR,DOUBLE
         OI    FAILNR+L'FAILNR-1,X'F0'
         WTO   TEXT=FAILMSG
         B     FAILED
BROKEN   WTO   'ECHOCLI: THE ANSWER IS NOT WHAT WAS SENT'
FAILED   EZASMI TYPE=TERMAPI
         LA    R15,8
         B     LEAVE
NOPHASE  WTO   'ECHOCLI: THE INTERFACE PHASE CANNOT BE LOADED'
         LA    R15,8
         B     LEAVE
BADPARM  WTO   'ECHOCLI: PARM=''PORT,HOST'''
         LA    R15,12
*
LEAVE    L     R13,4(,R13)
         RETURN (14,12),RC=(15)
*
*        THE PORT BEFORE THE COMMA AT R2; R2 AND R3 GO BEHIND IT
*
GETPORT  SR    R5,R5
DIGIT    LTR   R3,R3
         BZ    BADPARM            THERE IS NO COMMA
         CLI   0(R2),C','
         BE    GOTPORT
         CLI   0(R2),C'0'
         BL    BADPARM
         CLI   0(R2),C'9'
         BH    BADPARM
         MH    R5,=H'10'
         IC    R0,0(,R2)
         N     R0,=X'0000000F'
         AR    R5,R0
         LA    R2,1(,R2)
         BCT   R3,DIGIT
         B     BADPARM
GOTPORT  STH   R5,PORT
         LA    R2,1(,R2)
         BCTR  R3,0
         CH    R3,=Y(L'HOST)
         BH    BADPARM
         BR    R10
*
MOVEHOST MVC   HOST(*-*),0(R2)    EXECUTED
*
*        DATA
*
         LTORG
MYSAVE   DS    18F
ECHOBACK DS    A
LINEPTR  DS    A
DOUBLE   DS    D
S        DS    H
HOSTLEN  DS    H
HOST     DC    CL15' '
NAME     DS    0F                 THE ADDRESS OF THE SERVER
         DC    AL2(2)             AF_INET
PORT     DS    H
ADDRESS  DS    XL4
         DC    XL8'00'
IDENT    DC    CL8' '             TCPNAME: ANY
         DC    CL8'ECHOCLI'       ADSNAME
SUBTASK  DC    CL8'ECHO0001'
MAXSNO   DS    F
ERRNO    DC    F'0'
RETCODE  DC    F'0'
REST     DS    F
LINELEN  DC    A(L'LINES)
LINES    DC    CL40'THE FIRST LINE, AND BLANKS UP TO 40'
         DC    CL40'THE SECOND: A QUOTE '' AND AN && IN IT'
         DC                CL40'THE LAST ONE, WHICH IS CONTINUED IN COL+
               UMN 16'
         DC    X'FF'
INPUT    DS    CL(L'LINES)
MSG      DC    AL2(L'MSGTEXT)
MSGTEXT  DS    CL40
FAILMSG  DC    AL2(FAILEND-FAILTEXT)
FAILTEXT DC    C'ECHOCLI: '
FAILNAME DS    CL8
         DC    C' ERRNO '
FAILNR   DS    CL5
FAILEND  EQU   *
SMILIST  EZASMI MF=L
         EZASMI TYPE=TASK,STORAGE=CSECT
         END   ECHOCLI
