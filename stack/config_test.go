// SPDX-License-Identifier: Apache-2.0
// config_test.go - configurations, right and wrong

package main

import (
	"strings"
	"testing"

	"gvisor.dev/gvisor/pkg/tcpip"
)

const least = "DEVICE = tap0\nADDRESS = 10.1.2.3/24\n"

func TestConfigurations(t *testing.T) {
	c, err := readConfig(strings.NewReader("# all\n\n device=tap7\nADDRESS = 10.1.2.3\nMask = 255.255.240.0\n"+
		"GATEWAY = 10.1.0.1\nMTU = 9000\nADDRESS6 = fd00::3/48\nGATEWAY6 = fd00::1\nNAMESERVER = 10.1.0.9\n"+
		"NAMESERVER = fd00::9\nHOSTNAME = VSE1\n"), "x")
	if err != nil {
		t.Fatal(err)
	}
	if c.device != "tap7" || c.address != (prefixed{tcpip.Address("\x0a\x01\x02\x03"), 20}) || c.mtu != 9000 ||
		c.gateway != tcpip.Address("\x0a\x01\x00\x01") || c.address6.bits != 48 || len(c.gateway6) != 16 ||
		len(c.nameservers) != 2 || c.hostname != "VSE1" {
		t.Errorf("%+v", c)
	}
	if c, err = readConfig(strings.NewReader(least), "x"); err != nil || c.mtu != mtuDefault || c.hasIPv6() || c.address.bits != 24 {
		t.Errorf("%+v %v", c, err)
	}
}

func TestWrongConfigurations(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "x: DEVICE is missing",
		"DEVICE = tap0":                  "x: ADDRESS is missing",
		"DEVICE = tap0\nADDRESS=1.2.3.4": "x: MASK is missing",
		least + "MASK = 255.0.0.0":       "x: MASK and the prefix of ADDRESS differ",
		least + "MASK = 255.0.255.0":     "x:3: \"255.0.255.0\" is no mask",
		least + "GATEWAY = fd00::1":      "x:3: \"fd00::1\" is no IPv4 address",
		least + "ADDRESS6 = 1.2.3.4/8":   "x:3: \"1.2.3.4\" is no IPv6 address",
		least + "ADDRESS6 = fd00::1/129": "x:3: \"129\" is no length of a prefix",
		least + "GATEWAY6 = fd00::1":     "x: GATEWAY6 goes with ADDRESS6",
		least + "MTU = 100":              "x:3: MTU is 576 to 65535, not \"100\"",
		least + "MTU = 1500x":            "x:3: MTU is 576 to 65535, not \"1500x\"",
		least + "device = tap1":          "x:3: DEVICE is given twice",
		least + "COLOR = 1":              "x:3: the keyword \"COLOR\" is unknown",
		least + "HOSTNAME":               "x:3: \"=\" is missing",
		"DEVICE = ../x":                  "x:1: \"../x\" is no name of a device",
		"DEVICE = aaaaaaaaaaaaaaaa":      "x:1: \"aaaaaaaaaaaaaaaa\" is no name of a device",
	} {
		if _, err := readConfig(strings.NewReader(text), "x"); err == nil || err.Error() != want {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
}
