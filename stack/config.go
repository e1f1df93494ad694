// SPDX-License-Identifier: Apache-2.0
// config.go - the configuration of a stack: mux.conf(5)

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"

	"gvisor.dev/gvisor/pkg/tcpip"
)

const (
	mtuDefault = 1500
	mtuLeast   = 576
	mtuMost    = 65535
	deviceMost = 15 // IFNAMSIZ
)

// prefixed is an address with the bits of its network; no address: "".
type prefixed struct {
	addr tcpip.Address
	bits int
}

type config struct {
	device      string
	mtu         uint32
	address     prefixed
	gateway     tcpip.Address
	address6    prefixed
	gateway6    tcpip.Address
	nameservers []tcpip.Address
	hostname    string
	mask        int // -1: not given
}

func (c *config) hasIPv6() bool { return c.address6.addr != "" }

func ipOf(text string, length int) (tcpip.Address, error) {
	ip := net.ParseIP(text)
	if length == 4 {
		ip = ip.To4()
	} else if ip.To4() != nil {
		ip = nil
	}
	if ip == nil {
		return "", fmt.Errorf("\"%s\" is no IPv%d address", text, map[int]int{4: 4, 16: 6}[length])
	}
	return tcpip.Address(ip), nil
}

func withPrefix(text string, length, bits int) (prefixed, error) {
	if at := strings.IndexByte(text, '/'); at >= 0 {
		n, err := strconv.Atoi(text[at+1:])
		if err != nil || n < 0 || n > 8*length {
			return prefixed{}, fmt.Errorf("\"%s\" is no length of a prefix", text[at+1:])
		}
		text, bits = text[:at], n
	}
	addr, err := ipOf(text, length)
	return prefixed{addr, bits}, err
}

func maskOf(text string) (int, error) {
	addr, err := ipOf(text, 4)
	if err != nil {
		return 0, err
	}
	ones, bits := net.IPMask(addr).Size()
	if bits == 0 {
		return 0, fmt.Errorf("\"%s\" is no mask", text)
	}
	return ones, nil
}

func (c *config) set(key, value string) (err error) {
	switch strings.ToUpper(key) {
	case "DEVICE":
		c.device = value
		if len(value) > deviceMost || strings.ContainsAny(value, "/ %") {
			return fmt.Errorf("\"%s\" is no name of a device", value)
		}
	case "MTU":
		n, e := strconv.ParseUint(value, 10, 32)
		if e != nil || n < mtuLeast || n > mtuMost {
			return fmt.Errorf("MTU is %d to %d, not \"%s\"", mtuLeast, mtuMost, value)
		}
		c.mtu = uint32(n)
	case "ADDRESS":
		c.address, err = withPrefix(value, 4, -1)
	case "MASK":
		c.mask, err = maskOf(value)
	case "GATEWAY":
		c.gateway, err = ipOf(value, 4)
	case "ADDRESS6":
		c.address6, err = withPrefix(value, 16, 64)
	case "GATEWAY6":
		c.gateway6, err = ipOf(value, 16)
	case "NAMESERVER":
		length := 4
		if strings.Contains(value, ":") {
			length = 16
		}
		var addr tcpip.Address
		addr, err = ipOf(value, length)
		c.nameservers = append(c.nameservers, addr)
	case "HOSTNAME":
		c.hostname = value
	default:
		return fmt.Errorf("the keyword \"%s\" is unknown", key)
	}
	return err
}

// complete checks what one line alone does not show.
func (c *config) complete() error {
	if c.device == "" {
		return fmt.Errorf("DEVICE is missing")
	}
	if c.address.addr == "" {
		return fmt.Errorf("ADDRESS is missing")
	}
	if c.address.bits >= 0 && c.mask >= 0 && c.address.bits != c.mask {
		return fmt.Errorf("MASK and the prefix of ADDRESS differ")
	}
	if c.address.bits < 0 {
		if c.address.bits = c.mask; c.mask < 0 {
			return fmt.Errorf("MASK is missing")
		}
	}
	if c.gateway6 != "" && !c.hasIPv6() {
		return fmt.Errorf("GATEWAY6 goes with ADDRESS6")
	}
	return nil
}

// readConfig reads lines "KEY = value"; name is what errors call the file.
func readConfig(in io.Reader, name string) (*config, error) {
	c := &config{mtu: mtuDefault, mask: -1}
	seen := map[string]bool{}
	lines := bufio.NewScanner(in)
	for nr := 1; lines.Scan(); nr++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		at := strings.IndexByte(line, '=')
		if at < 0 {
			return nil, fmt.Errorf("%s:%d: \"=\" is missing", name, nr)
		}
		key, value := strings.TrimSpace(line[:at]), strings.TrimSpace(line[at+1:])
		upper := strings.ToUpper(key)
		if seen[upper] && upper != "NAMESERVER" {
			return nil, fmt.Errorf("%s:%d: %s is given twice", name, nr, upper)
		}
		seen[upper] = true
		if err := c.set(key, value); err != nil {
			return nil, fmt.Errorf("%s:%d: %v", name, nr, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	if err := c.complete(); err != nil {
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	if c.hostname == "" {
		c.hostname, _ = os.Hostname()
	}
	return c, nil
}
