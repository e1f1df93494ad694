***********************************************************************
*                                                                     *
*  GIVELSTN - A LISTENER OF EZASMI: GIVES EACH CONNECTION TO THE      *
*             SERVER TAKESERV, WHICH IS ANOTHER PROGRAM               *
*                                                                     *
*  SPDX-License-Identifier: Apache-2.0                                *
*                                                                     *
*  PARM='PORT,COUNT'  WHERE IT LISTENS, AND HOW MANY CONNECTIONS      *
*                                                                     *
*  RETURN CODE        0: ALL WERE TAKEN   8: A CALL HAS FAILED        *
*                    12: THE PARAMETER IS WRONG                       *
*                                                                     *
*  REGISTERS   R9 CONNECTIONS TO COME, R10 RETURN ADDRESS OF          *
*              SUBROUTINES, R12 BASE, R13 SAVE AREA                   *
*                                                                     *
***********************************************************************
         PRINT NOGEN
R0       EQU   0
R1       EQU   1
R2       EQU   2
R3       EQU   3
R5       EQU   5
R9       EQU   9
R10      EQU   10
R11      EQU   11
R12      EQU   12
R13      EQU   13
R15      EQU   15
GIVELSTN CSECT
         SAVE  (14,12),,*
         LR    R12,R15
         USING GIVELSTN,R12
         LA    R15,MYSAVE
         ST    R13,4(,R15)
         ST    R15,8(,R13)
         LR    R13,R15
         L     R2,0(,R1)
         LH    R3,0(,R2)          LENGTH OF THE PARAMETER
         LA    R2,2(,R2)
         BAL   R10,GETNUM
         STH   R5,PORT
         BAL   R10,GETNUM
         LTR   R9,R5
         BZ    BADPARM
*
*        THE LISTENER'S NAME, BY WHICH A SERVER KNOWS THE GIVER
*
         EZASMI TYPE=INITAPI,MAXSOC=50,IDENT=IDENT,SUBTASK=SUBTASK,    +
               MAXSNO=MAXSNO,ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'INITAPI'
         EZASMI TYPE=GETCLIENTID,CLIENT=CLIENT,                        +
               ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'GETCLID'
         MVC   WHONAME,CLNAME
         MVC   WHOTASK,CLTASK
         EZASMI TYPE=SOCKET,AF='INET',SOCTYPE='STREAM',                +
               ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'SOCKET'
         MVC   LISTENER,RETCODE+2
         EZASMI TYPE=SETSOCKOPT,S=LISTENER,OPTNAME='SO_REUSEADDR',     +
               OPTVAL=ONE,OPTLEN=FOUR,ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'OPTION'
         EZASMI TYPE=BIND,S=LISTENER,NAME=NAME,                        +
               ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'BIND'
         EZASMI TYPE=LISTEN,S=LISTENER,BACKLOG=5,                      +
               ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'LISTEN'
         WTO   TEXT=WHO
