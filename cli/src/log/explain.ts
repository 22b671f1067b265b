import type { Client, DeliveryAttempt, DeliveryDetail, NotificationDetail } from "@tocsin/sdk";
import { EXIT } from "../command.ts";
import { localTime } from "../local-time.ts";
import { firstItems } from "../pages.ts";
import { plain, type Style, type Terminal } from "../terminal.ts";
import type { ExplainOrder } from "./order.ts";
import { resultOf, totalOf } from "./result.ts";

/** Prints one notification, with each device's attempts, their times and results. */
export async function explainSent(
  client: Client,
  { order, terminal }: { readonly order: ExplainOrder; readonly terminal: Terminal },
): Promise<number> {
  const { id, state, limit, isJson } = order;
  const head = await client.notifications.get(id);
  const filter = state === null ? {} : { state };
  const { items: deliveries, isComplete } = await firstItems(
    (page) => client.notifications.deliveries(id, { ...filter, ...page }),
    limit,
  );
  const notification: NotificationDetail = { ...head, deliveries };
  if (isJson) {
    terminal.printJson({ ...notification, isComplete });
    return EXIT.ok;
  }
  tellHead(terminal, notification);
  for (const delivery of deliveries) tellDelivery(terminal, delivery);
  if (!isComplete) {
    const total = totalOf(head.counts);
    terminal.note(
      `${deliveries.length} of ${total} devices are shown. --limit shows more, --state failed those that failed.`,
    );
  }
  return EXIT.ok;
}

const LABEL_WIDTH = 9;

function tellHead({ print, style }: Terminal, notification: NotificationDetail): void {
  const { id, title, body, channel, link, createdAt, expiresAt, counts } = notification;
  if (title !== "") print(style("bold", plain(title)));
  if (body !== "") print(plain(body));
  const result = resultOf(counts);
  const facts: readonly (readonly [string, string])[] = [
    ["Sent", `${localTime(createdAt)} ${senderOf(notification)}`],
    ["To", audienceOf(notification)],
    ["Channel", plain(channel)],
    ...(link === null ? [] : [["Link", plain(link)] as const]),
    ["Expires", localTime(expiresAt)],
    ["Id", plain(id)],
    ["Result", style(result.style ?? "bold", result.text)],
  ];
  for (const [label, fact] of facts) print(`${style("dim", label.padEnd(LABEL_WIDTH))}${fact}`);
}

function senderOf({ key }: NotificationDetail): string {
  if (key === null) return "without an API key";
  const hint = key.hint === "" ? "" : ` (…${plain(key.hint)})`;
  return key.label === null
    ? `by an API key${hint}`
    : `by the API key "${plain(key.label)}"${hint}`;
}

function audienceOf({ audience: { kind, name } }: NotificationDetail): string {
  if (kind === "account") return "all devices of your account";
  return name === null ? `a ${kind} that is gone` : `the ${kind} "${plain(name)}"`;
}

/** The mark and the style of each state of a delivery. */
const MARKS: Readonly<Record<DeliveryDetail["state"], readonly [mark: string, style: Style]>> = {
  queued: ["…", "yellow"],
  retrying: ["…", "yellow"],
  held: ["…", "yellow"],
  accepted: ["✓", "green"],
  gone: ["✗", "red"],
  rejected: ["✗", "red"],
  expired: ["✗", "red"],
  failed: ["✗", "red"],
  cancelled: ["–", "dim"],
  skipped: ["–", "dim"],
};

function tellDelivery({ print, style }: Terminal, delivery: DeliveryDetail): void {
  const { deviceName, provider, state, attempts, message, updatedAt, nextAttemptAt } = delivery;
  const [mark, look] = MARKS[state];
  const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  const facts = `${provider}, ${tries}, ${localTime(updatedAt)}`;
  print();
  print(
    `${style(look, mark)} ${style("bold", plain(deviceName))}  ${style(look, state)}  ${style("dim", facts)}`,
  );
  if (message !== null) print(`  ${plain(message)}`);
  tellAttempts({ print, style }, delivery);
  if (nextAttemptAt !== null) print(`  Next attempt: ${localTime(nextAttemptAt)}`);
}

/** The server leaves out some attempts between the first and the last, where the numbers jump. */
function tellAttempts(
  { print, style }: Pick<Terminal, "print" | "style">,
  { attemptHistory, attemptsLeftOut }: DeliveryDetail,
): void {
  let number = 0;
  for (const attempt of attemptHistory) {
    if (attempt.attempt !== null) {
      if (attemptsLeftOut > 0 && attempt.attempt > number + 1) {
        print(style("dim", `       … ${attemptsLeftOut} attempts are left out`));
      }
      number = attempt.attempt;
    }
    print(`  ${attemptLine(attempt, style)}`);
  }
}

const NUMBER_WIDTH = 4;

function attemptLine(attempt: DeliveryAttempt, style: Terminal["style"]): string {
  const { at, outcome, code, answer } = attempt;
  const number = attempt.attempt === null ? "" : `#${attempt.attempt}`;
  const reason = code === outcome ? outcome : `${outcome} (${plain(code)})`;
  const said = answer === null ? "" : `: ${plain(answer)}`;
  return `${number.padStart(NUMBER_WIDTH)}  ${style("dim", localTime(at))}  ${plain(reason)}${said}`;
}
