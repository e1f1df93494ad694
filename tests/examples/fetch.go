// SPDX-License-Identifier: Apache-2.0

// Print what a URL has: fetch URL
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	answer, err := http.Get(os.Args[1])
	if err == nil {
		_, err = io.Copy(os.Stdout, answer.Body)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
