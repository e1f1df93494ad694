// SPDX-License-Identifier: Apache-2.0

// A server and a client of HTTP and of datagrams, and a resolver, in Go's usual ways
//
//	net serve ADDRESS:PORT FILE      GET answers with the file, POST with the MD5 sum of the body
//	net fetch URL MD5                10 GETs at once, each sent back by POST; a refused port
//	net echo ADDRESS:PORT            answer every datagram with itself
//	net send ADDRESS:PORT COUNT      so many datagrams, and all of them back; a refused port
//	net resolve SERVER:PORT NAME     the name's addresses, by Go's own resolver
package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sort"
	"strconv"
	"syscall"
	"time"
)

func sum(data io.Reader) (string, error) {
	hash := md5.New()
	_, err := io.Copy(hash, data)
	return fmt.Sprintf("%x", hash.Sum(nil)), err
}

func serve(address, file string) error {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.ServeFile(w, r, file)
			return
		}
		answer, err := sum(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, answer)
	})
	server := &http.Server{Addr: address}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	down := make(chan error, 1)
	go func() {
		<-ended
		down <- server.Shutdown(context.Background())
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-down
}

func fetchOne(url, want string) error {
	answer, err := http.Get(url)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil {
		return err
	}
	if got, _ := sum(bytes.NewReader(body)); got != want {
		return fmt.Errorf("GET: %d bytes with the sum %s", len(body), got)
	}
	answer, err = http.Post(url, "application/octet-stream", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && string(text) != want {
		err = fmt.Errorf("POST: %s", text)
	}
	return err
}

func fetch(url, want string) error {
	results := make(chan error)
	for i := 0; i < 10; i++ {
		go func() { results <- fetchOne(url, want) }()
	}
	var err error
	for i := 0; i < 10; i++ {
		if one := <-results; one != nil {
			err = one
		}
	}
	if err != nil {
		return err
	}
	if _, err = http.Get("http://127.0.0.1:1/"); !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("a refused port: %v", err)
	}
	return nil
}

func echo(address string) error {
	conn, err := net.ListenPacket("udp", address)
	if err != nil {
		return err
	}
	data := make([]byte, 65536)
	for {
		n, from, err := conn.ReadFrom(data)
		if err != nil {
			return err
		}
		if _, err = conn.WriteTo(data[:n], from); err != nil {
			return err
		}
	}
}

// send uses Read and Write, which are read and write of the system.
func send(address string, count int) error {
	conn, err := net.Dial("udp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	back := make([]byte, 65536)
	for i := 0; i < count; i++ {
		data := bytes.Repeat([]byte(strconv.Itoa(i)), 1+i*7%2000)
		if _, err = conn.Write(data); err != nil {
			return err
		}
		conn.SetReadDeadline(time.Now().Add(60 * time.Second))
		n, err := conn.Read(back)
		if err != nil {
			return err
		}
		if !bytes.Equal(back[:n], data) {
			return fmt.Errorf("datagram %d comes back with %d bytes, not %d", i, n, len(data))
		}
	}
	refused, err := net.Dial("udp", "127.0.0.1:1")
	if err != nil {
		return err
	}
	defer refused.Close()
	refused.Write([]byte("x"))
	refused.SetReadDeadline(time.Now().Add(60 * time.Second))
	// On LFP, read itself, which no tier for static programs sees, has another number for it: libvsesock(7).
	_, err = refused.Read(back)
	if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, syscall.ECONNRESET) {
		return fmt.Errorf("a refused port: %v", err)
	}
	return nil
}

func resolve(server, name string) error {
	resolver := net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, network, server)
		},
	}
	addresses, err := resolver.LookupHost(context.Background(), name)
	sort.Strings(addresses)
	for _, address := range addresses {
		fmt.Println(address)
	}
	return err
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "serve":
		return serve(args[1], args[2])
	case len(args) == 3 && args[0] == "fetch":
		return fetch(args[1], args[2])
	case len(args) == 2 && args[0] == "echo":
		return echo(args[1])
	case len(args) == 3 && args[0] == "send":
		count, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		return send(args[1], count)
	case len(args) == 3 && args[0] == "resolve":
		return resolve(args[1], args[2])
	}
	return errors.New("net serve | fetch | echo | send | resolve")
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
