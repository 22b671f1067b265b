import {
  PROVIDER_LABELS,
  PUSH_PROVIDERS,
  type Delivery,
  type DeviceResult,
  type PushProviderName,
} from "@tocsin/sdk";
import type { Terminal } from "../terminal.ts";
import type { DemoCall, DemoEvent, ReceivedNotification } from "./scenario.ts";

/** Returns a function that prints an event, with the time since the start. */
export function createEventPrinter(terminal: Terminal, elapsedMs: () => number) {
  const { print, style } = terminal;
  const printDescription = ({
    label,
    lines: [first = "", ...furtherLines],
  }: EventDescription): void => {
    const time = `${(elapsedMs() / 1_000).toFixed(2)} s`.padStart(TIME_WIDTH);
    print([style("dim", time), style("bold", label.padEnd(LABEL_WIDTH)), first].join(GAP));
    for (const line of furtherLines) print(`${" ".repeat(INDENT)}${line}`);
  };
  return (event: DemoEvent): void => {
    if (event.kind === "calling") {
      printBlock(terminal, "One call sends. With curl it is:", formatCurl(event));
      return;
    }
    if (event.kind === "uninstalled") print();
    for (const description of describeEvent(event, style)) printDescription(description);
  };
}

/** The description of an event. */
interface EventDescription {
  /** The subject of the event, such as a device. */
  readonly label: string;
  /** Only the lines of `packLines` are limited to `TEXT_WIDTH`. */
  readonly lines: readonly string[];
}

const COLUMNS = 80;
const TIME_WIDTH = 8;
const LABEL_WIDTH = 8;
const GAP = "  ";
const INDENT = TIME_WIDTH + GAP.length + LABEL_WIDTH + GAP.length;
const TEXT_WIDTH = COLUMNS - INDENT;

function describeEvent(
  event: Exclude<DemoEvent, { readonly kind: "calling" }>,
  style: Terminal["style"],
): readonly EventDescription[] {
  switch (event.kind) {
    case "servers":
      return describeServers(event);
    case "account":
      return describe("account", `${event.email} signed up and made an API key`);
    case "device":
      return describe(event.name, `registered for ${PROVIDER_LABELS[event.provider]}`);
    case "calling again":
      return describe("call", `the same call with “${event.notification.title}”`);
    case "received":
      return describe(event.device, ...formatReceived(event, style));
    case "refused": {
      const response = style("yellow", `${event.status} ${event.reason}`);
      return describe(event.device, `refused: FCM answered ${response}`);
    }
    case "answered": {
      const { message, responses } = event.answer;
      const results = responses.map((result) => formatResult(result, style));
      return describe(
        "answer",
        `after ${event.durationMs} ms: ${style("bold", message)}`,
        ...results,
      );
    }
    case "logged":
      return describe(
        "log",
        ...event.deliveries.map((delivery) => formatDelivery(delivery, style)),
      );
    case "uninstalled":
      return describe(event.name, "the app is removed; nobody tells the server");
    case "devices":
      return describe("devices", `left in the account: ${event.names.join(", ")}`);
  }
}

function describe(label: string, ...lines: readonly string[]): readonly EventDescription[] {
  return [{ label, lines }];
}

/** The protocol of each push service. */
const PROTOCOLS: Readonly<Record<PushProviderName, string>> = {
  apns: "HTTP/2, ES256 tokens",
  fcm: "HTTP v1, OAuth tokens",
  webpush: "RFC 8030, 8291, 8292",
};

function describeServers({
  url,
  folder,
  origins,
}: Extract<DemoEvent, { readonly kind: "servers" }>): readonly EventDescription[] {
  const services = PUSH_PROVIDERS.map((provider) => ({
    label: PROVIDER_LABELS[provider],
    lines: [`simulated on ${origins[provider]}; ${PROTOCOLS[provider]}`],
  }));
  return [
    ...services,
    { label: "server", lines: [`listens on ${url}`, `stores its data in ${folder}`] },
  ];
}

function printBlock({ print, style }: Terminal, title: string, lines: readonly string[]): void {
  print();
  print(`  ${title}`);
  print();
  for (const text of lines) print(style("dim", `    ${text}`));
  print();
}

function formatCurl(call: DemoCall): readonly string[] {
  const [brace = "", ...fields] = JSON.stringify(call.notification, null, 2).split("\n");
  return [
    `curl ${call.url}/api/v1/notify \\`,
    `  -H 'x-api-key: ${call.key}' \\`,
    "  -H 'content-type: application/json' \\",
    `  -d '${brace}`,
    ...fields.slice(0, -1).map((field) => `  ${field}`),
    "  }'",
  ];
}

function formatReceived(
  received: ReceivedNotification,
  style: Terminal["style"],
): readonly string[] {
  const { provider, title, body, fields } = received;
  const verb = style("green", provider === "webpush" ? "decrypted" : "received");
  const parts = Object.entries(fields).map(([name, value]) => `${name} ${value}`);
  const lines = packLines(parts, { separator: ", ", width: TEXT_WIDTH });
  return [`${verb} “${title}”: ${body}`, ...lines.map((text) => style("dim", text))];
}

/** Returns one line with the result of a device: as many sentences as fit. */
function formatResult({ success, message }: DeviceResult, style: Terminal["style"]): string {
  const mark = success ? style("green", "✓") : style("red", "✗");
  const sentences = message.split(/(?<=\.) /u);
  const [text = ""] = packLines(sentences, { separator: " ", width: TEXT_WIDTH - "✓ ".length });
  return `${mark} ${text}`;
}

function formatDelivery(delivery: Delivery, style: Terminal["style"]): string {
  const { deviceName, provider, state, attempts } = delivery;
  const styledState = style(state === "accepted" ? "green" : "yellow", state.padEnd(STATE_WIDTH));
  const device = `${deviceName.padEnd(NAME_WIDTH)}  ${provider.padEnd(NAME_WIDTH)}`;
  return `${device}  ${styledState}  ${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;
}

const NAME_WIDTH = 7;
const STATE_WIDTH = 8;

/** Joins parts into as few lines as possible. A part that is longer than a line gets its own line. */
function packLines(
  parts: readonly string[],
  { separator, width }: { readonly separator: string; readonly width: number },
): readonly string[] {
  return parts.reduce<readonly string[]>((lines, part) => {
    const extendedLine = [...lines.slice(-1), part].join(separator);
    return extendedLine.length <= width ? [...lines.slice(0, -1), extendedLine] : [...lines, part];
  }, []);
}
