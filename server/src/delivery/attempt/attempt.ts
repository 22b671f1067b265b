import type { Context } from "#context.ts";
import { withDeadline } from "#providers/deadline.ts";
import type { Message, Outcome, Provider } from "#providers/provider.ts";
import type { Target } from "#devices/device.ts";
import type { NewNotification } from "../delivery.ts";

/** Providers end their requests themselves; a request that goes on longer is aborted, and may have arrived. */
const ATTEMPT_TIMEOUT_MS = 25_000;

export interface AttemptInput {
  readonly provider: Provider;
  readonly notification: NewNotification;
  /** Waits until a bulk message may go; null where it is not bulk. */
  readonly turn: (() => Promise<void>) | null;
  readonly target: Target;
  readonly signal: AbortSignal;
}

/**
 * Makes one attempt and returns its outcome. This is the only function that calls a provider, and the only one where an
 * accident becomes an outcome: a retry, which blames no device.
 */
export function attempt(
  deps: Pick<Context, "log" | "elapsed">,
  input: AttemptInput,
): Promise<Outcome> {
  const { provider, target, signal: callerSignal } = input;
  const bounds = { signal: callerSignal, limitMs: ATTEMPT_TIMEOUT_MS };
  return withDeadline(bounds, async (signal) => {
    try {
      const outcome = await provider.send(await messageOf(input), target.address, signal);
      if (outcome.kind === "retry" && outcome.isOurs === true) tellOperator(deps, outcome);
      return outcome;
    } catch (error) {
      if (!signal.aborted) {
        const facts = { err: error, provider: provider.name, deviceId: target.deviceId };
        deps.log.error(facts, "attempt failed");
      }
      const reason = { code: "ambiguous", detail: null } as const;
      return { kind: "retry", reason, afterMs: null, counted: true };
    }
  });
}

/** Many attempts fail of the same cause; the operator needs one line a minute. */
const TELL_EVERY_MS = 60_000;
let toldAt = Number.NEGATIVE_INFINITY;

function tellOperator(
  { log, elapsed }: Pick<Context, "log" | "elapsed">,
  { reason }: Outcome & { kind: "retry" },
): void {
  const now = elapsed();
  if (now - toldAt < TELL_EVERY_MS) return;
  toldAt = now;
  log.error(
    { reason: reason.detail },
    "messages cannot be sent for a want of this server's own; they wait, and no push service is blamed: raise the limit of open files (LimitNOFILE)",
  );
}

/** One message for each notification: a provider encodes it once for all devices. */
const MESSAGES = new WeakMap<NewNotification, Message>();

function messageOf(input: AttemptInput): Message | Promise<Message> {
  const { notification } = input;
  const known = knownMessage(input);
  if (known !== null) return known;
  if (!notification.markdown) return makeMessage(input, notification.body);
  return plainBodyOf(notification).then((body) => knownMessage(input) ?? makeMessage(input, body));
}

function knownMessage({ notification, turn }: AttemptInput): Message | null {
  const known = MESSAGES.get(notification);
  // All bulk messages wait in the same way.
  return known !== undefined && (known.turn !== undefined) === (turn !== null) ? known : null;
}

function makeMessage({ notification, turn }: AttemptInput, body: string): Message {
  const { id, audience: _audience, keyId: _keyId, deviceCount: _count, ...said } = notification;
  const message = { notificationId: id, ...said, body, ...(turn === null ? {} : { turn }) };
  MESSAGES.set(notification, message);
  return message;
}

/** Loaded with the first message that needs it: a server without any saves the memory. */
const markdownReader = async () => import("./plain-text.ts");
/** The plain text of Markdown, made once for all devices. */
const PLAIN_BODIES = new WeakMap<NewNotification, Promise<string>>();

function plainBodyOf(notification: NewNotification): Promise<string> {
  const known = PLAIN_BODIES.get(notification);
  if (known !== undefined) return known;
  const read = markdownReader().then(({ plainText }) => plainText(notification.body));
  PLAIN_BODIES.set(notification, read);
  return read;
}
