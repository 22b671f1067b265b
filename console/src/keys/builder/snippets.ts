import { LIMITS } from "@tocsin/sdk";
import {
  bodyFields,
  endpoint,
  jsonBody,
  webhookAddress,
  webhookUrl,
  type BodyField,
  type SendRequest,
} from "./send-request.ts";

/** Ways to send for which the builder writes a snippet. */
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

/** Name of a way to send. */
export type SnippetName = keyof typeof SNIPPETS;

/** Ways that carry the key in the address, which cannot name a group. */
export const IN_ADDRESS: ReadonlySet<SnippetName> = new Set(["webhook", "uptimeKuma", "grafana"]);

/** Returns the command that sends to the webhook's address with a key that works by POST alone. */
export function postToWebhook(request: SendRequest): string {
  return `curl -X POST ${shellQuote(webhookUrl(request))}`;
}

function curl(request: SendRequest): string {
  const { key, ttlSeconds = LIMITS.ttlSecondsDefault } = request;
  return [
    `curl ${shellQuote(endpoint(request))} \\`,
    `  -H ${shellQuote(`x-api-key: ${key}`)} \\`,
    `  -H 'content-type: application/json' \\`,
    ...(ttlSeconds === LIMITS.ttlSecondsDefault ? [] : [`  -H 'x-ttl: ${ttlSeconds}' \\`]),
    `  -d ${shellQuote(jsonBody(request))}`,
  ].join("\n");
}

function javascript(request: SendRequest): string {
  return `const response = await fetch(${JSON.stringify(endpoint(request))}, {
  method: "POST",
  headers: {
    "x-api-key": ${JSON.stringify(request.key)},
    "content-type": "application/json",
  },
  body: JSON.stringify(${indented(jsonBody(request), 2)}),
});
console.log(await response.json());`;
}

function python(request: SendRequest): string {
  const fields = bodyFields(request).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${pythonValue(value)},`,
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
    ([name, value]) => `  ${name} = ${value === true ? "$true" : powershellQuote(value)}`,
  );
  return `$notification = @{
${fields.join("\n")}
}
$json = $notification | ConvertTo-Json
Invoke-RestMethod -Method Post -Uri ${powershellQuote(endpoint(request))} \`
  -Headers @{ 'x-api-key' = ${powershellQuote(request.key)} } \`
  -ContentType 'application/json; charset=utf-8' \`
  -Body ([Text.Encoding]::UTF8.GetBytes($json))`;
}

/** A job step: the key stays in the repository's secrets, the text in a variable that no shell expands twice. */
function githubActions(request: SendRequest): string {
  const escaped = jsonBody(request).replaceAll("${{", "${{ '${{' }}");
  return `- name: Send a notification
  env:
    TOCSIN_KEY: \${{ secrets.TOCSIN_KEY }}
    NOTIFICATION: |-
${indented(`      ${escaped}`, 6)}
  run: |
    curl --fail-with-body ${shellQuote(endpoint(request))} \\
      -H "x-api-key: $TOCSIN_KEY" \\
      -H 'content-type: application/json' \\
      -d "$NOTIFICATION"`;
}

/** Fields of Uptime Kuma's webhook, whose body is a Liquid template. */
function uptimeKuma(request: SendRequest): string {
  const given = bodyFields({ ...request, title: "", body: "" }).slice(TEXT_FIELDS);
  const rest = given.map(
    ([name, value]) => `,\n  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `Post URL
${webhookAddress(request)}

Request Body: Custom Body
{
  "title": {{ name | append: " " | append: status | json }},
  "body": {{ msg | json }}${rest.join("")}
}

Additional Headers
{ "Content-Type": "application/json" }`;
}

/** Fields of Grafana's contact point, whose payload is a Go template. */
function grafana(request: SendRequest): string {
  const given = bodyFields({ ...request, title: "", body: "" }).slice(TEXT_FIELDS);
  const rest = given.map(([name, value]) => ` ${JSON.stringify(name)} ${JSON.stringify(value)}`);
  return `URL
${webhookAddress(request)}

Payload template
{{ coll.Dict "title" (tmpl.Exec "default.title" .) "body" (tmpl.Exec "default.message" .)${rest.join("")} | data.ToJSON }}`;
}

/** Title and body, which the monitor writes itself. */
const TEXT_FIELDS = 2;

/** Returns a word that a POSIX shell reads as the text (POSIX.1-2024, Shell Command Language, 2.2.2). */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Only quotes have a meaning between single quotes, in each form that PowerShell accepts as one. */
function powershellQuote(text: string): string {
  return `'${text.replaceAll(/['‘’‚‛]/g, "$&$&")}'`;
}

/** A JSON string is a Python string, too. */
function pythonValue(value: BodyField[1]): string {
  return value === true ? "True" : JSON.stringify(value);
}

function indented(text: string, spaces: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(spaces)}`);
}
