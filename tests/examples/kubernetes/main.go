// SPDX-License-Identifier: Apache-2.0

// Decodes manifests into the types of k8s.io/api, and fails on a field that they do not have: main FILE...
package main

import (
	"bytes"
	"fmt"
	"os"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	for _, file := range os.Args[1:] {
		text, err := os.ReadFile(file)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		for _, document := range bytes.Split(text, []byte("\n---\n")) {
			var head struct{ APIVersion, Kind string }
			if err := yaml.Unmarshal(document, &head); err != nil {
				fmt.Println(file, err)
				os.Exit(1)
			}
			var object interface{}
			switch head.APIVersion + " " + head.Kind {
			case "v1 Namespace":
				object = &core.Namespace{}
			case "v1 ConfigMap":
				object = &core.ConfigMap{}
			case "v1 Pod":
				object = &core.Pod{}
			case "apps/v1 DaemonSet":
				object = &apps.DaemonSet{}
			case "networking.k8s.io/v1 NetworkPolicy":
				object = &networking.NetworkPolicy{}
			default:
				fmt.Println(file, "unknown kind", head)
				os.Exit(1)
			}
			if err := yaml.UnmarshalStrict(document, object); err != nil {
				fmt.Println(file, head.Kind, err)
				os.Exit(1)
			}
			fmt.Println(head.Kind)
		}
	}
}
