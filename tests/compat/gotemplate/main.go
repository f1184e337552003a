// Renders templates with Go's text/template: one JSON request a line on standard input, one JSON answer a line on
// standard output. The tests compare our own subset with it.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"text/template"
)

type request struct {
	Template    string
	Environment string
}

type answer struct {
	Output string
	Error  string
}

func render(asked request) answer {
	parsed, err := template.New("tazuna.yaml").Option("missingkey=error").Parse(asked.Template)
	if err != nil {
		return answer{Error: err.Error()}
	}
	var output strings.Builder
	data := struct{ Environment string }{asked.Environment}
	if err := parsed.Execute(&output, data); err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Output: output.String()}
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked request
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		if err := answers.Encode(render(asked)); err != nil {
			panic(err)
		}
	}
}
