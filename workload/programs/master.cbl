      *> SPDX-License-Identifier: Apache-2.0
      *> master HOW-MANY: makes an indexed file, changes it, and lists
      *> it by its keys. It knows nothing of a database: redirector.c
      *> is its file handler if it is compiled with -fcallfh=REDIRECT.
      *>
      *> Record I has the key I * 48271 modulo 99999989. Its data are
      *> 62 numbers of a linear congruential generator, which runs
      *> through the whole program.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. MASTER.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT MASTER-FILE ASSIGN TO 'MASTER'
               ORGANIZATION INDEXED ACCESS DYNAMIC
               RECORD KEY MASTER-KEY FILE STATUS FILE-STATUS.
       DATA DIVISION.
       FILE SECTION.
       FD  MASTER-FILE.
       01  MASTER-RECORD.
           05  MASTER-KEY      PIC 9(8).
           05  MASTER-DATA     PIC 9(8) OCCURS 62.
       WORKING-STORAGE SECTION.
       01  FILE-STATUS         PIC XX.
       01  WANTED              PIC XX VALUE '00'.
       01  ARGUMENT            PIC X(8) VALUE SPACES.
       01  HOW-MANY            PIC S9(9) COMP-5 VALUE 0.
       01  I                   PIC S9(9) COMP-5 VALUE 0.
       01  J                   PIC S9(9) COMP-5 VALUE 0.
       01  X                   PIC S9(18) COMP-5 VALUE 1.
       01  Q                   PIC S9(18) COMP-5 VALUE 0.
       PROCEDURE DIVISION.
       MAIN-LINE.
           ACCEPT ARGUMENT FROM ARGUMENT-VALUE.
           COMPUTE HOW-MANY = FUNCTION NUMVAL(ARGUMENT).
           OPEN OUTPUT MASTER-FILE.
           PERFORM CHECK-STATUS.
           PERFORM VARYING I FROM 1 BY 1 UNTIL I > HOW-MANY
               PERFORM MAKE-KEY
               PERFORM MAKE-DATA
               WRITE MASTER-RECORD
               PERFORM CHECK-STATUS
           END-PERFORM.
           MOVE '22' TO WANTED.
           WRITE MASTER-RECORD.
           PERFORM CHECK-STATUS.
           CLOSE MASTER-FILE.
           OPEN I-O MASTER-FILE.
           PERFORM CHECK-STATUS.
           PERFORM VARYING I FROM 1 BY 3 UNTIL I > HOW-MANY
               PERFORM MAKE-KEY
               READ MASTER-FILE
               PERFORM CHECK-STATUS
               PERFORM MAKE-DATA
               REWRITE MASTER-RECORD
               PERFORM CHECK-STATUS
           END-PERFORM.
           PERFORM VARYING I FROM 1 BY 10 UNTIL I > HOW-MANY
               PERFORM MAKE-KEY
               DELETE MASTER-FILE
               PERFORM CHECK-STATUS
           END-PERFORM.
           MOVE '23' TO WANTED.
           READ MASTER-FILE.
           PERFORM CHECK-STATUS.
           CLOSE MASTER-FILE.
           OPEN INPUT MASTER-FILE.
           PERFORM CHECK-STATUS.
           MOVE 0 TO MASTER-KEY.
           START MASTER-FILE KEY NOT LESS THAN MASTER-KEY.
           PERFORM CHECK-STATUS.
           READ MASTER-FILE NEXT.
           PERFORM UNTIL FILE-STATUS NOT = '00'
               DISPLAY MASTER-RECORD
               READ MASTER-FILE NEXT
           END-PERFORM.
           MOVE '10' TO WANTED.
           PERFORM CHECK-STATUS.
           CLOSE MASTER-FILE.
           STOP RUN.
       MAKE-KEY.
           COMPUTE Q = I * 48271.
           DIVIDE Q BY 99999989 GIVING Q REMAINDER MASTER-KEY.
       MAKE-DATA.
           PERFORM VARYING J FROM 1 BY 1 UNTIL J > 62
               COMPUTE X = X * 25173 + 13849
               DIVIDE X BY 65536 GIVING Q REMAINDER X
               MOVE X TO MASTER-DATA(J)
           END-PERFORM.
       CHECK-STATUS.
           IF FILE-STATUS NOT = WANTED
               DISPLAY 'MASTER: STATUS ' FILE-STATUS ', NOT ' WANTED
                   UPON SYSERR
               MOVE 8 TO RETURN-CODE
               STOP RUN
           END-IF.
           MOVE '00' TO WANTED.
