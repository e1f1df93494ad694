      *> SPDX-License-Identifier: Apache-2.0
      *> transfer HOST PORT OUT|IN BYTES: sends or receives a known
      *> stream of bytes, by EZASOKET. transfer.c is the same program
      *> in C and describes the stream.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TRANSFER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  SOC-FUNCTION        PIC X(16).
       01  MAXSOC              PIC 9(4) BINARY VALUE 50.
       01  IDENT               PIC X(16) VALUE SPACES.
       01  SUBTASK             PIC X(8) VALUE SPACES.
       01  MAXSNO              PIC 9(8) BINARY VALUE 0.
       01  AF                  PIC 9(8) BINARY VALUE 2.
       01  SOCTYPE             PIC 9(8) BINARY VALUE 1.
       01  PROTO               PIC 9(8) BINARY VALUE 0.
       01  S                   PIC 9(4) BINARY VALUE 0.
       01  FLAGS               PIC 9(8) BINARY VALUE 0.
       01  NBYTE               PIC 9(8) BINARY VALUE 0.
       01  HOW                 PIC 9(8) BINARY VALUE 1.
       01  ERRNO               PIC 9(8) BINARY VALUE 0.
       01  RETCODE             PIC S9(8) BINARY VALUE 0.
       01  HOST                PIC X(15) VALUE SPACES.
       01  ARGUMENT            PIC X(20) VALUE SPACES.
       01  DIRECTION           PIC X(4) VALUE SPACES.
       01  ADDRESS-PART        PIC X(3) OCCURS 4 VALUE SPACES.
       01  NAME.
           05  FAMILY          PIC 9(4) BINARY VALUE 2.
           05  PORT            PIC 9(4) COMP-X VALUE 0.
           05  IP-ADDRESS.
               10  OCTET       PIC 9(2) COMP-X OCCURS 4.
           05  FILLER          PIC X(8) VALUE LOW-VALUES.
       01  PERIOD              PIC S9(9) COMP-5 VALUE 8191.
       01  BLOCK-SIZE          PIC S9(9) COMP-5 VALUE 32768.
       01  PATTERN             PIC X(40959).
       01  BLOCK-IN            PIC X(32768).
       01  GO-BYTE             PIC X.
       01  BYTES               PIC S9(18) COMP-5 VALUE 0.
       01  SO-FAR              PIC S9(18) COMP-5 VALUE 0.
       01  WHOLE               PIC S9(18) COMP-5 VALUE 0.
       01  OFFSET              PIC S9(9) COMP-5 VALUE 0.
       01  I                   PIC S9(9) COMP-5 VALUE 0.
       01  X                   PIC S9(18) COMP-5 VALUE 1.
       01  Q                   PIC S9(18) COMP-5 VALUE 0.
       01  HIGH                PIC S9(9) COMP-5 VALUE 0.
       01  SHOWN               PIC Z(17)9.
       PROCEDURE DIVISION.
       MAIN-LINE.
           ACCEPT HOST FROM ARGUMENT-VALUE.
           UNSTRING HOST DELIMITED BY '.' OR SPACE INTO
               ADDRESS-PART(1) ADDRESS-PART(2) ADDRESS-PART(3)
               ADDRESS-PART(4).
           PERFORM VARYING I FROM 1 BY 1 UNTIL I > 4
               COMPUTE OCTET(I) = FUNCTION NUMVAL(ADDRESS-PART(I))
           END-PERFORM.
           ACCEPT ARGUMENT FROM ARGUMENT-VALUE.
           COMPUTE PORT = FUNCTION NUMVAL(ARGUMENT).
           ACCEPT DIRECTION FROM ARGUMENT-VALUE.
           ACCEPT ARGUMENT FROM ARGUMENT-VALUE.
           COMPUTE BYTES = FUNCTION NUMVAL(ARGUMENT).
           PERFORM MAKE-PATTERN.
           MOVE 'INITAPI' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION MAXSOC IDENT SUBTASK
               MAXSNO ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE 'SOCKET' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION AF SOCTYPE PROTO ERRNO
               RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE RETCODE TO S.
           MOVE 'CONNECT' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S NAME ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE 1 TO NBYTE.
           MOVE 'RECV' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S FLAGS NBYTE GO-BYTE
               ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           IF DIRECTION = 'OUT'
               PERFORM SEND-PART UNTIL SO-FAR = BYTES
               PERFORM WAIT-FOR-PEER
           ELSE
               MOVE 1 TO RETCODE
               PERFORM RECEIVE-PART UNTIL RETCODE = 0
           END-IF.
           IF SO-FAR NOT = BYTES
               MOVE SO-FAR TO SHOWN
               DISPLAY 'TRANSFER: THE STREAM ENDS AT BYTE ' SHOWN
                   UPON SYSERR
               PERFORM FAIL
           END-IF.
           MOVE 'CLOSE' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           CALL 'EZASOKET' USING 'TERMAPI'.
           DISPLAY 'TRANSFER ' FUNCTION TRIM(DIRECTION) ' '
               FUNCTION TRIM(ARGUMENT) ' BYTES'.
           STOP RUN.
       MAKE-PATTERN.
           PERFORM VARYING I FROM 1 BY 1 UNTIL I > PERIOD
               COMPUTE X = X * 25173 + 13849
               DIVIDE X BY 65536 GIVING Q REMAINDER X
               DIVIDE X BY 256 GIVING HIGH
               ADD 1 TO HIGH
               MOVE FUNCTION CHAR(HIGH) TO PATTERN(I:1)
           END-PERFORM.
           PERFORM VARYING I FROM 1 BY 1 UNTIL I > 5
               COMPUTE OFFSET = PERIOD * I + 1
               COMPUTE NBYTE = FUNCTION MIN(PERIOD, 40960 - OFFSET)
               MOVE PATTERN(1:NBYTE) TO PATTERN(OFFSET:NBYTE)
           END-PERFORM.
       FIND-OFFSET.
           DIVIDE SO-FAR BY PERIOD GIVING WHOLE REMAINDER OFFSET.
           ADD 1 TO OFFSET.
       SEND-PART.
           PERFORM FIND-OFFSET.
           IF BYTES - SO-FAR < BLOCK-SIZE
               COMPUTE NBYTE = BYTES - SO-FAR
           ELSE
               MOVE BLOCK-SIZE TO NBYTE
           END-IF.
           MOVE 'SEND' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S FLAGS NBYTE
               PATTERN(OFFSET:NBYTE) ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           ADD RETCODE TO SO-FAR.
      *> The peer closes when it has compared everything.
       WAIT-FOR-PEER.
           MOVE 'SHUTDOWN' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S HOW ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE 1 TO NBYTE.
           MOVE 'RECV' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S FLAGS NBYTE GO-BYTE
               ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
       RECEIVE-PART.
           MOVE BLOCK-SIZE TO NBYTE.
           MOVE 'RECV' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S FLAGS NBYTE BLOCK-IN
               ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           IF RETCODE > 0
               PERFORM FIND-OFFSET
               IF BLOCK-IN(1:RETCODE) NOT = PATTERN(OFFSET:RETCODE)
                   MOVE SO-FAR TO SHOWN
                   DISPLAY 'TRANSFER: WRONG DATA BEHIND BYTE ' SHOWN
                       UPON SYSERR
                   PERFORM FAIL
               END-IF
               ADD RETCODE TO SO-FAR
           END-IF.
       CHECK-RETCODE.
           IF RETCODE < 0
               DISPLAY 'TRANSFER: ' SOC-FUNCTION ' ERRNO ' ERRNO
                   UPON SYSERR
               PERFORM FAIL
           END-IF.
       FAIL.
           CALL 'EZASOKET' USING 'TERMAPI'.
           MOVE 8 TO RETURN-CODE.
           STOP RUN.
