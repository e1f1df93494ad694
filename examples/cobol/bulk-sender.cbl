      *> SPDX-License-Identifier: Apache-2.0
      *> bulk-sender HOST PORT MEGABYTES: sends as fast as it can and
      *> reports the rate. The peer discards the data, such as
      *> "nc -l -p PORT >/dev/null" on the Linux side.
      *>
      *> Compile: cobc -x -fstatic-call -lvsesock bulk-sender.cbl
      *> Run:     SYSPARM=01 ./bulk-sender 10.0.0.1 7000 100
      *> For EZASOKET: see ezasoket(3).
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BULKSND.
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
       01  HOW                 PIC 9(8) BINARY VALUE 1.
       01  BLOCK-1               PIC X(65536) VALUE LOW-VALUES.
       01  ERRNO               PIC 9(8) BINARY VALUE 0.
       01  RETCODE             PIC S9(8) BINARY VALUE 0.
       01  ARGUMENT            PIC X(8).
       01  BYTES-TOTAL         PIC 9(15) VALUE 0.
       01  BYTES-LEFT          PIC 9(15) VALUE 0.
       01  TIME-NOW.
           05  HOURS           PIC 99.
           05  MINUTES         PIC 99.
           05  HUNDREDTHS      PIC 9(4).
       01  TIME-START          PIC 9(9).
       01  TIME-END            PIC 9(9).
       01  SECONDS-USED        PIC 9(7)V99.
       01  SECONDS-SHOWN       PIC Z(6)9.99.
       01  BYTES-SHOWN         PIC Z(14)9.
       01  RATE-SHOWN          PIC Z(6)9.9.
       LINKAGE SECTION.
       01  NAME.
           05  FAMILY          PIC 9(4) BINARY.
           05  FILLER          PIC X(26).
       PROCEDURE DIVISION.
       MAIN-LINE.
           ACCEPT NODE FROM ARGUMENT-VALUE.
           ACCEPT SERVNAME FROM ARGUMENT-VALUE.
           ACCEPT ARGUMENT FROM ARGUMENT-VALUE.
           COMPUTE BYTES-TOTAL = FUNCTION NUMVAL(ARGUMENT) * 1048576.
           MOVE 'INITAPI' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION MAXSOC IDENT SUBTASK
               MAXSNO ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           PERFORM CONNECT-TO-HOST.
           PERFORM READ-CLOCK.
           MOVE TIME-END TO TIME-START.
           MOVE BYTES-TOTAL TO BYTES-LEFT.
           PERFORM SEND-BLOCK UNTIL BYTES-LEFT = 0.
      *> The peer closes when it has read everything.
           MOVE 'SHUTDOWN' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S HOW ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE 1 TO NBYTE.
           MOVE 'RECV' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S FLAGS NBYTE BLOCK-1
               ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           PERFORM READ-CLOCK.
           PERFORM SHOW-RESULT.
           MOVE 'CLOSE' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           CALL 'EZASOKET' USING 'TERMAPI'.
           STOP RUN.
       CONNECT-TO-HOST.
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
       SEND-BLOCK.
           MOVE LENGTH OF BLOCK-1 TO NBYTE.
           IF BYTES-LEFT < NBYTE
               MOVE BYTES-LEFT TO NBYTE
           END-IF.
           MOVE 'SEND' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION S FLAGS NBYTE BLOCK-1
               ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           SUBTRACT RETCODE FROM BYTES-LEFT.
       READ-CLOCK.
           ACCEPT TIME-NOW FROM TIME.
           COMPUTE TIME-END = (HOURS * 60 + MINUTES) * 6000
               + HUNDREDTHS.
       SHOW-RESULT.
      *> Midnight may have passed meanwhile.
           IF TIME-END < TIME-START
               ADD 8640000 TO TIME-END
           END-IF.
           COMPUTE SECONDS-USED = (TIME-END - TIME-START) / 100.
           IF SECONDS-USED = 0
               MOVE 0.01 TO SECONDS-USED
           END-IF.
           MOVE BYTES-TOTAL TO BYTES-SHOWN.
           MOVE SECONDS-USED TO SECONDS-SHOWN.
           COMPUTE RATE-SHOWN =
               BYTES-TOTAL / SECONDS-USED / 1048576.
           DISPLAY FUNCTION TRIM(BYTES-SHOWN) ' bytes in '
               FUNCTION TRIM(SECONDS-SHOWN) ' seconds: '
               FUNCTION TRIM(RATE-SHOWN) ' MB/s'.
       CHECK-RETCODE.
           IF RETCODE < 0
               DISPLAY 'BULKSND: ' SOC-FUNCTION ' ERRNO ' ERRNO
                   UPON SYSERR
               CALL 'EZASOKET' USING 'TERMAPI'
               MOVE 8 TO RETURN-CODE
               STOP RUN
           END-IF.
