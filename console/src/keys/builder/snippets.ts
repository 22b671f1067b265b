import { LIMITS } from "@tocsin/sdk";
import {
  getBodyFields,
  getEndpoint,
  formatJsonBody,
  getWebhookBaseUrl,
  getWebhookUrl,
  type BodyField,
  type SendRequest,
} from "./send-request.ts";

/** Functions that return the builder's snippets, by name of the snippet. */
export const SNIPPET_FORMATTERS = {
  webhook: getWebhookUrl,
  curl: formatCurl,
  javascript: formatJavaScript,
  python: formatPython,
  powershell: formatPowerShell,
  githubActions: formatGitHubActions,
  uptimeKuma: formatUptimeKuma,
  grafana: formatGrafana,
} as const satisfies Readonly<Record<string, (request: SendRequest) => string>>;

/** The name of a snippet. */
export type SnippetName = keyof typeof SNIPPET_FORMATTERS;

/** Snippets with the key in the URL, which cannot address a group. */
export const SNIPPETS_WITH_KEY_IN_URL: ReadonlySet<SnippetName> = new Set([
  "webhook",
  "uptimeKuma",
  "grafana",
]);

/** Returns the command that posts to the webhook URL, as a POST-only key requires. */
export function formatWebhookCommand(request: SendRequest): string {
  return `curl -X POST ${quoteShell(getWebhookUrl(request))}`;
}

function formatCurl(request: SendRequest): string {
  const { key, ttlSeconds = LIMITS.ttlSecondsDefault } = request;
  return [
    `curl ${quoteShell(getEndpoint(request))} \\`,
    `  -H ${quoteShell(`x-api-key: ${key}`)} \\`,
    `  -H 'content-type: application/json' \\`,
    ...(ttlSeconds === LIMITS.ttlSecondsDefault ? [] : [`  -H 'x-ttl: ${ttlSeconds}' \\`]),
    `  -d ${quoteShell(formatJsonBody(request))}`,
  ].join("\n");
}

function formatJavaScript(request: SendRequest): string {
  return `const response = await fetch(${JSON.stringify(getEndpoint(request))}, {
  method: "POST",
  headers: {
    "x-api-key": ${JSON.stringify(request.key)},
    "content-type": "application/json",
  },
  body: JSON.stringify(${indent(formatJsonBody(request), 2)}),
});
console.log(await response.json());`;
}

function formatPython(request: SendRequest): string {
  const fields = getBodyFields(request).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${formatPythonValue(value)},`,
  );
  return `import json
import urllib.request

notification = {
${fields.join("\n")}
}
request = urllib.request.Request(
    ${JSON.stringify(getEndpoint(request))},
    data=json.dumps(notification).encode(),
    headers={
        "x-api-key": ${JSON.stringify(request.key)},
        "content-type": "application/json",
    },
)
with urllib.request.urlopen(request, timeout=10) as response:
    print(response.read().decode())`;
}

function formatPowerShell(request: SendRequest): string {
  const fields = getBodyFields(request).map(
    ([name, value]) => `  ${name} = ${value === true ? "$true" : quotePowerShell(value)}`,
  );
  return `$notification = @{
${fields.join("\n")}
}
$json = $notification | ConvertTo-Json
Invoke-RestMethod -Method Post -Uri ${quotePowerShell(getEndpoint(request))} \`
  -Headers @{ 'x-api-key' = ${quotePowerShell(request.key)} } \`
  -ContentType 'application/json; charset=utf-8' \`
  -Body ([Text.Encoding]::UTF8.GetBytes($json))`;
}

/**
 * Returns a job step. The key stays in the repository's secrets. The body is in a variable, so the shell does not parse
 * it.
 */
function formatGitHubActions(request: SendRequest): string {
  const escapedBody = formatJsonBody(request).replaceAll("${{", "${{ '${{' }}");
  return `- name: Send a notification
  env:
    TOCSIN_KEY: \${{ secrets.TOCSIN_KEY }}
    NOTIFICATION: |-
${indent(`      ${escapedBody}`, 6)}
  run: |
    curl --fail-with-body ${quoteShell(getEndpoint(request))} \\
      -H "x-api-key: $TOCSIN_KEY" \\
      -H 'content-type: application/json' \\
      -d "$NOTIFICATION"`;
}

/** Returns the settings of Uptime Kuma's webhook. Its body is a Liquid template. */
function formatUptimeKuma(request: SendRequest): string {
  const fields = getBodyFields({ ...request, title: "", body: "" }).slice(MONITOR_FIELD_COUNT);
  const entries = fields.map(
    ([name, value]) => `,\n  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `Post URL
${getWebhookBaseUrl(request)}

Request Body: Custom Body
{
  "title": {{ name | append: " " | append: status | json }},
  "body": {{ msg | json }}${entries.join("")}
}

Additional Headers
{ "Content-Type": "application/json" }`;
}

/** Returns the settings of Grafana's contact point. Its payload is a Go template. */
function formatGrafana(request: SendRequest): string {
  const fields = getBodyFields({ ...request, title: "", body: "" }).slice(MONITOR_FIELD_COUNT);
  const entries = fields.map(
    ([name, value]) => ` ${JSON.stringify(name)} ${JSON.stringify(value)}`,
  );
  return `URL
${getWebhookBaseUrl(request)}

Payload template
{{ coll.Dict "title" (tmpl.Exec "default.title" .) "body" (tmpl.Exec "default.message" .)${entries.join("")} | data.ToJSON }}`;
}

/** The number of fields that the monitoring tool fills in: title and body. */
const MONITOR_FIELD_COUNT = 2;

/** Returns the text as one quoted word of a POSIX shell (POSIX.1-2024, Shell Command Language, 2.2.2). */
export function quoteShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Doubles every quote. PowerShell also accepts typographic quotes as single quotes. */
function quotePowerShell(text: string): string {
  return `'${text.replaceAll(/['‘’‚‛]/g, "$&$&")}'`;
}

/** Formats a value as Python. A JSON string is also a Python string. */
function formatPythonValue(value: BodyField[1]): string {
  return value === true ? "True" : JSON.stringify(value);
}

function indent(text: string, spaces: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(spaces)}`);
}