*
*        ACCEPT, GIVE, WAIT UNTIL THE SERVER HAS TAKEN IT, CLOSE
*
NEXT     EZASMI TYPE=ACCEPT,S=LISTENER,NAME=PEER,                      +
               ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'ACCEPT'
         MVC   S,RETCODE+2
         MVC   ADDRLEN,=AL2(L'GVADDR)
         EZASMI TYPE=NTOP,AF='INET',SRCADDR=PEER+4,DSTADDR=GVADDR,     +
               DSTLEN=ADDRLEN,ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'NTOP'
         EZASMI TYPE=GIVESOCKET,S=S,CLIENT=TAKER,                      +
               ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'GIVE'
         LH    R2,S
         CVD   R2,DOUBLE
         UNPK  GVNR,DOUBLE
         OI    GVNR+L'GVNR-1,X'F0'
*        THE TEXT ENDS WITH THE ADDRESS, WHOSE LENGTH NTOP HAS SET
         LA    R1,GVADDR-GVTEXT
         AH    R1,ADDRLEN
         STH   R1,GIVEN
         WTO   TEXT=GIVEN
*        THE EXCEPTION OF A GIVEN SOCKET MEANS THAT IT WAS TAKEN
         LA    R1,1
         SLL   R1,0(R2)           DESCRIPTOR 0 IS THE LAST BIT
         ST    R1,EMASK
         LA    R1,1(,R2)
         ST    R1,MAXSOC          ONE MORE THAN THE HIGHEST
         EZASMI TYPE=SELECT,MAXSOC=MAXSOC,TIMEOUT=TIMEOUT,             +
               ESNDMSK=EMASK,ERETMSK=ERETURN,                          +
               ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'SELECT'
         CLC   RETCODE,=F'1'
         BNE   NOTAKER
         CLC   EMASK,ERETURN
         BNE   NOTAKER
         EZASMI TYPE=CLOSE,S=S,ERRNO=ERRNO,RETCODE=RETCODE
         BAL   R10,CHECK
         DC    CL8'CLOSE'
         BCT   R9,NEXT
         EZASMI TYPE=TERMAPI
         WTO   'GIVELSTN: ALL CONNECTIONS WERE TAKEN'
         EOJ   RC=0
*
NOTAKER  WTO   'GIVELSTN: NO SERVER HAS TAKEN THE CONNECTION'
         B     FAILED
BADPARM  WTO   'GIVELSTN: PARM=''PORT,COUNT'''
         EOJ   RC=12
*
*        GOES ON BEHIND THE NAME AT R10 IF THE CALL HAS NOT FAILED
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
FAILED   EZASMI TYPE=TERMAPI
         LA    R11,8
         EOJ   RC=(R11)
*
*        A NUMBER AT R2, WHERE R3 CHARACTERS ARE LEFT, INTO R5
*
GETNUM   SR    R5,R5
DIGIT    LTR   R3,R3
         BNPR  R10
         CLI   0(R2),C','
         BE    ENDNUM
         CLI   0(R2),C'0'
         BL    BADPARM
         MH    R5,=H'10'
         IC    R0,0(,R2)
         N     R0,=X'0000000F'
         AR    R5,R0
         LA    R2,1(,R2)
         BCT   R3,DIGIT
         BR    R10
ENDNUM   LA    R2,1(,R2)
         BCTR  R3,R10             R3 IS NOT 0 IF THERE IS MORE
         BR    R10
         LTORG
*
*        DATA
*
MYSAVE   DS    18F
DOUBLE   DS    D
ONE      DC    F'1'
FOUR     DC    F'4'
MAXSNO   DS    F
MAXSOC   DS    F
TIMEOUT  DC    F'60,0'            SECONDS, MICROSECONDS
EMASK    DS    F
ERETURN  DS    F
ERRNO    DC    F'0'
RETCODE  DC    F'0'
LISTENER DS    H
S        DS    H
ADDRLEN  DS    H
IDENT    DC    CL8' ',CL8'GIVELSTN'
SUBTASK  DC    CL8'LSTN0001'
CLIENT   DC    F'2'               DOMAIN, NAME, TASK, RESERVED
CLNAME   DC    CL8' '
CLTASK   DC    CL8' '
         DC    XL20'00'
TAKER    DC    F'2',CL8'TAKESERV',CL8' ',XL20'00'
NAME     DC    AL2(2)
PORT     DS    H
         DC    XL4'00',XL8'00'    ANY ADDRESS
PEER     DS    XL28
WHO      DC    AL2(WHOEND-WHOTEXT)
WHOTEXT  DC    C'GIVELSTN: LISTENS AS '
WHONAME  DS    CL8
         DC    C','
WHOTASK  DS    CL8
WHOEND   EQU   *
GIVEN    DS    H
GVTEXT   DC    C'GIVELSTN: GIVEN '
GVNR     DS    CL5
         DC    C' OF '
GVADDR   DS    CL15
FAILMSG  DC    AL2(FAILEND-FAILTEXT)
FAILTEXT DC    C'GIVELSTN: '
FAILNAME DS    CL8
         DC    C' ERRNO '
FAILNR   DS    CL5
FAILEND  EQU   *
         END   GIVELSTN
