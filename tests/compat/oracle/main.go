// Command oracle answers what the Go libraries of Kubernetes make of YAML or JSON text, for tests to compare with.
//
// It reads one request a line from standard input, {"text": base64, "manifest": string, "namespace": string}, and
// writes one answer a line: {"objects": [{"key", "hash", "json"}], "error": string}. It ends with its input.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"
)

type request struct {
	Text      []byte `json:"text"`
	Manifest  string `json:"manifest"`
	Namespace string `json:"namespace"`
}

type object struct {
	Key  string `json:"key"`
	Hash string `json:"hash"`
	JSON []byte `json:"json"`
}

type answer struct {
	Objects []object `json:"objects"`
	Error   string   `json:"error,omitempty"`
}

type data = map[string]any

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var asked request
			if err := json.Unmarshal(line, &asked); err != nil {
				fmt.Fprintln(os.Stderr, "bad request:", err)
				os.Exit(2)
			}
			encoded, _ := json.Marshal(respond(asked))
			out.Write(append(encoded, '\n'))
			out.Flush()
		}
		if err != nil {
			return
		}
	}
}

func respond(asked request) (given answer) {
	defer func() {
		if problem := recover(); problem != nil {
			given = answer{Error: fmt.Sprint("panic: ", problem)}
		}
	}()
	var first, rest []data
	stream := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(asked.Text), 4096)
	for {
		var document data
		err := stream.Decode(&document)
		if err == io.EOF {
			break
		}
		if err != nil {
			return answer{Error: err.Error()}
		}
		for _, each := range expand(document) {
			if err := complete(each, asked.Namespace); err != nil {
				return answer{Error: err.Error()}
			}
			if group(each) == "apiextensions.k8s.io" && str(each["kind"]) == "CustomResourceDefinition" {
				first = append(first, each)
			} else {
				rest = append(rest, each)
			}
		}
	}
	given.Objects = []object{}
	for _, each := range append(first, rest...) {
		key := stateKey(asked.Manifest, each)
		counted, err := json.Marshal(strip(each))
		if err != nil {
			return answer{Error: err.Error()}
		}
		given.Objects = append(given.Objects, object{key, fmt.Sprintf("%x", sha256.Sum256(counted)), counted})
	}
	return given
}

// expand drops documents without kind and opens a List, as the Go CLI does: one level, whatever the items are.
func expand(document data) []data {
	if _, found := document["kind"]; !found {
		return nil
	}
	items, isSlice := document["items"].([]any)
	if document["kind"] != "List" || !isSlice {
		return []data{document}
	}
	var expanded []data
	for _, item := range items {
		if mapping, ok := item.(data); ok {
			expanded = append(expanded, mapping)
		}
	}
	return expanded
}

func complete(each data, namespace string) error {
	if each["metadata"] == nil {
		each["metadata"] = data{}
	}
	metadata, ok := each["metadata"].(data)
	if !ok {
		return fmt.Errorf("metadata is %T", each["metadata"])
	}
	if namespace != "" && metadata["namespace"] == nil {
		metadata["namespace"] = namespace
	}
	return nil
}

func strip(each data) data {
	delete(each, "status")
	metadata := each["metadata"].(data)
	for _, field := range strings.Fields("resourceVersion uid creationTimestamp generation managedFields selfLink") {
		delete(metadata, field)
	}
	return each
}

func stateKey(manifest string, each data) string {
	metadata := each["metadata"].(data)
	version := str(each["apiVersion"])
	if _, after, found := strings.Cut(version, "/"); found {
		version = after
	}
	parts := []string{manifest, group(each), version, str(each["kind"])}
	if namespace := str(metadata["namespace"]); namespace != "" {
		parts = append(parts, namespace)
	}
	return strings.Join(append(parts, str(metadata["name"])), "/")
}

func group(each data) string {
	before, _, found := strings.Cut(str(each["apiVersion"]), "/")
	if !found {
		return ""
	}
	return before
}

func str(value any) string {
	text, _ := value.(string)
	return text
}
