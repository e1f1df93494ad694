      *> SPDX-License-Identifier: Apache-2.0
      *> listener PORT COUNT LAYOUT PROGRAM: takes COUNT connections
      *> and gives each to a process of its own, as the CICS listener
      *> does to tasks. LAYOUT is STANDARD or ENHANCED.
      *>
      *> A client's first message is "TRAN,data". It ends with a line
      *> feed, or without one where the data ends that has come once
      *> there are four bytes of it, as MINMSGL of the CICS listener
      *> has it. PROGRAM is started for it, which stands for EXEC CICS
      *> START: its third argument is a file with the area that CICS
      *> programs get by EXEC CICS RETRIEVE, such as transaction.cbl.
      *>
      *> Compile: cobc -x -fstatic-call -lvsesock listener.cbl
      *> Run:     SYSPARM=01 ./listener 7000 10 STANDARD ./transaction
      *> For EZASOKET: see ezasoket(3).
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LISTENER.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT AREA-FILE ASSIGN TO AREA-PATH
               ORGANIZATION SEQUENTIAL.
       DATA DIVISION.
       FILE SECTION.
       FD  AREA-FILE.
       01  AREA-RECORD         PIC X(189).
       WORKING-STORAGE SECTION.
       01  SOC-FUNCTION        PIC X(16).
       01  MAXSOC              PIC 9(4) BINARY VALUE 50.
       01  IDENT               PIC X(16) VALUE SPACES.
       01  SUBTASK             PIC X(8) VALUE SPACES.
       01  MAXSNO              PIC 9(8) BINARY VALUE 0.
       01  AF                  PIC 9(8) BINARY VALUE 2.
       01  SOCTYPE             PIC 9(8) BINARY VALUE 1.
       01  PROTO               PIC 9(8) BINARY VALUE 0.
       01  OPTNAME-REUSEADDR   PIC 9(8) BINARY VALUE 4.
       01  OPTVAL              PIC 9(8) BINARY VALUE 1.
       01  OPTLEN              PIC 9(8) BINARY VALUE 4.
       01  BACKLOG             PIC 9(8) BINARY VALUE 10.
       01  LISTENING           PIC 9(4) BINARY VALUE 0.
       01  CONNECTION          PIC 9(4) BINARY VALUE 0.
       01  NAME.
           05  FAMILY          PIC 9(4) BINARY VALUE 2.
           05  PORT            PIC 9(4) BINARY VALUE 0.
           05  IP-ADDRESS      PIC 9(8) BINARY VALUE 0.
           05  FILLER          PIC X(8) VALUE LOW-VALUES.
       01  PEER                PIC X(28).
       01  OWN-CLIENT.
           05  OWN-DOMAIN      PIC 9(8) BINARY VALUE 2.
           05  OWN-NAME        PIC X(8).
           05  OWN-TASK        PIC X(8).
           05  FILLER          PIC X(20).
      *> Any task may take the socket.
       01  TAKER.
           05  TAKER-DOMAIN    PIC 9(8) BINARY VALUE 2.
           05  TAKER-NAME      PIC X(8) VALUE SPACES.
           05  TAKER-TASK      PIC X(8) VALUE SPACES.
           05  FILLER          PIC X(20) VALUE LOW-VALUES.
       01  SELECT-MAXSOC       PIC 9(8) BINARY VALUE 32.
       01  GIVE-TIME.
           05  SECONDS         PIC S9(8) BINARY VALUE 30.
           05  MICROSEC        PIC 9(8) BINARY VALUE 0.
       01  GIVEN-MASK          PIC 9(8) BINARY VALUE 0.
       01  NO-MASK-1           PIC 9(8) BINARY VALUE 0.
       01  NO-MASK-2           PIC 9(8) BINARY VALUE 0.
       01  NO-MASK-3           PIC 9(8) BINARY VALUE 0.
       01  NO-MASK-4           PIC 9(8) BINARY VALUE 0.
       01  TAKEN-MASK          PIC 9(8) BINARY VALUE 0.
       01  FLAGS               PIC 9(8) BINARY VALUE 0.
       01  PEEK                PIC 9(8) BINARY VALUE 2.
       01  NBYTE               PIC 9(8) BINARY VALUE 0.
       01  ERRNO               PIC 9(8) BINARY VALUE 0.
       01  RETCODE             PIC S9(8) BINARY VALUE 0.
      *> The data that a transaction starts with: 72 or 189 bytes.
       01  STANDARD-AREA.
           05  GIVE-TAKE-SOCKET  PIC 9(8) BINARY.
           05  LSTN-NAME         PIC X(8).
           05  LSTN-SUBTASKNAME  PIC X(8).
           05  CLIENT-IN-DATA    PIC X(35).
           05  THREADSAFE        PIC X.
           05  SOCKADDR-IN       PIC X(16).
       01  ENHANCED-AREA.
           05  FIRST-56          PIC X(56).
           05  SOCKADDR          PIC X(28).
           05  FILLER            PIC X(68) VALUE LOW-VALUES.
           05  DATA-AREA-2-LEN   PIC 9(4) BINARY VALUE 35.
           05  DATA-AREA-2       PIC X(35).
       01  AREA-PATH           PIC X(192).
       01  TEMPORARY           PIC X(128) VALUE SPACES.
       01  COMMAND             PIC X(512).
       01  TRANSACTION-PROGRAM PIC X(128) VALUE SPACES.
       01  LAYOUT              PIC X(8) VALUE 'STANDARD'.
       01  ARGUMENT            PIC X(8).
       01  CONNECTIONS         PIC 9(8) BINARY VALUE 1.
       01  CONNECTION-NR       PIC 9(6) VALUE 0.
       01  MESSAGE-TEXT        PIC X(80).
       01  MESSAGE-LEN         PIC 9(4) BINARY VALUE 0.
       01  LEAST-LEN           PIC 9(4) BINARY VALUE 4.
       01  LAST-BYTE           PIC X.
       01  SEEN                PIC X(80).
       01  BEFORE-LF           PIC 9(4) BINARY VALUE 0.
       01  TRAN-ID             PIC X(4).
       01  TRAN-DATA           PIC X(35).
       PROCEDURE DIVISION.
       MAIN-LINE.
           ACCEPT ARGUMENT FROM ARGUMENT-VALUE.
           COMPUTE PORT = FUNCTION NUMVAL(ARGUMENT).
           ACCEPT ARGUMENT FROM ARGUMENT-VALUE.
           COMPUTE CONNECTIONS = FUNCTION NUMVAL(ARGUMENT).
           ACCEPT LAYOUT FROM ARGUMENT-VALUE.
           ACCEPT TRANSACTION-PROGRAM FROM ARGUMENT-VALUE.
           ACCEPT TEMPORARY FROM ENVIRONMENT 'TMPDIR'.
           IF TEMPORARY = SPACES
               MOVE '/tmp' TO TEMPORARY
           END-IF.
           MOVE 'INITAPI' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION MAXSOC IDENT SUBTASK
               MAXSNO ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE 'GETCLIENTID' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION OWN-CLIENT ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE 'SOCKET' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION AF SOCTYPE PROTO ERRNO
               RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE RETCODE TO LISTENING.
           MOVE 'SETSOCKOPT' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION LISTENING
               OPTNAME-REUSEADDR OPTVAL OPTLEN ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE 'BIND' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION LISTENING NAME ERRNO
               RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE 'LISTEN' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION LISTENING BACKLOG ERRNO
               RETCODE.
           PERFORM CHECK-RETCODE.
           PERFORM SERVE-CLIENT CONNECTIONS TIMES.
           CALL 'EZASOKET' USING 'TERMAPI'.
           STOP RUN.
       SERVE-CLIENT.
           MOVE 'ACCEPT' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION LISTENING PEER ERRNO
               RETCODE.
           PERFORM CHECK-RETCODE.
           MOVE RETCODE TO CONNECTION.
           PERFORM READ-MESSAGE.
           IF TRAN-ID = 'ECHO' OR 'UPPE'
               PERFORM GIVE-AND-START
           ELSE
               MOVE 'no such transaction' TO MESSAGE-TEXT
               MOVE X'0A' TO MESSAGE-TEXT(20:1)
               MOVE 20 TO NBYTE
               MOVE 'SEND' TO SOC-FUNCTION
               CALL 'EZASOKET' USING SOC-FUNCTION CONNECTION FLAGS
                   NBYTE MESSAGE-TEXT ERRNO RETCODE
           END-IF.
           MOVE 'CLOSE' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION CONNECTION ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
      *> The transaction reads the data after the message. So this
      *> looks at what is there first, and then takes the message.
       READ-MESSAGE.
           MOVE SPACES TO MESSAGE-TEXT TRAN-ID TRAN-DATA.
           MOVE 0 TO MESSAGE-LEN.
           MOVE SPACE TO LAST-BYTE.
           MOVE 'RECV' TO SOC-FUNCTION.
           PERFORM READ-PART UNTIL LAST-BYTE = X'0A'
               OR MESSAGE-LEN >= LEAST-LEN.
           UNSTRING MESSAGE-TEXT DELIMITED BY ',' INTO TRAN-ID
               TRAN-DATA.
       READ-PART.
           COMPUTE NBYTE = LENGTH OF MESSAGE-TEXT - MESSAGE-LEN.
           CALL 'EZASOKET' USING SOC-FUNCTION CONNECTION PEEK NBYTE
               SEEN ERRNO RETCODE.
           IF RETCODE < 1
               MOVE X'0A' TO LAST-BYTE
           ELSE
               MOVE RETCODE TO NBYTE
               MOVE 0 TO BEFORE-LF
               INSPECT SEEN(1:NBYTE) TALLYING BEFORE-LF
                   FOR CHARACTERS BEFORE INITIAL X'0A'
               IF BEFORE-LF < NBYTE
                   COMPUTE NBYTE = BEFORE-LF + 1
                   MOVE X'0A' TO LAST-BYTE
               END-IF
               CALL 'EZASOKET' USING SOC-FUNCTION CONNECTION FLAGS
                   NBYTE SEEN ERRNO RETCODE
               PERFORM CHECK-RETCODE
               IF BEFORE-LF > 0
                   MOVE SEEN(1:BEFORE-LF)
                       TO MESSAGE-TEXT(MESSAGE-LEN + 1:BEFORE-LF)
                   ADD BEFORE-LF TO MESSAGE-LEN
               END-IF
           END-IF.
       GIVE-AND-START.
           MOVE 'GIVESOCKET' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION CONNECTION TAKER ERRNO
               RETCODE.
           PERFORM CHECK-RETCODE.
           PERFORM FILL-AREA.
      *> The file name is that of the listener and a number.
           ADD 1 TO CONNECTION-NR.
           MOVE SPACES TO AREA-PATH.
           STRING FUNCTION TRIM(TEMPORARY) '/listener.'
               FUNCTION TRIM(OWN-NAME) '.'
               FUNCTION TRIM(OWN-TASK) '.' CONNECTION-NR
               DELIMITED BY SIZE INTO AREA-PATH.
           OPEN OUTPUT AREA-FILE.
           WRITE AREA-RECORD.
           CLOSE AREA-FILE.
           MOVE SPACES TO COMMAND.
           STRING FUNCTION TRIM(TRANSACTION-PROGRAM) ' ' LAYOUT ' '
               TRAN-ID ' ' FUNCTION TRIM(AREA-PATH) ' &'
               DELIMITED BY SIZE INTO COMMAND.
           CALL 'SYSTEM' USING COMMAND.
           PERFORM WAIT-UNTIL-TAKEN.
       FILL-AREA.
           MOVE CONNECTION TO GIVE-TAKE-SOCKET.
           MOVE OWN-NAME TO LSTN-NAME.
           MOVE OWN-TASK TO LSTN-SUBTASKNAME.
           MOVE TRAN-DATA TO CLIENT-IN-DATA.
           MOVE '1' TO THREADSAFE.
           MOVE PEER TO SOCKADDR-IN.
           MOVE STANDARD-AREA TO AREA-RECORD.
           IF LAYOUT = 'ENHANCED'
               MOVE SPACES TO CLIENT-IN-DATA
               MOVE STANDARD-AREA TO FIRST-56
               MOVE PEER TO SOCKADDR
               MOVE TRAN-DATA TO DATA-AREA-2
               MOVE ENHANCED-AREA TO AREA-RECORD
           END-IF.
      *> An exception means that a given socket has been taken.
       WAIT-UNTIL-TAKEN.
           COMPUTE GIVEN-MASK = 2 ** CONNECTION.
           MOVE 'SELECT' TO SOC-FUNCTION.
           CALL 'EZASOKET' USING SOC-FUNCTION SELECT-MAXSOC GIVE-TIME
               NO-MASK-1 NO-MASK-2 GIVEN-MASK NO-MASK-3
               NO-MASK-4 TAKEN-MASK
               ERRNO RETCODE.
           PERFORM CHECK-RETCODE.
           IF RETCODE = 0
               DISPLAY 'LISTENER: NOBODY TAKES THE SOCKET' UPON SYSERR
           END-IF.
       CHECK-RETCODE.
           IF RETCODE < 0
               DISPLAY 'LISTENER: ' SOC-FUNCTION ' ERRNO ' ERRNO
                   UPON SYSERR
               CALL 'EZASOKET' USING 'TERMAPI'
               MOVE 8 TO RETURN-CODE
               STOP RUN
           END-IF.
