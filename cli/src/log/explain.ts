import type { Client, DeliveryAttempt, DeliveryDetail, NotificationDetail } from "@tocsin/sdk";
import { EXIT } from "../command.ts";
import { formatLocalTime } from "../local-time.ts";
import { readFirstItems } from "../pages.ts";
import { sanitize, type Style, type Terminal } from "../terminal.ts";
import type { ExplainRequest } from "./request.ts";
import { toResultCell, sumCounts } from "./result.ts";

/** Prints one notification, with each device's attempts, their times and results. */
export async function explainNotification(
  client: Client,
  { request, terminal }: { readonly request: ExplainRequest; readonly terminal: Terminal },
): Promise<number> {
  const { id, state, limit, isJson } = request;
  const record = await client.notifications.get(id);
  const filter = state === null ? {} : { state };
  const { items: deliveries, isComplete } = await readFirstItems(
    (page) => client.notifications.deliveries(id, { ...filter, ...page }),
    limit,
  );
  const notification: NotificationDetail = { ...record, deliveries };
  if (isJson) {
    terminal.printJson({ ...notification, isComplete });
    return EXIT.ok;
  }
  printNotification(terminal, notification);
  for (const delivery of deliveries) printDelivery(terminal, delivery);
  if (!isComplete) {
    const total = sumCounts(record.counts);
    terminal.printNote(
      `${deliveries.length} of ${total} devices are shown. --limit shows more, --state failed those that failed.`,
    );
  }
  return EXIT.ok;
}

const LABEL_WIDTH = 9;

function printNotification({ print, style }: Terminal, notification: NotificationDetail): void {
  const { id, title, body, channel, link, createdAt, expiresAt, counts } = notification;
  if (title !== "") print(style("bold", sanitize(title)));
  if (body !== "") print(sanitize(body));
  const result = toResultCell(counts);
  const facts: readonly (readonly [label: string, fact: string])[] = [
    ["Sent", `${formatLocalTime(createdAt)} ${formatSender(notification)}`],
    ["To", formatAudience(notification)],
    ["Channel", sanitize(channel)],
    ...(link === null ? [] : [["Link", sanitize(link)] as const]),
    ["Expires", formatLocalTime(expiresAt)],
    ["Id", sanitize(id)],
    ["Result", style(result.style ?? "bold", result.text)],
  ];
  for (const [label, fact] of facts) print(`${style("dim", label.padEnd(LABEL_WIDTH))}${fact}`);
}

function formatSender({ key }: NotificationDetail): string {
  if (key === null) return "without an API key";
  const hint = key.hint === "" ? "" : ` (…${sanitize(key.hint)})`;
  return key.label === null
    ? `by an API key${hint}`
    : `by the API key "${sanitize(key.label)}"${hint}`;
}

function formatAudience({ audience: { kind, name } }: NotificationDetail): string {
  if (kind === "account") return "all devices of your account";
  return name === null ? `a ${kind} that is gone` : `the ${kind} "${sanitize(name)}"`;
}

/** The mark and the style of each state of a delivery. */
const STATE_MARKS: Readonly<
  Record<DeliveryDetail["state"], readonly [mark: string, style: Style]>
> = {
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

function printDelivery({ print, style }: Terminal, delivery: DeliveryDetail): void {
  const { deviceName, provider, state, attempts, message, updatedAt, nextAttemptAt } = delivery;
  const [mark, markStyle] = STATE_MARKS[state];
  const attemptCount = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  const facts = `${provider}, ${attemptCount}, ${formatLocalTime(updatedAt)}`;
  print();
  print(
    `${style(markStyle, mark)} ${style("bold", sanitize(deviceName))}  ${style(markStyle, state)}  ${style("dim", facts)}`,
  );
  if (message !== null) print(`  ${sanitize(message)}`);
  printAttempts({ print, style }, delivery);
  if (nextAttemptAt !== null) print(`  Next attempt: ${formatLocalTime(nextAttemptAt)}`);
}

/** Prints the attempts. The server omits some of a long history, so the numbers may have a gap. */
function printAttempts(
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
    print(`  ${formatAttempt(attempt, style)}`);
  }
}

const ATTEMPT_NUMBER_WIDTH = 4;

function formatAttempt(attempt: DeliveryAttempt, style: Terminal["style"]): string {
  const { at, outcome, code, answer } = attempt;
  const number = attempt.attempt === null ? "" : `#${attempt.attempt}`;
  const reason = code === outcome ? outcome : `${outcome} (${sanitize(code)})`;
  const response = answer === null ? "" : `: ${sanitize(answer)}`;
  return `${number.padStart(ATTEMPT_NUMBER_WIDTH)}  ${style("dim", formatLocalTime(at))}  ${sanitize(reason)}${response}`;
}
