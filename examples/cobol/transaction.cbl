      *> SPDX-License-Identifier: Apache-2.0
      *> transaction LAYOUT TRAN FILE: takes the socket that listener
      *> has given, and serves it until the client stops sending. ECHO
      *> sends back the data, UPPE sends it in capitals. FILE has the
      *> area of EXEC CICS RETRIEVE, and is deleted.
      *>
      *> Compile: cobc -x -fstatic-call -lvsesock transaction.cbl
      *> Run:     listener starts it
      *> For EZASOKET: see ezasoket(3).
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TRANSACT.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT AREA-FILE ASSIGN TO AREA-PATH
               ORGANIZATION SEQUENTIAL.
       DATA DIVISION.
       FILE SECTION.
       FD  AREA-FILE.
       01  AREA-RECORD.
           05  GIVE-TAKE-SOCKET  PIC 9(8) BINARY.
           05  LSTN-NAME         PIC X(8).
           05  LSTN-SUBTASKNAME  PIC X(8).
           05  CLIENT-IN-DATA    PIC X(35).
           05  THREADSAFE        PIC X.
           05  SOCKADDR          PIC X(28).
           05  FILLER            PIC X(68).
           05  DATA-AREA-2-LEN   PIC 9(4) BINARY.
           05  DATA-AREA-2       PIC X(35).
       WORKING-STORAGE SECTION.
       01  SOC-FUNCTION        PIC X(16).
       01  MAXSOC              PIC 9(4) BINARY VALUE 50.
       01  IDENT               PIC X(16) VALUE SPACES.
       01  SUBTASK             PIC X(8) VALUE SPACES.
       01  MAXSNO              PIC 9(8) BINARY VALUE 0.
       01  SOCRECV             PIC 9(4) BINARY VALUE 0.
       01  S                   PIC 9(4) BINARY VALUE 0.
       01  GIVER.
           05  GIVER-DOMAIN    PIC 9(8) BINARY VALUE 2.
           05  GIVER-NAME      PIC X(8).
           05  GIVER-TASK      PIC X(8).
           05  FILLER          PIC X(20) VALUE LOW-VALUES.
       01  NBYTE               PIC 9(8) BINARY VALUE 0.
       01  BUF                 PIC X(4096).
       01  ERRNO               PIC 9(8) BINARY VALUE 0.
       01  RETCODE             PIC S9(8) BINARY VALUE 0.
       01  LAYOUT              PIC X(8).
       01  TRAN-ID             PIC X(4).
       01  TRAN-DATA           PIC X(35).
       01  AREA-PATH           PIC X(192).
       PROCEDURE DIVISION.
       MAIN-LINE.
           ACCEPT LAYOUT FROM ARGUMENT-VALUE.
           ACCEPT TRAN-ID FROM ARGUMENT-VALUE.
           ACCEPT AREA-PATH FROM ARGUMENT-VALUE.
           OPEN INPUT AREA-FILE.
           READ AREA-FILE.
           MOVE CLIENT-IN-DATA TO TRAN-DATA.
           IF LAYOUT = 'ENHANCED'
               MOVE DATA-AREA-2(1:DATA-AREA-2-LEN) TO TRAN-DATA
           END-IF.
           MOVE LSTN-NAME TO GIVER-NAME.
           MOVE LSTN-SUBTASKNAME TO GIVER-TASK.
      *> The area has a fullword, TAKESOCKET takes a halfword.
           MOVE GIVE-TAKE-SOCKET TO SOCRECV.
           CLOSE AREA-FILE.
           CALL 'CBL_DELETE_FILE' USING AREA-PATH.
           MOVE 'INITAPI' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION MAXSOC IDENT SUBTASK
               MAXSNO ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE 'TAKESOCKET' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION SOCRECV GIVER ERRNO
               RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE RETCODE TO S.
      *> Send back the data of the first message first.
           IF TRAN-DATA NOT = SPACES
               MOVE TRAN-DATA TO BUF
               MOVE FUNCTION LENGTH(FUNCTION TRIM(TRAN-DATA TRAILING))
                   TO NBYTE
               PERFORM SEND-BACK
           END-IF.
           MOVE 1 TO RETCODE.
           PERFORM SERVE-BLOCK UNTIL RETCODE = 0.
           MOVE 'CLOSE' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           CALL 'EZASOKET' USING 'TERMAPI'.
           STOP RUN.
       SERVE-BLOCK.
           MOVE LENGTH OF BUF TO NBYTE.
           MOVE 'READ' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S NBYTE BUF ERRNO
               RETCODE.
           PERFORM CHECK-RETCODE.
           IF RETCODE > 0
               MOVE RETCODE TO NBYTE
               PERFORM SEND-BACK
           END-IF.
       SEND-BACK.
           IF TRAN-ID = 'UPPE'
               MOVE FUNCTION UPPER-CASE(BUF(1:NBYTE)) TO BUF(1:NBYTE)
           END-IF.
           MOVE 'WRITE' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S NBYTE BUF ERRNO
               RETCODE.
           PERFORM CHECK-RETCODE.
       CHECK-RETCODE.
           IF RETCODE < 0
               DISPLAY 'TRANSACT: ' SOC-FUNCTION ' ERRNO ' ERRNO
                   UPON SYSERR
               CALL 'EZASOKET' USING 'TERMAPI'
               MOVE 8 TO RETURN-CODE
               STOP RUN
           END-IF.
