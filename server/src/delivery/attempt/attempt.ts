import type { Context } from "#context.ts";
import { joinDeadline } from "#providers/deadline.ts";
import type { Message, Outcome, Provider } from "#providers/provider.ts";
import type { Target } from "#devices/device.ts";
import type { NewNotification } from "../delivery.ts";
import { toMessageInteraction } from "./message-interaction.ts";

/**
 * Timeout of an attempt. Providers have their own, shorter timeouts. A request that this timeout aborts may have
 * arrived.
 */
const ATTEMPT_TIMEOUT_MS = 25_000;

/** The notification, the device and the provider of one attempt, and the pacer and the signal that limit it. */
export interface AttemptInput {
  readonly provider: Provider;
  readonly notification: NewNotification;
  /** Waits until a bulk message may be sent; null if the message is not bulk. */
  readonly waitForPacer: (() => Promise<void>) | null;
  readonly target: Target;
  readonly signal: AbortSignal;
}

/**
 * Makes one attempt and returns its outcome. No other function calls `Provider.send`. An unexpected error or an abort
 * becomes a retry, because the device is not to blame.
 */
export async function attempt(
  deps: Pick<Context, "log" | "elapsed">,
  input: AttemptInput,
): Promise<Outcome> {
  const { provider, target } = input;
  const deadline = joinDeadline({ signal: input.signal, timeoutMs: ATTEMPT_TIMEOUT_MS });
  const { signal } = deadline;
  try {
    const message = findCachedMessage(input) ?? (await getMessage(input));
    const outcome = await provider.send(message, target.address, signal);
    if (outcome.kind === "retry" && outcome.isLocalFailure === true)
      logLackOfResources(deps, outcome);
    return outcome;
  } catch (error) {
    if (!signal.aborted) {
      const facts = { err: error, provider: provider.name, deviceId: target.deviceId };
      deps.log.error(facts, "attempt failed");
    }
    const reason = { code: "ambiguous", detail: null } as const;
    return { kind: "retry", reason, afterMs: null, isCounted: true };
  } finally {
    deadline.leave();
  }
}

/** Shortest time between two log lines about missing resources. Without it, each of many attempts would add a line. */
const LOG_INTERVAL_MS = 60_000;
let loggedAt = Number.NEGATIVE_INFINITY;

function logLackOfResources(
  { log, elapsed }: Pick<Context, "log" | "elapsed">,
  { reason }: Outcome & { kind: "retry" },
): void {
  const now = elapsed();
  if (now - loggedAt < LOG_INTERVAL_MS) return;
  loggedAt = now;
  log.error(
    { reason: reason.detail },
    "this server lacks the resources to send messages, which now wait; raise the limit of open files (LimitNOFILE)",
  );
}

/** The message of each notification. All devices share one object, so that a provider can cache what it encodes. */
const messageCache = new WeakMap<NewNotification, Message>();

async function getMessage(input: AttemptInput): Promise<Message> {
  const { notification } = input;
  if (!notification.markdown) return createMessage(input, notification.body);
  const body = await getPlainBody(notification);
  return findCachedMessage(input) ?? createMessage(input, body);
}

function findCachedMessage({ notification, waitForPacer }: AttemptInput): Message | null {
  const cached = messageCache.get(notification);
  // All bulk messages share one pacer, so only its presence matters.
  return cached !== undefined && (cached.waitForPacer !== undefined) === (waitForPacer !== null)
    ? cached
    : null;
}

/**
 * Returns the message that providers send. Providers need no fields about the audience, the key and the count, and no
 * extras.
 */
function createMessage({ notification, waitForPacer }: AttemptInput, body: string): Message {
  const {
    id,
    audience: _audience,
    keyId: _keyId,
    deviceCount: _deviceCount,
    extras: _extras,
    interaction,
    ...content
  } = notification;
  const message = {
    notificationId: id,
    ...content,
    body,
    interaction: interaction === null ? null : toMessageInteraction(interaction),
    ...(waitForPacer === null ? {} : { waitForPacer }),
  };
  messageCache.set(notification, message);
  return message;
}

/**
 * Loads the Markdown parser for the first message that needs it, so that it takes no memory on servers without Markdown
 * notifications.
 */
const loadPlainText = async () => import("./plain-text.ts");
/** The plain text of each Markdown notification, rendered once for all devices. */
const plainBodyCache = new WeakMap<NewNotification, Promise<string>>();

function getPlainBody(notification: NewNotification): Promise<string> {
  const cached = plainBodyCache.get(notification);
  if (cached !== undefined) return cached;
  const plainBody = loadPlainText().then(({ toPlainText }) => toPlainText(notification.body));
  plainBodyCache.set(notification, plainBody);
  return plainBody;
}
