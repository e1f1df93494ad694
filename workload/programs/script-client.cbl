      *> SPDX-License-Identifier: Apache-2.0
      *> script-client HOST PORT NAME [ARGUMENT]: stands for the VSE
      *> Script Client. It calls a script of script-server.py, and
      *> displays its output. The return code is the script's.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SCRIPTCL.
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
       01  ERRNO               PIC 9(8) BINARY VALUE 0.
       01  RETCODE             PIC S9(8) BINARY VALUE 0.
       01  HOST                PIC X(15) VALUE SPACES.
       01  ARGUMENT            PIC X(64) VALUE SPACES.
       01  SCRIPT-NAME         PIC X(64) VALUE SPACES.
       01  ADDRESS-PART        PIC X(3) OCCURS 4 VALUE SPACES.
       01  NAME.
           05  FAMILY          PIC 9(4) BINARY VALUE 2.
           05  PORT            PIC 9(4) COMP-X VALUE 0.
           05  IP-ADDRESS.
               10  OCTET       PIC 9(2) COMP-X OCCURS 4.
           05  FILLER          PIC X(8) VALUE LOW-VALUES.
       01  CALL-TEXT           PIC X(140) VALUE SPACES.
       01  CALL-LENGTH         PIC 9(8) BINARY VALUE 1.
       01  BUF                 PIC X(4096).
       01  WANTED              PIC 9(8) BINARY VALUE 0.
       01  SO-FAR              PIC 9(8) BINARY VALUE 0.
       01  PIECE-LENGTH        PIC 9(8).
       01  SCRIPT-CODE         PIC 9(4).
       01  I                   PIC S9(9) COMP-5 VALUE 0.
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
           ACCEPT SCRIPT-NAME FROM ARGUMENT-VALUE.
           MOVE SPACES TO ARGUMENT.
           ACCEPT ARGUMENT FROM ARGUMENT-VALUE
               ON EXCEPTION MOVE SPACES TO ARGUMENT
           END-ACCEPT.
           STRING 'CALL ' FUNCTION TRIM(SCRIPT-NAME) ' '
               FUNCTION TRIM(ARGUMENT) X'0A' DELIMITED BY SIZE
               INTO CALL-TEXT WITH POINTER CALL-LENGTH.
           SUBTRACT 1 FROM CALL-LENGTH.
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
           MOVE 'SEND' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S FLAGS CALL-LENGTH
               CALL-TEXT ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE 1 TO PIECE-LENGTH.
           PERFORM READ-PIECE UNTIL PIECE-LENGTH = 0.
           MOVE 4 TO WANTED.
           PERFORM RECEIVE-ALL.
           COMPUTE SCRIPT-CODE = FUNCTION NUMVAL(BUF(1:4)).
           MOVE 'CLOSE' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           CALL 'EZASOKET' USING 'TERMAPI'.
           MOVE SCRIPT-CODE TO RETURN-CODE.
           STOP RUN.
      *> Eight digits with the length of a piece, and the piece. A
      *> length of 0 ends the output; four digits follow it.
       READ-PIECE.
           MOVE 8 TO WANTED.
           PERFORM RECEIVE-ALL.
           COMPUTE PIECE-LENGTH = FUNCTION NUMVAL(BUF(1:8)).
           IF PIECE-LENGTH > LENGTH OF BUF
               DISPLAY 'SCRIPTCL: A PIECE OF ' PIECE-LENGTH UPON SYSERR
               PERFORM FAIL
           END-IF.
           IF PIECE-LENGTH > 0
               MOVE PIECE-LENGTH TO WANTED
               PERFORM RECEIVE-ALL
               DISPLAY BUF(1:WANTED) WITH NO ADVANCING
           END-IF.
       RECEIVE-ALL.
           MOVE 'RECV' TO SOC-FUNCTION.
           MOVE 0 TO SO-FAR.
           PERFORM UNTIL SO-FAR = WANTED
               COMPUTE NBYTE = WANTED - SO-FAR
               CALL 'EZASOKET' USING SOC-FUNCTION S FLAGS NBYTE
                   BUF(SO-FAR + 1:NBYTE) ERRNO RETCODE
               PERFORM CHECK-RETCODE
               IF RETCODE = 0
                   DISPLAY 'SCRIPTCL: THE SERVER ENDS TOO EARLY'
                       UPON SYSERR
                   PERFORM FAIL
               END-IF
               ADD RETCODE TO SO-FAR
           END-PERFORM.
       CHECK-RETCODE.
           IF RETCODE < 0
               DISPLAY 'SCRIPTCL: ' SOC-FUNCTION ' ERRNO ' ERRNO
                   UPON SYSERR
               PERFORM FAIL
           END-IF.
       FAIL.
           CALL 'EZASOKET' USING 'TERMAPI'.
           MOVE 16 TO RETURN-CODE.
           STOP RUN.
