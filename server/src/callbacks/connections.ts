import { Agent } from "undici";
import {
  AddressNotAllowedError,
  createGuardedConnector,
  type AddressGuardDeps,
} from "#providers/address-guard.ts";
import { runWithDeadline } from "#providers/deadline.ts";
import { NoDescriptorError } from "#providers/no-descriptor.ts";
import { post, type PostExchange } from "#providers/post.ts";
import { checkCallbackUrl, type CallbackOutcome, type SendCallback } from "./callback.ts";

/** The allowed origins, and substitutes for the network. */
export interface CallbackConnectionDeps extends Omit<AddressGuardDeps, "policy"> {
  /** Origins exempt from the rules about hosts and addresses, in the form of `URL.origin`. */
  readonly allowOrigins: readonly string[];
  /** How long an attempt may take in total; 10 seconds by default. */
  readonly requestTimeoutMs?: number | undefined;
}

/** The connections to the receivers of callbacks. */
export interface CallbackConnections {
  readonly send: SendCallback;
  /** Closes all connections; open requests fail. */
  close(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 4_000;
const CONNECTIONS_PER_ORIGIN_MAX = 16;
/** RFC 9110 section 15.5.11; Standard Webhooks asks senders to stop then. */
const GONE = 410;

/**
 * Returns the connections to receivers. They follow no redirect, and reach public addresses and allowed origins only.
 */
export function createCallbackConnections(deps: CallbackConnectionDeps): CallbackConnections {
  const { allowOrigins, requestTimeoutMs = REQUEST_TIMEOUT_MS, ...network } = deps;
  // Unlike undici's EnvHttpProxyAgent, this agent ignores the proxies in the environment.
  const agent = new Agent({
    connect: createGuardedConnector({ ...network, policy: { allowOrigins } }),
    allowH2: true,
    connections: CONNECTIONS_PER_ORIGIN_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });
  return {
    async send({ url, headers, body }, callerSignal) {
      // Checked again, because the operator may have withdrawn the origin since the callback was stored.
      if (!checkCallbackUrl({ allowOrigins }, url).ok) return NOT_ALLOWED;
      const bounds = { signal: callerSignal, timeoutMs: requestTimeoutMs };
      return runWithDeadline(bounds, async (signal) => {
        const request = { url: new URL(url), headers, body: Buffer.from(body), signal };
        const exchange = await post(agent, request);
        if (exchange.kind === "answered") return interpretStatus(exchange.response.status);
        if (callerSignal.aborted) return { kind: "interrupted" };
        return { kind: "retry", reason: describeFailure(exchange, signal.aborted) };
      });
    },
    close: () => agent.destroy(),
  };
}

const NOT_ALLOWED: CallbackOutcome = {
  kind: "retry",
  reason: "this server does not allow the URL",
};

function interpretStatus(status: number): CallbackOutcome {
  if (status >= 200 && status < 300) return { kind: "delivered" };
  if (status === GONE)
    return { kind: "refused", reason: `answered ${GONE}: wants no further calls` };
  const isRedirect = status >= 300 && status < 400;
  const hint = isRedirect ? ": redirects are not followed" : "";
  return { kind: "retry", reason: `answered ${status}${hint}` };
}

type UnansweredRequest = Exclude<PostExchange, { readonly kind: "answered" }>;

/** Omits the error's message, which may quote the URL or the receiver. */
function describeFailure({ kind, error }: UnansweredRequest, isTimeout: boolean): string {
  if (isTimeout) return "no answer in time";
  if (error instanceof AddressNotAllowedError) return "the host has an address that is not public";
  if (error instanceof NoDescriptorError) return "this server has no free file descriptor";
  const code = findCode(error);
  const fault = kind === "lost" ? "the connection broke before the answer" : "no connection";
  return code === null ? fault : `${fault} (${code})`;
}

/** Returns the code of an error, or of one that caused it; null if there is none. */
function findCode(error: Error): string | null {
  const code = "code" in error ? error.code : null;
  if (typeof code === "string" && /^[A-Z][A-Z0-9_]*$/.test(code)) return code;
  return error.cause instanceof Error && error.cause !== error ? findCode(error.cause) : null;
}
