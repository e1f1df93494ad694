// SPDX-License-Identifier: Apache-2.0

// Connect, read to the end as Go does it, and print how many bytes came and why they ended: as
// "cut-short read connect PORT [shut]" of cut-short.c
package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

func main() {
	conn, err := net.Dial("tcp4", "127.0.0.1:"+os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if len(os.Args) > 2 && os.Args[2] == "shut" {
		err = conn.(*net.TCPConn).CloseWrite()
	}
	sum := 0
	buf := make([]byte, 4096)
	for err == nil {
		var n int
		n, err = conn.Read(buf)
		sum += n
		if n > 0 && sum == 20000 {
			fmt.Println("read")
		}
	}
	if errors.Is(err, syscall.ECONNRESET) {
		fmt.Println(sum, "bytes, then ECONNRESET")
	} else {
		fmt.Println(sum, "bytes, then", err)
	}
}
