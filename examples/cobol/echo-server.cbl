      *> SPDX-License-Identifier: Apache-2.0
      *> echo-server PORT COUNT: sends back what COUNT clients send,
      *> one after another.
      *>
      *> Compile: cobc -x -fstatic-call -lvsesock echo-server.cbl
      *> Run:     SYSPARM=01 ./echo-server 7000 10
      *> For EZASOKET: see ezasoket(3).
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ECHOSRV.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  SOC-FUNCTIONS.
           05  SOC-INITAPI     PIC X(16) VALUE 'INITAPI'.
           05  SOC-SOCKET      PIC X(16) VALUE 'SOCKET'.
           05  SOC-SETSOCKOPT  PIC X(16) VALUE 'SETSOCKOPT'.
           05  SOC-BIND        PIC X(16) VALUE 'BIND'.
           05  SOC-LISTEN      PIC X(16) VALUE 'LISTEN'.
           05  SOC-ACCEPT      PIC X(16) VALUE 'ACCEPT'.
           05  SOC-SELECT      PIC X(16) VALUE 'SELECT'.
           05  SOC-READ        PIC X(16) VALUE 'READ'.
           05  SOC-WRITE       PIC X(16) VALUE 'WRITE'.
           05  SOC-CLOSE       PIC X(16) VALUE 'CLOSE'.
           05  SOC-TERMAPI     PIC X(16) VALUE 'TERMAPI'.
       01  MAXSOC              PIC 9(4) BINARY VALUE 50.
       01  IDENT.
           05  TCPNAME         PIC X(8) VALUE SPACES.
           05  ADSNAME         PIC X(8) VALUE SPACES.
       01  SUBTASK             PIC X(8) VALUE SPACES.
       01  MAXSNO              PIC 9(8) BINARY VALUE 0.
       01  AF-INET             PIC 9(8) BINARY VALUE 2.
       01  SOCTYPE-STREAM      PIC 9(8) BINARY VALUE 1.
       01  PROTO               PIC 9(8) BINARY VALUE 0.
       01  OPTNAME-REUSEADDR   PIC 9(8) BINARY VALUE 4.
       01  OPTVAL              PIC 9(8) BINARY VALUE 1.
       01  OPTLEN              PIC 9(8) BINARY VALUE 4.
       01  BACKLOG             PIC 9(8) BINARY VALUE 5.
       01  LISTENER            PIC 9(4) BINARY VALUE 0.
       01  CONNECTION          PIC 9(4) BINARY VALUE 0.
       01  NAME.
           05  FAMILY          PIC 9(4) BINARY VALUE 2.
           05  PORT            PIC 9(4) BINARY VALUE 0.
           05  IP-ADDRESS      PIC 9(8) BINARY VALUE 0.
           05  FILLER          PIC X(8) VALUE LOW-VALUES.
       01  PEER                PIC X(28).
       01  SELECT-MAXSOC       PIC 9(8) BINARY VALUE 32.
       01  SEL-TIMEOUT.
           05  SECONDS         PIC S9(8) BINARY VALUE 60.
           05  MICROSEC        PIC 9(8) BINARY VALUE 0.
       01  READ-MASK           PIC 9(8) BINARY VALUE 0.
       01  NO-MASK-1           PIC 9(8) BINARY VALUE 0.
       01  NO-MASK-2           PIC 9(8) BINARY VALUE 0.
       01  NO-MASK-3           PIC 9(8) BINARY VALUE 0.
       01  NO-MASK-4           PIC 9(8) BINARY VALUE 0.
       01  READY-MASK          PIC 9(8) BINARY VALUE 0.
       01  NBYTE               PIC 9(8) BINARY VALUE 0.
       01  BUF                 PIC X(4096).
       01  ERRNO               PIC 9(8) BINARY VALUE 0.
       01  RETCODE             PIC S9(8) BINARY VALUE 0.
       01  ARGUMENT            PIC X(8).
       01  CLIENTS             PIC 9(8) BINARY VALUE 1.
       01  SOC-FUNCTION        PIC X(16).
       PROCEDURE DIVISION.
       MAIN-LINE.
           ACCEPT ARGUMENT FROM ARGUMENT-VALUE.
           COMPUTE PORT = FUNCTION NUMVAL(ARGUMENT).
           ACCEPT ARGUMENT FROM ARGUMENT-VALUE.
           COMPUTE CLIENTS = FUNCTION NUMVAL(ARGUMENT).
           MOVE SOC-INITAPI TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-INITAPI MAXSOC IDENT SUBTASK
               MAXSNO ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE SOC-SOCKET TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-SOCKET AF-INET SOCTYPE-STREAM
               PROTO ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE RETCODE TO LISTENER.
           MOVE SOC-SETSOCKOPT TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-SETSOCKOPT LISTENER
               OPTNAME-REUSEADDR OPTVAL OPTLEN ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE SOC-BIND TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-BIND LISTENER NAME ERRNO
               RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE SOC-LISTEN TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-LISTEN LISTENER BACKLOG ERRNO
               RETCODE.
           PERFORM CHECK-RETCODE.
           PERFORM SERVE-CLIENT CLIENTS TIMES.
           CALL 'EZASOKET' USING SOC-CLOSE LISTENER ERRNO RETCODE.
           CALL 'EZASOKET' USING SOC-TERMAPI.
           STOP RUN.
       SERVE-CLIENT.
      *> The bit of descriptor n is 2 to the power of n.
           COMPUTE READ-MASK = 2 ** LISTENER.
           MOVE SOC-SELECT TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-SELECT SELECT-MAXSOC SEL-TIMEOUT
               READ-MASK NO-MASK-1 NO-MASK-2 READY-MASK
               NO-MASK-3 NO-MASK-4
               ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           IF RETCODE = 0
               DISPLAY 'ECHOSRV: NO CLIENT CAME' UPON SYSERR
               MOVE 8 TO RETURN-CODE
               STOP RUN
           END-IF.
           MOVE SOC-ACCEPT TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-ACCEPT LISTENER PEER ERRNO
               RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE RETCODE TO CONNECTION.
           MOVE 1 TO RETCODE.
           PERFORM ECHO-BLOCK UNTIL RETCODE = 0.
           MOVE SOC-CLOSE TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-CLOSE CONNECTION ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
       ECHO-BLOCK.
           MOVE LENGTH OF BUF TO NBYTE.
           MOVE SOC-READ TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-READ CONNECTION NBYTE BUF ERRNO
               RETCODE.
           PERFORM CHECK-RETCODE.
           IF RETCODE > 0
               MOVE RETCODE TO NBYTE
               MOVE SOC-WRITE TO SOC-FUNCTION
               CALL 'EZASOKET' USING SOC-WRITE CONNECTION NBYTE BUF
                   ERRNO RETCODE
               PERFORM CHECK-RETCODE
           END-IF.
       CHECK-RETCODE.
           IF RETCODE < 0
               DISPLAY 'ECHOSRV: ' SOC-FUNCTION ' ERRNO ' ERRNO
                   UPON SYSERR
               CALL 'EZASOKET' USING SOC-TERMAPI
               MOVE 8 TO RETURN-CODE
               STOP RUN
           END-IF.
