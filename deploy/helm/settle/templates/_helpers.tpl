{{- define "settle.labels" -}}
app.kubernetes.io/name: settle
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: settle
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "settle.selector" -}}
app.kubernetes.io/name: settle
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "settle.image" -}}
{{- $image := .Values.image -}}
{{ $image.repository }}{{ if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- /* Settings of everything that connects to Kafka, as YAML. */ -}}
{{- define "settle.kafka" -}}
{{- $kafka := .root.Values.kafka -}}
KAFKA_BROKERS: {{ join "," $kafka.brokers | quote }}
KAFKA_SSL: {{ $kafka.ssl | quote }}
KAFKA_REPLICATION_FACTOR: {{ $kafka.replicationFactor | quote }}
{{- with $kafka.topicPrefix }}
KAFKA_TOPIC_PREFIX: {{ . | quote }}
{{- end }}
{{- with $kafka.saslMechanism }}
KAFKA_SASL_MECHANISM: {{ . | quote }}
KAFKA_USERNAME: {{ $.username | quote }}
{{- end }}
{{- end }}

{{- /* Settings that each service has beside Kafka's, as YAML. */ -}}
{{- define "settle.ownSettings" -}}
{{- $values := .root.Values -}}
{{- if eq .component "api-gateway" -}}
HOST: 0.0.0.0
PORT: "3000"
AUTH_URL: http://{{ .root.Release.Name }}-auth-service:3001
{{- if $values.ingress.enabled }}
TRUSTED_PROXIES: {{ $values.ingress.trustedProxies | quote }}
{{- end }}
{{- if $values.funding.providerUrl }}
PROVIDER_CALLBACKS_URL: http://{{ .root.Release.Name }}-payments-service:3002
{{- end }}
{{- else if eq .component "auth-service" -}}
HOST: 0.0.0.0
PORT: "3001"
{{- else if eq .component "payments-service" -}}
EVENT_STORE: {{ $values.eventStore.kind }}
{{- with $values.funding.providerUrl }}
FUNDING_PROVIDER_URL: {{ . | quote }}
PROVIDER_CALLBACKS_HOST: 0.0.0.0
PROVIDER_CALLBACKS_PORT: "3002"
{{- end }}
{{- end }}
{{- if and $values.funding.pageOrigins (has .component (list "auth-service" "payments-service")) }}
FUNDING_PAGE_ORIGINS: {{ join "," $values.funding.pageOrigins | quote }}
{{- end }}
{{- end }}

{{- /* Names of the secrets of a service, separated by spaces. */ -}}
{{- define "settle.secretSettings" -}}
{{- $values := .root.Values -}}
{{- $names := .service.secretSettings | default list -}}
{{- if $values.kafka.saslMechanism }}{{ $names = append $names "KAFKA_PASSWORD" }}{{ end -}}
{{- if .service.migrationsSecret }}{{ $names = append $names "DATABASE_URL" }}{{ end -}}
{{- if eq .component "payments-service" -}}
{{- $names = append $names "DATA_KEY" -}}
{{- if eq $values.eventStore.kind "eventstoredb" }}{{ $names = append $names "EVENTSTORE_URL" }}{{ end -}}
{{- if $values.funding.providerUrl }}{{ $names = append $names "FUNDING_PROVIDER_SECRET" }}{{ end -}}
{{- end -}}
{{- $names | uniq | sortAlpha | join " " -}}
{{- end }}

{{- /* Variables of a container: settings as they are, secrets as files. The mode is not for values to choose. */ -}}
{{- define "settle.env" -}}
{{- $all := merge (dict "NODE_ENV" "production" "DEMO" "false" "DEV_TOOLS" "false") .settings -}}
{{- range $name := splitList " " .secrets }}{{ if $name }}{{ $_ := set $all (printf "%s_FILE" $name) (printf "/run/secrets/settle/%s" $name) }}{{ end }}{{ end -}}
{{- range $name, $value := $all }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{- define "settle.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "settle.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "settle.mounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: secrets, mountPath: /run/secrets/settle, readOnly: true }
{{- end }}

{{- define "settle.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
- name: secrets
{{- if .secrets }}
  secret:
    secretName: {{ .secretName }}
    defaultMode: 0440
    items:
    {{- range splitList " " .secrets }}
      - { key: {{ . }}, path: {{ . }} }
    {{- end }}
{{- else }}
  emptyDir: {}
{{- end }}
{{- end }}

{{- /* A Job that runs before an installation and each upgrade. */ -}}
{{- define "settle.hookJob" -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  labels: {{- include "settle.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  backoffLimit: 2
  activeDeadlineSeconds: {{ .root.Values.migrations.deadlineSeconds }}
  template:
    metadata:
      labels: {{- include "settle.labels" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      {{- with .root.Values.imagePullSecrets }}
      imagePullSecrets: {{- range . }}
        - name: {{ . }}
      {{- end }}
      {{- end }}
      securityContext: {{- include "settle.podSecurity" .root | nindent 8 }}
      containers:
        - name: {{ .name }}
          image: {{ include "settle.image" .root | quote }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          command: [node, {{ .program }}]
          env: {{- include "settle.env" . | trim | nindent 12 }}
          resources: { requests: { cpu: 100m, memory: 128Mi }, limits: { memory: 512Mi } }
          securityContext: {{- include "settle.containerSecurity" .root | nindent 12 }}
          volumeMounts: {{- include "settle.mounts" .root | nindent 12 }}
      volumes: {{- include "settle.volumes" . | nindent 8 }}
{{- end }}
