      *> SPDX-License-Identifier: Apache-2.0
      *> echo-client HOST PORT TEXT: sends TEXT and shows what comes
      *> back.
      *>
      *> Compile: cobc -x -fstatic-call -lvsesock echo-client.cbl
      *> Run:     SYSPARM=01 ./echo-client 10.0.0.1 7 Hello
      *>          (lfp-run -i 01 before it is optional)
      *> For EZASOKET: see ezasoket(3).
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ECHOCLI.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  SOC-FUNCTION        PIC X(16).
       01  MAXSOC              PIC 9(4) BINARY VALUE 50.
       01  IDENT               PIC X(16) VALUE SPACES.
       01  SUBTASK             PIC X(8) VALUE SPACES.
       01  MAXSNO              PIC 9(8) BINARY VALUE 0.
       01  NODE                PIC X(255) VALUE SPACES.
       01  NODELEN             PIC 9(8) BINARY VALUE 255.
       01  SERVNAME            PIC X(32) VALUE SPACES.
       01  SERVLEN             PIC 9(8) BINARY VALUE 32.
       01  ADDRINFO-HINTS.
           05  AI-FLAGS        PIC 9(8) BINARY VALUE 0.
           05  AI-FAMILY       PIC 9(8) BINARY VALUE 0.
           05  AI-SOCKTYPE     PIC 9(8) BINARY VALUE 1.
           05  AI-PROTOCOL     PIC 9(8) BINARY VALUE 0.
       01  HINTS               USAGE POINTER.
       01  RES                 USAGE POINTER.
       01  CANNLEN             PIC 9(8) BINARY VALUE 0.
       01  NAME-LEN            PIC 9(8) BINARY VALUE 0.
       01  CANONICAL-NAME      PIC X(256).
       01  NAME-POINTER        USAGE POINTER.
       01  NEXT-POINTER        USAGE POINTER.
       01  HELPER-RC           PIC S9(8) BINARY VALUE 0.
       01  AF                  PIC 9(8) BINARY VALUE 2.
       01  SOCTYPE             PIC 9(8) BINARY VALUE 1.
       01  PROTO               PIC 9(8) BINARY VALUE 0.
       01  S                   PIC 9(4) BINARY VALUE 0.
       01  FLAGS               PIC 9(8) BINARY VALUE 0.
       01  NBYTE               PIC 9(8) BINARY VALUE 0.
       01  TEXT-OUT            PIC X(1000) VALUE SPACES.
       01  TEXT-IN             PIC X(1000) VALUE SPACES.
       01  TEXT-LEN            PIC 9(8) BINARY VALUE 0.
       01  LEN-IN              PIC 9(8) BINARY VALUE 0.
       01  HOW                 PIC 9(8) BINARY VALUE 1.
       01  ERRNO               PIC 9(8) BINARY VALUE 0.
       01  RETCODE             PIC S9(8) BINARY VALUE 0.
       LINKAGE SECTION.
       01  NAME.
           05  FAMILY          PIC 9(4) BINARY.
           05  FILLER          PIC X(26).
       PROCEDURE DIVISION.
       MAIN-LINE.
           ACCEPT NODE FROM ARGUMENT-VALUE.
           ACCEPT SERVNAME FROM ARGUMENT-VALUE.
           ACCEPT TEXT-OUT FROM ARGUMENT-VALUE.
           MOVE 'INITAPI' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION MAXSOC IDENT SUBTASK
               MAXSNO ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE 'GETADDRINFO' TO SOC-FUNCTION.
           SET HINTS TO ADDRESS OF ADDRINFO-HINTS.
           CALL 'EZASOKET' USING SOC-FUNCTION NODE NODELEN SERVNAME
               SERVLEN HINTS RES CANNLEN ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           CALL 'EZACIC09' USING RES NAME-LEN CANONICAL-NAME
               NAME-POINTER NEXT-POINTER HELPER-RC.
           SET ADDRESS OF NAME TO NAME-POINTER.
           MOVE FAMILY TO AF.
           MOVE 'SOCKET' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION AF SOCTYPE PROTO ERRNO
               RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE RETCODE TO S.
           MOVE 'CONNECT' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S NAME ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE 'FREEADDRINFO' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION RES ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE FUNCTION LENGTH(FUNCTION TRIM(TEXT-OUT)) TO TEXT-LEN.
           MOVE TEXT-LEN TO NBYTE.
           MOVE 'SEND' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S FLAGS NBYTE TEXT-OUT
               ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE 'SHUTDOWN' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S HOW ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE 1 TO RETCODE.
           PERFORM RECEIVE-PART UNTIL RETCODE = 0.
           DISPLAY TEXT-IN(1:LEN-IN).
           MOVE 'CLOSE' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           CALL 'EZASOKET' USING 'TERMAPI'.
           STOP RUN.
       RECEIVE-PART.
           COMPUTE NBYTE = LENGTH OF TEXT-IN - LEN-IN.
           MOVE 'RECV' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S FLAGS NBYTE
               TEXT-IN(LEN-IN + 1:NBYTE) ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           ADD RETCODE TO LEN-IN.
       CHECK-RETCODE.
           IF RETCODE < 0
               DISPLAY 'ECHOCLI: ' SOC-FUNCTION ' ERRNO ' ERRNO
                   UPON SYSERR
               CALL 'EZASOKET' USING 'TERMAPI'
               MOVE 8 TO RETURN-CODE
               STOP RUN
           END-IF.
