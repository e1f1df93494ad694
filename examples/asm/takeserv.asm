***********************************************************************
*                                                                     *
*  TAKESERV - A SERVER OF EZASMI: TAKES A CONNECTION FROM GIVELSTN,   *
*             AND SENDS BACK WHAT COMES, IN CAPITALS                  *
*                                                                     *
*  SPDX-License-Identifier: Apache-2.0                                *
*                                                                     *
*  PARM='NNNNN'       THE GIVER'S DESCRIPTOR, 5 DIGITS                *
*                                                                     *
*  RETURN CODE        0: THE CLIENT HAS CLOSED   8: A CALL HAS FAILED *
*                    12: THE PARAMETER IS WRONG                       *
*                                                                     *
***********************************************************************
         PRINT NOGEN
R0       EQU   0
R1       EQU   1
R2       EQU   2
R5       EQU   5
R6       EQU   6
R10      EQU   10
R12      EQU   12
R13      EQU   13
R15      EQU   15
TAKESERV CSECT
         SAVE  (14,12)
         LR    R12,R15
         USING TAKESERV,R12
         LA    R15,MYSAVE
         ST    R13,4(,R15)
         ST    R15,8(,R13)
         LR    R13,R15
         L     R2,0(,R1)
         USING PARM,R2
         CLC   PARMLEN,=H'5'
         BNE   BADPARM
         LA    R5,PARMNR
         DROP  R2
         LA    R2,L'PARMNR
         SR    R6,R6
DIGIT    MH    R6,=H'10'
         IC    R0,0(,R5)
         N     R0,=X'0000000F'
         AR    R6,R0
         LA    R5,1(,R5)
         BCT   R2,DIGIT
         STH   R6,GIVEN
         EZASMI TYPE=INITAPI,MAXSOC=50,IDENT=IDENT,SUBTASK=SUBTASK,    +
               MAXSNO=MAXSNO,ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'INITAPI'
         EZASMI TYPE=TAKESOCKET,SOCRECV=GIVEN,CLIENT=GIVER,            +
               ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'TAKE'
         MVC   S,RETCODE+2
*
NEXT     XC    ECB(4),ECB
         EZASMI TYPE=RECV,S=S,NBYTE=ROOM,BUF=BUFFER,ECB=ECB,           +
               ERRNO=ERRNO,RETCODE=RETCODE
         WAIT  ECB                THE RESULTS ARE THERE BEHIND IT
         BAL   R10,CHECK
         DC    CL8'RECV'
         L     R6,RETCODE
         LTR   R6,R6
         BZ    DONE
         LA    R5,BUFFER
         LR    R1,R6
         BCTR  R1,0
         EX    R1,CAPITALS
MORE     ST    R6,REST
         EZASMI TYPE=SEND,S=S,NBYTE=REST,BUF=(R5),                     +
               ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'SEND'
         A     R5,RETCODE
         S     R6,RETCODE
         BP    MORE
         B     NEXT
*
DONE     EZASMI TYPE=CLOSE,S=S,ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'CLOSE'
         EZASMI TYPE=TERMAPI
         WTO   'TAKESERV: THE CLIENT HAS CLOSED'
         EOJ
BADPARM  WTO   'TAKESERV: PARM=''NNNNN'''
         EOJ   RC=12
CAPITALS TR    BUFFER(*-*),TABLE  EXECUTED
*
CHECK    L     R0,RETCODE
         LTR   R0,R0
         BNM   8(,R10)
         MVC   FAILNAME,0(R10)
         L     R0,ERRNO
         CVD   R0,DOUBLE
         UNPK  FAILNR,DOUBLE
         OI    FAILNR+L'FAILNR-1,X'F0'
         WTO   TEXT=FAILMSG
         EZASMI TYPE=TERMAPI
         EOJ   RC=8
*
MYSAVE   DS    18F
DOUBLE   DS    D
MAXSNO   DS    F
REST     DS    F
ROOM     DC    A(L'BUFFER)
ERRNO    DC    F'0'
RETCODE  DC    F'0'
ECB      DS    0F,XL160           AS Z/VSE WANTS IT
GIVEN    DS    H
S        DS    H
IDENT    DC    CL8' ',CL8'TAKESERV'
SUBTASK  DC    CL8'SERV0001'
GIVER    DC    F'2',CL8'GIVELSTN',CL8'LSTN0001',XL20'00'
BUFFER   DS    CL256
FAILMSG  DC    AL2(FAILEND-FAILTEXT)
FAILTEXT DC    C'TAKESERV: '
FAILNAME DS    CL8
         DC    C' ERRNO '
FAILNR   DS    CL5
FAILEND  EQU   *
*
*        DATA OF THE NETWORK IS ASCII: A TO Z ARE X'61' TO X'7A'
*
TABLE    DC    256AL1(*-TABLE)
         ORG   TABLE+X'61'
         DC    26AL1(*-TABLE-X'20')
         ORG
PARM     DSECT
PARMLEN  DS    H
PARMNR   DS    CL5
         END   TAKESERV
