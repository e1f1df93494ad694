***********************************************************************
*                                                                     *
*  SOCKETCL - A CLIENT OF THE SOCKET MACRO: ASKS BY ALL COMMANDS OF   *
*             TYPE CONTROL, AND TALKS TO AN ECHO SERVER               *
*                                                                     *
*  SPDX-License-Identifier: Apache-2.0                                *
*                                                                     *
*  PARM='PORT,HOST'   A DECIMAL NUMBER, AND AN IPV4 ADDRESS OR A NAME *
*                                                                     *
*  RETURN CODE        0: THE LINE CAME BACK   8: A CALL HAS FAILED    *
*                    12: THE PARAMETER IS WRONG                       *
*                                                                     *
*  THE INSTANCE IS THAT OF // OPTION SYSPARM='NN'                     *
*                                                                     *
***********************************************************************
         PRINT NOGEN
R0       EQU   0
R1       EQU   1
R2       EQU   2
R3       EQU   3
R5       EQU   5
R6       EQU   6
R10      EQU   10
R11      EQU   11
R12      EQU   12
R13      EQU   13
R14      EQU   14
R15      EQU   15
SOCKETCL CSECT
         SAVE  (14,12)
         LR    R12,R15
         USING SOCKETCL,R12
         LA    R15,MYSAVE
         ST    R13,4(,R15)
         ST    R15,8(,R13)
         LR    R13,R15
         L     R2,0(,R1)
         LH    R3,0(,R2)          LENGTH OF THE PARAMETER
         LA    R2,2(,R2)
         BAL   R10,GETPORT
         ST    R3,HOSTLEN
         BCTR  R3,0
         EX    R3,MOVEHOST
*
*        QUESTIONS: THE COMMAND, ITS OPERAND, THE ANSWER
*
         SOCKET OPEN,CONTROL,DESC=CONTROL,RETCODE=RETCODE,ERRNO=ERRNO
         BAL   R10,CHECK
         DC    CL16'OPEN'
         XC    LENGTH,LENGTH
         LA    R11,=CL16'GETVENDORINFO'
         BAL   R10,ASK
         BAL   R10,PRINT
         LA    R11,=CL16'GETHOSTNAME'
         BAL   R10,ASK
         BAL   R10,PRINT
*        AN ADDRESS OF 4 BYTES, AND THE SAME AS TEXT
         LA    R11,=CL16'GETHOSTID'
         BAL   R10,ASK
         BAL   R10,PRINTIP
