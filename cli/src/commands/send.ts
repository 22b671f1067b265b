import { createClient, LIMITS } from "@tocsin/sdk";
import type { AsyncSendResult, Client, DeviceResult, Notification } from "@tocsin/sdk";
import type { SendResult, WithNotificationId } from "@tocsin/sdk";
import { EXIT, usageError, type Command } from "../command.ts";
import { apiKeyOfEnvironment, urlOfEnvironment } from "../environment.ts";
import { parseSendOrder, type SendOrder } from "../send-order.ts";
import { isPiped, readAll } from "../standard-input.ts";
import { plain, type Terminal } from "../terminal.ts";

const HELP = `Usage: tocsin send TITLE [BODY] [options]

Sends a notification to every device of the API key's account or team, and tells what came
of it on each. Without BODY, or with -, a pipe gives it:

  df -h | tocsin send "Disks"

  --key KEY               API key; other users of this machine can read arguments, so prefer
                          TOCSIN_API_KEY, or TOCSIN_API_KEY_FILE for a file that holds it
  --url URL               server; else TOCSIN_URL, else http://localhost:8080
  --channel NAME          letters, digits and hyphens; "feed" when not given
  --sound NAME            such as default, arcade, doorbell; a wrong one lists them all
  --link URL              what a tap opens
  --image URL             picture to show
  --time-sensitive        break through do-not-disturb
  --ttl SECONDS           send nothing after this time; 86400 when not given
  --group ID              only the devices of this group; needs an account key
  --async                 do not wait for results
  --idempotency-key TEXT  a repetition with the same text within 24 h sends nothing again
  --json                  print the server's answer, with notificationId

Put -- before a TITLE that begins with a hyphen.

Exit codes: 0 accepted, 1 no device was reached, 2 wrong usage, 3 the server refused,
4 no connection to the server.`;

/** `tocsin send`. */
export const send: Command = {
  help: HELP,
  async run(args, terminal) {
    const order = parseSendOrder(args);
    const client = clientOf(order);
    const body = order.body ?? (await readBody(terminal));
    const result = await perform(client, { order, body, terminal });
    if (order.isJson) terminal.printJson(result);
    else tell(terminal, result);
    return result.success ? EXIT.ok : EXIT.failed;
  },
};

const URL_DEFAULT = "http://localhost:8080";

/** A server that restarts is back by then; the client's own idempotency key keeps a repetition from sending twice. */
const RETRIES = 2;

/** A UUID of version 4 in any letter case (RFC 9562 section 5.4). */
const KEY_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

function clientOf({ key, url }: SendOrder): Client {
  const apiKey = key ?? apiKeyOfEnvironment();
  if (apiKey === null) {
    throw usageError("There is no API key. Put one in TOCSIN_API_KEY; the console makes them.");
  }
  if (!KEY_FORM.test(apiKey)) {
    throw usageError(
      "The API key has not the form of one: a UUID of version 4, as the console showed it when it was made.",
    );
  }
  try {
    return createClient({
      baseUrl: url ?? urlOfEnvironment() ?? URL_DEFAULT,
      apiKey,
      retries: RETRIES,
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const form = "an address such as https://push.example.org, without user or query";
    throw usageError(`The server (--url or TOCSIN_URL) must be ${form}.`, error);
  }
}

/** Whoever starts this from a program may have left a pipe open without meaning to. */
const INPUT_NOTE_AFTER_MS = 2_000;

async function readBody(terminal: Terminal): Promise<string> {
  if (!isPiped()) return "";
  const hint = 'Reading the body from standard input; give "" as BODY to send without one.';
  const text = await noted(terminal, { afterMs: INPUT_NOTE_AFTER_MS, line: hint }, () =>
    readAll(LIMITS.requestSizeBytes),
  );
  if (text !== null) return text.replace(/\r?\n$/, "");
  throw usageError(
    `The body may have ${LIMITS.bodyLength} characters. Send a part of it: … | tail -50 | tocsin send …`,
  );
}

type Result = WithNotificationId<SendResult | AsyncSendResult>;

/** The server itself waits up to this long for the devices' push services. */
const SEND_NOTE_AFTER_MS = 1_500;

async function perform(
  client: Client,
  { order, body, terminal }: { order: SendOrder; body: string; terminal: Terminal },
): Promise<Result> {
  const { fields, how, options } = order;
  const notification: Notification = { ...fields, body };
  const line = "Waiting for the server…";
  return noted(terminal, { afterMs: SEND_NOTE_AFTER_MS, line }, async () => {
    if (how === "sync") return client.notify(notification, options);
    if (how === "async") return client.notifyAsync(notification, options);
    return client.notifyGroup(how.groupId, notification, options);
  });
}

/** Says a line where the work takes longer than that. */
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

/** A message that begins with `Queued` is still being tried. */
function markOf({ style }: Terminal, { success, message }: DeviceResult): string {
  if (success) return style("green", "✓");
  return message.startsWith("Queued") ? style("yellow", "…") : style("red", "✗");
}
