import type { Context } from "#context.ts";
import { KEPT_PREFIX } from "#delivery/delivery.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import type {
  Address,
  Message,
  Outcome,
  Provider,
  Reason,
  StreamAddress,
} from "#providers/provider.ts";
import type { ProofSignals } from "./proof-signals.ts";
import type { Proof } from "./app.ts";
import type { Mailbox } from "./mailbox.ts";
import type { Schedule } from "./schedule.ts";
import type { AppPresence, PutResult } from "./store/put.ts";
import { findFetchedMessages } from "./store/read.ts";
import { withdrawMessage } from "./store/withdraw.ts";
import type { Waker, WakeResult } from "./waker.ts";

/** The dependencies of the provider for connected apps. */
export interface StreamProviderDeps {
  readonly context: Context;
  readonly nodeId: string;
  readonly mailbox: Pick<Mailbox, "put">;
  readonly signals: ProofSignals;
  readonly schedule: Schedule;
  /** Returns whether an app has a stream in this process. */
  readonly isHeldHere: (deviceId: string) => boolean;
  /** Tells the node that holds an app's connection of a new message; the hint may be lost. */
  readonly hint: (deviceId: string, nodeId: string) => void;
  /** Null if no service is asked to wake apps for iPhones. */
  readonly wake: Waker | null;
}

/** Longest wait for the answer of an app. */
const ANSWER_WAIT_MS = 3_000;
/** Maximum number of channels that a reason names. */
const NAMED_CHANNELS_MAX = 3;

/**
 * Returns the provider for connected apps. It calls no push service: it puts each message into the app's mailbox, and
 * waits briefly for the answer of an app that is connected.
 */
export function createStreamProvider(deps: StreamProviderDeps): Provider {
  return {
    name: "stream",
    getServiceName: (address) => `${KEPT_PREFIX}${requireStream(address).deviceId}`,
    findFetched: (notificationId, deviceIds) =>
      findFetchedMessages(deps.context, notificationId, deviceIds),
    withdraw: (notificationId, deviceId) => withdrawMessage(deps.context, notificationId, deviceId),
    send: (message, address, signal) => send(deps, { message, address, signal }),
    async close() {},
  };
}

interface StreamSendInput {
  readonly message: Message;
  readonly address: Address;
  readonly signal: AbortSignal;
}

async function send(
  deps: StreamProviderDeps,
  { message, address, signal }: StreamSendInput,
): Promise<Outcome> {
  const { deviceId } = requireStream(address);
  const { notificationId, channel, expiresAt } = message;
  // The wait begins before the app can answer.
  const wait = deps.signals.begin(deviceId, notificationId);
  try {
    const put = await deps.mailbox.put({ deviceId, notificationId, channel, expiresAt });
    if (put.kind === "removed") return REMOVED;
    if (put.kind === "not_subscribed") return toSkipped(put.channels);
    if (put.proof !== null) return toAccepted(put.proof);
    const { nodeId, connectedAt } = put.connection;
    if (nodeId === null || connectedAt === null) {
      return await wakeAndKeep(deps, { put, notificationId, proof: wait.proof, signal });
    }
    deps.hint(deviceId, nodeId);
    const isHere = nodeId === deps.nodeId;
    if (deps.signals.isSilent(deviceId, connectedAt) || (isHere && !deps.isHeldHere(deviceId))) {
      return toKept(put.connection);
    }
    const proof = await waitForProof(deps, wait.proof, signal);
    if (proof !== null) return toAccepted(proof);
    deps.signals.markSilent(deviceId, connectedAt);
    return toKept(put.connection);
  } finally {
    wait.end();
  }
}

interface KeepInput {
  readonly put: Extract<PutResult, { kind: "put" }>;
  readonly notificationId: string;
  readonly proof: Promise<Proof>;
  readonly signal: AbortSignal;
}

/** Keeps a message for an app without a stream, and first asks to wake the phone of an app for iPhones. */
async function wakeAndKeep(
  { wake }: StreamProviderDeps,
  { put, notificationId, proof, signal }: KeepInput,
): Promise<Outcome> {
  const { connection, iphoneTopic: topic } = put;
  if (wake === null || topic === null) return toKept(connection);
  // A phone may fetch the message before the service has answered.
  const result = await Promise.race([proof, wake({ topic, notificationId }, signal)]);
  return typeof result === "string" ? toAccepted(result) : toKept(connection, result);
}

/** Resolves with the proof, or with null if there is none within the wait. */
async function waitForProof(
  { schedule }: StreamProviderDeps,
  proof: Promise<Proof>,
  signal: AbortSignal,
): Promise<Proof | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const giveUp = () => resolve(null);
  const cancel = schedule(ANSWER_WAIT_MS, giveUp);
  signal.addEventListener("abort", giveUp);
  try {
    return await Promise.race([proof, promise]);
  } finally {
    cancel();
    signal.removeEventListener("abort", giveUp);
  }
}

function requireStream(address: Address): StreamAddress {
  if (address.provider === "stream") return address;
  throw new TypeError(`The provider for connected apps got an address of ${address.provider}.`);
}

function toAccepted(proof: Proof): Outcome {
  return { kind: "accepted", receipt: proof };
}

/** The device was removed after it was read. The next run notices that. */
const REMOVED: Outcome = {
  kind: "retry",
  reason: { code: "transient", detail: null },
  afterMs: null,
  isCounted: false,
};

/** The detail says when the app was connected and what came of the request to wake its phone, for people. */
function toKept({ nodeId, disconnectedAt }: AppPresence, wake: WakeResult | null = null): Outcome {
  const connection = describeConnection(nodeId, disconnectedAt);
  const detail = wake === null ? connection : `${connection}. ${describeWake(wake)}`;
  return { kind: "kept", reason: toReason(detail) };
}

function describeWake({ host, problem }: WakeResult): string {
  return problem === null
    ? `${host} was asked to wake the phone`
    : `${host} could not be asked to wake the phone: ${problem}`;
}

function describeConnection(nodeId: string | null, disconnectedAt: number | null): string {
  if (nodeId !== null) return "which has not answered yet";
  return disconnectedAt === null
    ? "which has not connected yet"
    : `last connected at ${formatTimestamp(disconnectedAt)}`;
}

function toReason(detail: string): Reason {
  return { code: "app_not_connected", detail };
}

function toSkipped(channels: readonly string[]): Outcome {
  const named = channels.slice(0, NAMED_CHANNELS_MAX);
  const others = channels.length - named.length;
  const parts = others > 0 ? [...named, `${others} more`] : named;
  const detail = parts.length < 2 ? (parts[0] ?? null) : joinWithAnd(parts);
  return { kind: "skipped", reason: { code: "not_subscribed", detail } };
}

function joinWithAnd(parts: readonly string[]): string {
  return `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`;
}