*        THE HOST IS AN ADDRESS, OR A NAME
         MVC   OPERAND(L'HOST),HOST
         MVC   LENGTH,HOSTLEN
         LA    R11,=CL16'PTON'
         BAL   R10,TRY
         LTR   R15,R15
         BZ    FOUND
         LA    R11,=CL16'GETHOSTBYNAME'
         BAL   R10,ASK
FOUND    MVC   ADDRESS,ANSWER
         BAL   R10,PRINTIP
*        AND THE NAME OF ITS ADDRESS
         MVC   OPERAND(4),ADDRESS
         LA    R0,4
         ST    R0,LENGTH
         LA    R11,=CL16'GETHOSTBYADDR'
         BAL   R10,TRY
         LTR   R15,R15
         BNZ   NONAME
         BAL   R10,PRINT
NONAME   SOCKET CLOSE,CONTROL,DESC=CONTROL,                            +
               RETCODE=RETCODE,ERRNO=ERRNO
         BAL   R10,CHECK
         DC    CL16'CLOSE'
*
*        A CONNECTION: OPEN WITH AN ECB, THE OTHERS WAIT BY THEMSELVES
*
         XC    ECB(4),ECB
         SOCKET OPEN,TCP,         AN ACTIVE ONE                        +
               PASSIVE=NO,                                             +
               FOIP=ADDRESS,FOPORT=PORT,                               +
               TIMEOUT=30000,     MILLISECONDS                         +
               ECB=ECB,DESC=DESC,RETCODE=RETCODE,ERRNO=ERRNO
         WAIT  ECB
         BAL   R10,CHECK
         DC    CL16'OPEN,TCP'
         SOCKET STATUS,TCP,DESC=DESC,STATE=STATE,FOPORT=FOPORT,        +
               INSTANCE=INSTANCE,RETCODE=RETCODE,ERRNO=ERRNO
         BAL   R10,CHECK
         DC    CL16'STATUS'
         CLC   STATE,=F'3'        ESTABLISHED
         BNE   BROKEN
         CLC   FOPORT,PORT
         BNE   BROKEN
         MVC   INSTTEXT,INSTANCE
         WTO   TEXT=INSTMSG
         LA    R6,LINE
         SOCKET SEND,TCP,DESC=DESC,BUF=(R6),LENGTH=LINELEN,            +
               RETCODE=RETCODE,ERRNO=ERRNO,MF=(E,LIST)
         BAL   R10,CHECK
         DC    CL16'SEND'
         LA    R5,ANSWER
         L     R6,LINELEN
RECEIVE  ST    R6,LENGTH
         SOCKET RECEIVE,TCP,DESC=DESC,BUF=0(,R5),LENGTH=LENGTH,        +
               RETCODE=RETCODE,ERRNO=ERRNO,MF=(E,LIST)
         BAL   R10,CHECK
         DC    CL16'RECEIVE'
         L     R0,RETCODE
         LTR   R0,R0
         BZ    BROKEN
         AR    R5,R0
         SR    R6,R0
         BP    RECEIVE
         CLC   ANSWER(L'LINE),LINE
         BNE   BROKEN
         SOCKET CLOSE,TCP,DESC=DESC,RETCODE=RETCODE,ERRNO=ERRNO
         BAL   R10,CHECK
         DC    CL16'CLOSE,TCP'
         WTO   'SOCKETCL: THE LINE CAME BACK'
         EOJ
*
BROKEN   WTO   'SOCKETCL: THE CONNECTION IS BROKEN'
         EOJ   RC=8
BADPARM  WTO   'SOCKETCL: PARM=''PORT,HOST'''
         EOJ   RC=12
*
*        ASKS THE COMMAND AT R11; ENDS THE PROGRAM IF IT FAILS
*
ASK      ST    R10,ASKBACK
         BAL   R10,TRY
         MVC   ASKNAME,0(R11)
         BAL   R10,CHECK
ASKNAME  DS    CL16
         L     R10,ASKBACK
         BR    R10
*
*        THE SAME; R15 IS NOT 0 IF IT FAILS. THE LENGTH OF THE ANSWER
*        IS IN ANSWERLN
*
TRY      SOCKET SEND,CONTROL,DESC=CONTROL,COMMAND=(R11),BUF=OPERAND,   +
               LENGTH=LENGTH,RETCODE=RETCODE,ERRNO=ERRNO
         LTR   R15,R15
         BNZR  R10
         SOCKET RECEIVE,CONTROL,DESC=CONTROL,BUF=ANSWER,LENGTH=ROOM,   +
               RETCODE=RETCODE,ERRNO=ERRNO
         MVC   ANSWERLN,RETCODE+2
         BR    R10
*
*        PRINTS AN ADDRESS, WHICH IS 4 BYTES OF ANSWER, BY NTOP
*
PRINTIP  ST    R10,IPBACK
         MVC   OPERAND(4),ANSWER
         LA    R0,4
         ST    R0,LENGTH
         LA    R11,=CL16'NTOP'
         BAL   R10,ASK
         BAL   R10,PRINT
         L     R10,IPBACK
         BR    R10
*
PRINT    WTO   TEXT=ANSWERLN
         BR    R10
*
*        GOES ON BEHIND THE NAME AT R10 IF THE CALL HAS NOT FAILED
*
CHECK    L     R0,RETCODE
         LTR   R0,R0
         BNM   16(,R10)
         MVC   FAILNAME,0(R10)
         L     R0,ERRNO
         CVD   R0,DOUBLE
         UNPK  FAILNR,DOUBLE
         OI    FAILNR+L'FAILNR-1,X'F0'
         WTO   TEXT=FAILMSG
         EOJ   RC=8
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
         MH    R5,=H'10'
         IC    R0,0(,R2)
         N     R0,=X'0000000F'
         AR    R5,R0
         LA    R2,1(,R2)
         BCT   R3,DIGIT
         B     BADPARM
GOTPORT  ST    R5,PORT
         LA    R2,1(,R2)
         BCTR  R3,0
         LTR   R3,R3
         BZ    BADPARM            THERE IS NO HOST
         CH    R3,=Y(L'HOST)
         BH    BADPARM
         BR    R10
MOVEHOST MVC   HOST(*-*),0(R2)    EXECUTED
         LTORG
*
*        DATA
*
MYSAVE   DS    18F
DOUBLE   DS    D
ASKBACK  DS    A
IPBACK   DS    A
CONTROL  DS    F                  DESCRIPTORS
DESC     DS    F
PORT     DS    F
FOPORT   DS    F
HOSTLEN  DS    F
STATE    DS    F
LENGTH   DS    F
LINELEN  DC    A(L'LINE)
ROOM     DC    A(L'ANSWER)
RETCODE  DC    F'0'
ERRNO    DC    F'0'
ECB      DS    0F,XL160
ADDRESS  DS    XL4
LINE     DC    CL32'A LINE IN EBCDIC, BYTE FOR BYTE'
HOST     DC    CL60' '
OPERAND  DS    CL60
ANSWERLN DS    H                  FOR WTO
ANSWER   DS    CL256
INSTANCE DS    CL2
INSTMSG  DC    AL2(INSTEND-INSTHEAD)
INSTHEAD DC    C'SOCKETCL: CONNECTED BY INSTANCE '
INSTTEXT DS    CL2
INSTEND  EQU   *
FAILMSG  DC    AL2(FAILEND-FAILTEXT)
FAILTEXT DC    C'SOCKETCL: '
FAILNAME DS    CL16
         DC    C' ERRNO '
FAILNR   DS    CL5
FAILEND  EQU   *
LIST     SOCKET MF=L
         END   SOCKETCL
