"""A chart that uses what real ones use, with a subchart and a library chart."""

from __future__ import annotations

from collections.abc import Mapping

LIBRARY = {
    "Chart.yaml": "apiVersion: v2\nname: common\nversion: 1.0.0\ntype: library\n",
    "templates/_labels.tpl": """
{{- define "common.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}
""",
}

CACHE = {
    "Chart.yaml": "apiVersion: v2\nname: cache\nversion: 0.3.0\n",
    "values.yaml": "port: 6379\nextra: {a: 1, b: 2}\n",
    "templates/service.yaml": """
apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}-cache
  annotations: {shared: {{ .Values.global.tier | default "none" | quote }}}
spec:
  ports: [{port: {{ .Values.port }}}]
  selector: {{ .Values.extra | toJson }}
""",
}

WEB = {
    "Chart.yaml": """
apiVersion: v2
name: web
version: 1.2.3+build.7
kubeVersion: ">=1.25.0-0"
dependencies:
  - {name: common, version: 1.0.0, repository: "file://../common"}
  - {name: cache, version: 0.3.0, condition: cache.enabled, repository: "file://../cache"}
""",
    "values.yaml": """
replicas: 1
big: 12345678
title: "{{ .Release.Name }} in {{ .Release.Namespace }}"
list: [a, b]
map: {one: 1, two: {three: 3}}
gone: {a: 1}
cache: {enabled: true}
""",
    "crds/widgets.yaml": """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
""",
    "files/motd.txt": "hello\n",
    "templates/_helpers.tpl": '{{- define "web.name" -}}{{ .Release.Name }}-web{{- end -}}\n',
    "templates/NOTES.txt": "never: an object\n",
    "templates/deployment.yaml": """
{{- $existing := lookup "v1" "Secret" .Release.Namespace "web" }}
apiVersion: {{ if .Capabilities.APIVersions.Has "example.com/v9" }}example.com/v9{{ else }}apps/v1{{ end }}
kind: Deployment
metadata:
  name: {{ include "web.name" . }}
  namespace: {{ .Release.Namespace }}
  labels: {{- include "common.labels" . | nindent 4 }}
  annotations:
    title: {{ tpl .Values.title . | quote }}
    motd: {{ .Files.Get "files/motd.txt" | b64enc }}
    found: {{ empty $existing | ternary "no" "yes" | quote }}
    kubernetes: {{ .Capabilities.KubeVersion.Version }}
    checksum: {{ .Values.map | toJson | sha256sum }}
spec:
  replicas: {{ .Values.replicas }}
  template:
    spec:
      containers:
        - name: web
          image: {{ required "an image is required" .Values.image }}
          args: {{ .Values.list | toYaml | nindent 12 }}
          env: [{name: BIG, value: {{ .Values.big | quote }}}, {name: GONE, value: {{ .Values.gone | toJson | quote }}}]
""",
    "templates/hooks.yaml": """
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "web.name" . }}-migrate
  annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-weight: "-5"}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: m, image: busybox}]}}}
---
apiVersion: v1
kind: Pod
metadata:
  name: {{ include "web.name" . }}-test
  annotations: {helm.sh/hook: test}
spec: {containers: [{name: t, image: busybox}]}
""",
    "templates/rbac.yaml": """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: {{ include "web.name" . }}}
rules: []
""",
}


def below(folder: str, files: Mapping[str, str]) -> dict[str, str]:
    """Files moved into a folder."""
    return {f"{folder}/{name}": content for name, content in files.items()}


def web_chart(folder: str) -> dict[str, str]:
    """The files of the chart `web` in ``folder``, its dependencies vendored."""
    return {
        **below(folder, WEB),
        **below(f"{folder}/charts/common", LIBRARY),
        **below(f"{folder}/charts/cache", CACHE),
    }
