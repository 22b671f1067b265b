/**
 * A request of a program that is too large to run in a test: recorded, or composed by the program's template engine.
 * The template of the recipe in docs/recipes is stored too, so that a test fails if the template changes and the
 * request does not.
 */
interface RecordedRequest {
  /** How the request was obtained. */
  readonly source: string;
  /** The template in the recipe. */
  readonly template: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request of Uptime Kuma for a monitor that is down. */
export const UPTIME_KUMA: RecordedRequest = {
  source:
    "Uptime Kuma's template engine, liquidjs 10.7.0 and 10.30.1, with the request that Uptime Kuma makes with axios",
  template: `{
  "title": {{ monitorJSON.name | default: "Uptime Kuma" | json }},
  "body": {{ msg | json }},
  "channel": "uptime",
  "timeSensitive": {% if heartbeatJSON.status == 0 %}true{% else %}false{% endif %}
}
`,
  headers: { accept: "application/json, text/plain, */*", "user-agent": "axios/1.7.9" },
  body: '{\n  "title": "My \\"web\\"",\n  "body": "[My \\"web\\"] [\u{1f534} Down] timeout\\nof 48000ms",\n  "channel": "uptime",\n  "timeSensitive": true\n}\n',
};

/** A request of Grafana's webhook notifier for one alert. */
export const GRAFANA: RecordedRequest = {
  source: "Grafana's notifier, github.com/grafana/alerting at 783ce041 of 2026-08-06",
  template: `{{ define "tocsin" -}}
{{ coll.Dict
  "title" (printf "%.200s" (tmpl.Exec "default.title" .))
  "body" (printf "%.4000s" (tmpl.Exec "default.message" .))
  "link" .ExternalURL
  "channel" "grafana"
| data.ToJSON }}
{{- end }}
`,
  headers: {
    "user-agent": "Grafana",
    "content-type": "application/json",
    "accept-encoding": "gzip",
  },
  body: '{"body":"**Firing**\\n\\nValue: [no value]\\nLabels:\\n - alertname = DiskFull\\n - instance = db:9100\\nAnnotations:\\n - summary = Disk \\"/var\\" is at 97 %: \u00fc\\nSource: https://grafana.example.org/alerting/grafana/a1/view\\nSilence: https://grafana.example.org/alerting/silence/new?alertmanager=grafana\\u0026matcher=alertname%3DDiskFull\\u0026matcher=instance%3Ddb%3A9100\\n","channel":"grafana","link":"https://grafana.example.org/","title":"[FIRING:1] DiskFull (db:9100)"}',
};
