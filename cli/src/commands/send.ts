import {
  LIMITS,
  newIdempotencyKey,
  type AsyncSendResult,
  type Client,
  type DeviceResult,
  type Notification,
  type SendOptions,
  type SendResult,
  type WithNotificationId,
} from "@tocsin/sdk";
import { EXIT, usageError, type Command } from "../command.ts";
import { createKeyClient } from "../key-client.ts";
import {
  pollUntilFinal,
  isQueued,
  isAudienceTooLarge,
  isOnlyCounted,
  countProgress,
  type PollResult,
} from "../poll-result.ts";
import { parseSendArguments, type SendArguments } from "../send-arguments.ts";
import { isPiped, readAll } from "../standard-input.ts";
import { sanitize, type Terminal } from "../terminal.ts";

/** Sends a notification and prints its results: `tocsin send`. */
export const sendCommand: Command = async (args, terminal) => {
  const parsed = parseSendArguments(args);
  const client = createKeyClient(parsed.connection);
  const body = parsed.body ?? (await readBody(terminal));
  const notification: Notification = { ...parsed.fields, body };
  const { mode, waitMs, isJson } = parsed;
  if (mode !== "async" && waitMs !== null) {
    const pollResult = await sendAndPoll(client, {
      parsed,
      mode,
      notification,
      waitMs,
      terminal,
    });
    return reportPollResult(pollResult, { isJson, terminal });
  }
  const result = await sendOnce(client, { parsed, notification, terminal });
  if (isJson) terminal.printJson(result);
  else printResult(terminal, result);
  return result.success ? EXIT.ok : EXIT.failed;
};

/** The delay before a note: the calling program may have left a pipe open by accident. */
const INPUT_NOTE_DELAY_MS = 2_000;

async function readBody(terminal: Terminal): Promise<string> {
  if (!isPiped()) return "";
  const hint = 'Reading the body from standard input. To send without a body, give "" as BODY.';
  const text = await withNote(terminal, { afterMs: INPUT_NOTE_DELAY_MS, line: hint }, () =>
    readAll(LIMITS.requestSizeBytes),
  );
  if (text !== null) return text.replace(/\r?\n$/, "");
  throw usageError(
    `The body is longer than ${LIMITS.bodyLength} characters. Send a part of it: … | tail -50 | tocsin send …`,
  );
}

type Result = WithNotificationId<SendResult | AsyncSendResult>;

/** The note on a slow send. The server itself waits for push services, by default for at most three seconds. */
const SEND_NOTE = { afterMs: 1_500, line: "Waiting for the server…" };

async function sendOnce(
  client: Client,
  {
    parsed: { mode, options },
    notification,
    terminal,
  }: { parsed: SendArguments; notification: Notification; terminal: Terminal },
): Promise<Result> {
  return withNote(terminal, SEND_NOTE, async () =>
    mode === "async"
      ? client.notifyAsync(notification, options)
      : sendSync(client, { mode, notification, options }),
  );
}

type AwaitedMode = Exclude<SendArguments["mode"], "async">;

function sendSync(
  client: Client,
  {
    mode,
    notification,
    options,
  }: { mode: AwaitedMode; notification: Notification; options: SendOptions },
): Promise<WithNotificationId<SendResult>> {
  if (mode === "sync") return client.notify(notification, options);
  return client.notifyGroup(mode.groupId, notification, options);
}

interface PollInput {
  readonly parsed: SendArguments;
  readonly mode: AwaitedMode;
  readonly notification: Notification;
  readonly waitMs: number;
  readonly terminal: Terminal;
}

async function sendAndPoll(
  client: Client,
  { parsed, mode, notification, waitMs, terminal }: PollInput,
): Promise<PollResult> {
  const idempotencyKey = parsed.options.idempotencyKey ?? newIdempotencyKey();
  const options = { ...parsed.options, idempotencyKey };
  const sendInput = { mode, notification, options };
  const firstResult = await withNote(terminal, SEND_NOTE, () => sendSync(client, sendInput));
  try {
    return await pollUntilFinal(firstResult, {
      waitMs,
      repeat: (signal) => sendSync(client, { ...sendInput, options: { ...options, signal } }),
      onWait(result) {
        const { ended, total } = countProgress(result);
        terminal.showProgress(`Waiting: ${ended} of ${total} devices have their final outcome`);
      },
    });
  } finally {
    terminal.showProgress("");
  }
}

/**
 * Prints the result of `--wait`, and returns the exit code: success if any device was reached. A large audience has no
 * results per device, and counts as a success; so does a trigger that an open incident counted without a notification.
 */
function reportPollResult(
  { result, isComplete }: PollResult,
  { isJson, terminal }: { readonly isJson: boolean; readonly terminal: Terminal },
): number {
  if (isJson) terminal.printJson({ ...result, isComplete });
  else printResult(terminal, result);
  if (isOnlyCounted(result)) return EXIT.ok;
  if (isAudienceTooLarge(result)) {
    terminal.printNote("--wait follows at most 500 devices. See tocsin log for the results.");
    return EXIT.ok;
  }
  if (!isComplete)
    terminal.printNote(
      "The time of --timeout is over. The server keeps trying the queued devices.",
    );
  return result.responses.some(({ success }) => success) ? EXIT.ok : EXIT.failed;
}

/** Runs `work`, and prints a line if it takes longer than `afterMs`. */
async function withNote<T>(
  terminal: Terminal,
  { afterMs, line }: { readonly afterMs: number; readonly line: string },
  work: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => terminal.printNote(line), afterMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

function printResult(terminal: Terminal, result: Result): void {
  const { success, message, notificationId, incidentId } = result;
  terminal.print(terminal.style(success ? "green" : "red", sanitize(message)));
  for (const device of "responses" in result ? result.responses : []) {
    terminal.print(`  ${formatMark(terminal, device)} ${sanitize(device.message)}`);
  }
  if (notificationId !== null) {
    terminal.print(terminal.style("dim", `  notification ${sanitize(notificationId)}`));
  }
  if (incidentId !== undefined) {
    terminal.print(terminal.style("dim", `  incident ${sanitize(incidentId)}`));
  }
}

function formatMark({ style }: Terminal, device: DeviceResult): string {
  if (device.success) return style("green", "✓");
  return isQueued(device) ? style("yellow", "…") : style("red", "✗");
}
