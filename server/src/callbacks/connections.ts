import { Agent } from "undici";
import { createGuardedConnector, type AddressGuardDeps } from "#providers/address-guard.ts";
import { runWithDeadline } from "#providers/deadline.ts";
import { post } from "#providers/post.ts";
import { checkCallbackUrl, type CallbackOutcome, type SendCallback } from "./callback.ts";
import { describeFailure, interpretStatus } from "./interpret-response.ts";

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
