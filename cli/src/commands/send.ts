import { createClient, LIMITS, newIdempotencyKey } from "@tocsin/sdk";
import type { AsyncSendResult, Client, DeviceResult, Notification } from "@tocsin/sdk";
import type { SendOptions, SendResult, WithNotificationId } from "@tocsin/sdk";
import { EXIT, usageError, type Command } from "../command.ts";
import { apiKeyOfEnvironment, urlOfEnvironment } from "../environment.ts";
import { follow, isQueued, isTooMany, progressOf, type Followed } from "../follow.ts";
import { parseSendOrder, type SendOrder } from "../send-order.ts";
import { addressFor, URL_DEFAULT } from "../server-address.ts";
import { isPiped, readAll } from "../standard-input.ts";
import { plain, type Terminal } from "../terminal.ts";

/** `tocsin send`. */
export const send: Command = async (args, terminal) => {
  const order = parseSendOrder(args);
  const client = clientOf(order);
  const body = order.body ?? (await readBody(terminal));
  const notification: Notification = { ...order.fields, body };
  const { how, waitMs, isJson } = order;
  if (how !== "async" && waitMs !== null) {
    const followed = await sendAndFollow(client, { order, how, notification, waitMs, terminal });
    return reportFollowed(followed, { isJson, terminal });
  }
  const result = await perform(client, { order, notification, terminal });
  if (isJson) terminal.printJson(result);
  else tell(terminal, result);
  return result.success ? EXIT.ok : EXIT.failed;
};

/** Long enough for a server to restart; the client's own idempotency key keeps a repetition from sending twice. */
const RETRIES = 2;

/** A UUID of version 4 in any letter case (RFC 9562 section 5.4). */
const KEY_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

function clientOf({ key, url, allowsHttp }: SendOrder): Client {
  const apiKey = key ?? apiKeyOfEnvironment();
  if (apiKey === null) {
    throw usageError(
      "There is no API key. Put one into TOCSIN_API_KEY; the console makes keys, and so does tocsin key create.",
    );
  }
  if (!KEY_FORM.test(apiKey)) {
    throw usageError(
      "This is no API key: a key is a UUID of version 4, as it was shown when it was made.",
    );
  }
  const given = url ?? urlOfEnvironment() ?? URL_DEFAULT;
  const baseUrl = addressFor(given, { secret: "the API key", allowsHttp });
  return createClient({ baseUrl, apiKey, retries: RETRIES });
}

/** A program that starts this may have left a pipe open by accident. */
const INPUT_NOTE_AFTER_MS = 2_000;

async function readBody(terminal: Terminal): Promise<string> {
  if (!isPiped()) return "";
  const hint = 'Reading the body from standard input. To send without a body, give "" as BODY.';
  const text = await noted(terminal, { afterMs: INPUT_NOTE_AFTER_MS, line: hint }, () =>
    readAll(LIMITS.requestSizeBytes),
  );
  if (text !== null) return text.replace(/\r?\n$/, "");
  throw usageError(
    `The body is longer than ${LIMITS.bodyLength} characters. Send a part of it: … | tail -50 | tocsin send …`,
  );
}

type Result = WithNotificationId<SendResult | AsyncSendResult>;

/** The server itself waits up to this long for the push services. */
const SEND_NOTE = { afterMs: 1_500, line: "Waiting for the server…" };

async function perform(
  client: Client,
  {
    order: { how, options },
    notification,
    terminal,
  }: { order: SendOrder; notification: Notification; terminal: Terminal },
): Promise<Result> {
  return noted(terminal, SEND_NOTE, async () =>
    how === "async"
      ? client.notifyAsync(notification, options)
      : sendAwaited(client, { how, notification, options }),
  );
}

type Awaited = Exclude<SendOrder["how"], "async">;

function sendAwaited(
  client: Client,
  {
    how,
    notification,
    options,
  }: { how: Awaited; notification: Notification; options: SendOptions },
): Promise<WithNotificationId<SendResult>> {
  if (how === "sync") return client.notify(notification, options);
  return client.notifyGroup(how.groupId, notification, options);
}

interface FollowOrder {
  readonly order: SendOrder;
  readonly how: Awaited;
  readonly notification: Notification;
  readonly waitMs: number;
  readonly terminal: Terminal;
}

async function sendAndFollow(
  client: Client,
  { order, how, notification, waitMs, terminal }: FollowOrder,
): Promise<Followed> {
  const idempotencyKey = order.options.idempotencyKey ?? newIdempotencyKey();
  const options = { ...order.options, idempotencyKey };
  const request = { how, notification, options };
  const first = await noted(terminal, SEND_NOTE, () => sendAwaited(client, request));
  try {
    return await follow(first, {
      waitMs,
      repeat: (signal) => sendAwaited(client, { ...request, options: { ...options, signal } }),
      onWait(result) {
        const { ended, total } = progressOf(result);
        terminal.progress(`Waiting: ${ended} of ${total} devices have their final outcome`);
      },
    });
  } finally {
    terminal.progress("");
  }
}

/**
 * With --wait, the exit code says whether any device was reached; a large audience, whose results are unknown, counts
 * as accepted.
 */
function reportFollowed(
  { result, isComplete }: Followed,
  { isJson, terminal }: { readonly isJson: boolean; readonly terminal: Terminal },
): number {
  if (isJson) terminal.printJson({ ...result, isComplete });
  else tell(terminal, result);
  if (isTooMany(result)) {
    terminal.note("--wait follows at most 500 devices. See tocsin log for the results.");
    return EXIT.ok;
  }
  if (!isComplete)
    terminal.note("The time of --timeout is over. The server keeps trying the queued devices.");
  return result.responses.some(({ success }) => success) ? EXIT.ok : EXIT.failed;
}

/** Prints a line if the work takes longer than `afterMs`. */
async function noted<T>(
  terminal: Terminal,
  { afterMs, line }: { readonly afterMs: number; readonly line: string },
  work: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => terminal.note(line), afterMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

function tell(terminal: Terminal, result: Result): void {
  const { success, message, notificationId } = result;
  terminal.print(terminal.style(success ? "green" : "red", plain(message)));
  for (const device of "responses" in result ? result.responses : []) {
    terminal.print(`  ${markOf(terminal, device)} ${plain(device.message)}`);
  }
  if (notificationId !== null) {
    terminal.print(terminal.style("dim", `  notification ${plain(notificationId)}`));
  }
}

function markOf({ style }: Terminal, device: DeviceResult): string {
  if (device.success) return style("green", "✓");
  return isQueued(device) ? style("yellow", "…") : style("red", "✗");
}
