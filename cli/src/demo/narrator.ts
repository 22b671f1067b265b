import type { Delivery, Notification } from "@tocsin/sdk";
import type { Terminal } from "../terminal.ts";
import type { DemoEvent } from "./story.ts";

/** Returns a teller that prints each event when it happens, with the time since the beginning. */
export function createNarrator(terminal: Terminal, elapsedMs: () => number) {
  const { print, style } = terminal;
  const line = (label: string, text: string): void => {
    const time = style("dim", `${(elapsedMs() / 1_000).toFixed(2)} s`.padStart(8));
    print(`${time}  ${style("bold", label.padEnd(LABEL_WIDTH))}  ${text}`);
  };
  return (event: DemoEvent): void => {
    switch (event.kind) {
      case "stage":
        line("push service", `simulated at ${event.pushOrigin}; it judges by RFC 8030, 8291, 8292`);
        line("server", `listens on ${event.url}, its data in ${event.folder}`);
        break;
      case "account":
        line("account", `${event.email} signed up and made an API key`);
        break;
      case "device":
        line("device", `${event.name} registered for Web Push`);
        break;
      case "calling":
        printBlock(terminal, "One call sends. With curl it is:", curlOf(event));
        break;
      case "calling again":
        line("call", `the same with “${event.notification.title}”`);
        break;
      case "received":
        line(event.device, `${style("green", "decrypted")} “${event.title}”: ${event.body}`);
        break;
      case "refused":
        line(event.device, `its push service answered ${style("yellow", String(event.status))}`);
        break;
      case "answered":
        line("answer", `after ${event.durationMs} ms: ${style("bold", event.answer.message)}`);
        break;
      case "logged":
        for (const delivery of event.deliveries)
          line("delivery log", deliveryLine(terminal, delivery));
        break;
      case "unsubscribed":
        print();
        line(event.name, "unsubscribes; nobody tells the server");
        break;
      case "devices":
        line("devices", `left in the account: ${event.names.join(", ")}`);
        break;
    }
  };
}

const LABEL_WIDTH = 12;

function printBlock({ print, style }: Terminal, title: string, lines: readonly string[]): void {
  print();
  print(`  ${title}`);
  print();
  for (const text of lines) print(style("dim", `    ${text}`));
  print();
}

function curlOf(call: {
  readonly url: string;
  readonly key: string;
  readonly notification: Notification;
}): readonly string[] {
  return [
    `curl ${call.url}/api/v1/notify \\`,
    `  -H 'x-api-key: ${call.key}' \\`,
    "  -H 'content-type: application/json' \\",
    `  -d '${JSON.stringify(call.notification)}'`,
  ];
}

function deliveryLine({ style }: Terminal, { deviceName, state, message }: Delivery): string {
  const shown = style(state === "accepted" ? "green" : "yellow", state.padEnd(STATE_WIDTH));
  return `${deviceName.padEnd(NAME_WIDTH)}  ${shown}  ${message ?? ""}`;
}

const NAME_WIDTH = 6;
const STATE_WIDTH = 8;
