import { LIMITS } from "@tocsin/sdk";
import {
  bodyFields,
  endpoint,
  formatJsonBody,
  webhookBaseUrl,
  webhookUrl,
  type BodyField,
  type SendRequest,
} from "./send-request.ts";

/** The builder's snippets, by name. */
export const SNIPPETS = {
  webhook: webhookUrl,
  curl,
  javascript,
  python,
  powershell,
  githubActions,
  uptimeKuma,
  grafana,
} as const satisfies Readonly<Record<string, (request: SendRequest) => string>>;

/** The name of a snippet. */
export type SnippetName = keyof typeof SNIPPETS;

/** Snippets with the key in the URL, which cannot address a group. */
export const KEY_IN_URL: ReadonlySet<SnippetName> = new Set(["webhook", "uptimeKuma", "grafana"]);

/** Returns the command that sends to the webhook URL with a POST-only key. */
export function postToWebhook(request: SendRequest): string {
  return `curl -X POST ${quoteShell(webhookUrl(request))}`;
}

function curl(request: SendRequest): string {
  const { key, ttlSeconds = LIMITS.ttlSecondsDefault } = request;
  return [
    `curl ${quoteShell(endpoint(request))} \\`,
    `  -H ${quoteShell(`x-api-key: ${key}`)} \\`,
    `  -H 'content-type: application/json' \\`,
    ...(ttlSeconds === LIMITS.ttlSecondsDefault ? [] : [`  -H 'x-ttl: ${ttlSeconds}' \\`]),
    `  -d ${quoteShell(formatJsonBody(request))}`,
  ].join("\n");
}

function javascript(request: SendRequest): string {
  return `const response = await fetch(${JSON.stringify(endpoint(request))}, {
  method: "POST",
  headers: {
    "x-api-key": ${JSON.stringify(request.key)},
    "content-type": "application/json",
  },
  body: JSON.stringify(${indent(formatJsonBody(request), 2)}),
});
console.log(await response.json());`;
}

function python(request: SendRequest): string {
  const fields = bodyFields(request).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${formatPythonValue(value)},`,
  );
  return `import json
import urllib.request

notification = {
${fields.join("\n")}
}
request = urllib.request.Request(
    ${JSON.stringify(endpoint(request))},
    data=json.dumps(notification).encode(),
    headers={
        "x-api-key": ${JSON.stringify(request.key)},
        "content-type": "application/json",
    },
)
with urllib.request.urlopen(request, timeout=10) as response:
    print(response.read().decode())`;
}

function powershell(request: SendRequest): string {
  const fields = bodyFields(request).map(
    ([name, value]) => `  ${name} = ${value === true ? "$true" : quotePowershell(value)}`,
  );
  return `$notification = @{
${fields.join("\n")}
}
$json = $notification | ConvertTo-Json
Invoke-RestMethod -Method Post -Uri ${quotePowershell(endpoint(request))} \`
  -Headers @{ 'x-api-key' = ${quotePowershell(request.key)} } \`
  -ContentType 'application/json; charset=utf-8' \`
  -Body ([Text.Encoding]::UTF8.GetBytes($json))`;
}

/** A job step. The key stays in the repository's secrets; the body is in a variable that no shell expands twice. */
function githubActions(request: SendRequest): string {
  const escaped = formatJsonBody(request).replaceAll("${{", "${{ '${{' }}");
  return `- name: Send a notification
  env:
    TOCSIN_KEY: \${{ secrets.TOCSIN_KEY }}
    NOTIFICATION: |-
${indent(`      ${escaped}`, 6)}
  run: |
    curl --fail-with-body ${quoteShell(endpoint(request))} \\
      -H "x-api-key: $TOCSIN_KEY" \\
      -H 'content-type: application/json' \\
      -d "$NOTIFICATION"`;
}

/** The settings of Uptime Kuma's webhook. Its body is a Liquid template. */
function uptimeKuma(request: SendRequest): string {
  const fields = bodyFields({ ...request, title: "", body: "" }).slice(MONITOR_FIELDS_COUNT);
  const entries = fields.map(
    ([name, value]) => `,\n  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `Post URL
${webhookBaseUrl(request)}

Request Body: Custom Body
{
  "title": {{ name | append: " " | append: status | json }},
  "body": {{ msg | json }}${entries.join("")}
}

Additional Headers
{ "Content-Type": "application/json" }`;
}

/** The settings of Grafana's contact point. Its payload is a Go template. */
function grafana(request: SendRequest): string {
  const fields = bodyFields({ ...request, title: "", body: "" }).slice(MONITOR_FIELDS_COUNT);
  const entries = fields.map(
    ([name, value]) => ` ${JSON.stringify(name)} ${JSON.stringify(value)}`,
  );
  return `URL
${webhookBaseUrl(request)}

Payload template
{{ coll.Dict "title" (tmpl.Exec "default.title" .) "body" (tmpl.Exec "default.message" .)${entries.join("")} | data.ToJSON }}`;
}

/** The number of fields that the monitor fills in: title and body. */
const MONITOR_FIELDS_COUNT = 2;

/** Returns the text as one quoted word of a POSIX shell (POSIX.1-2024, Shell Command Language, 2.2.2). */
export function quoteShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Doubles every quote. PowerShell also accepts typographic quotes as single quotes. */
function quotePowershell(text: string): string {
  return `'${text.replaceAll(/['‘’‚‛]/g, "$&$&")}'`;
}

/** Formats a value as Python. A JSON string is also a Python string. */
function formatPythonValue(value: BodyField[1]): string {
  return value === true ? "True" : JSON.stringify(value);
}

function indent(text: string, spaces: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(spaces)}`);
}
