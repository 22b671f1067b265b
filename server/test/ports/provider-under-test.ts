import type { TestContext } from "node:test";
import type { Address, Message, Provider } from "#providers/provider.ts";
import type { TestClock } from "../support/test-clock.ts";
import { createPushMessage } from "../support/push-message.ts";

/** A push service's behaviour for one request, independent of the service. `after` delays it. */
export type ProviderScript = { readonly after?: Promise<unknown> } & (
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** The service's response for an unregistered address. */
  | { readonly kind: "gone" }
  /** The service's response for invalid credentials, for every request of one attempt. */
  | { readonly kind: "refuse credentials" }
  /** Ends the connection with a TCP reset. With `delivers`, the message reaches the device first. */
  | {
      readonly kind: "reset-connection";
      readonly when: "before-headers" | "after-headers";
      readonly delivers?: boolean;
    }
  | { readonly kind: "hang" }
);

/** A message as the user sees it. */
export interface ReceivedMessage {
  readonly title: string;
  readonly body: string;
  readonly link: string | null;
  readonly isTruncated: boolean;
}

/** The parts of a request that the push service has read. */
export interface ReceivedRequest {
  /** Messages with the same id replace each other. */
  readonly replacementId: string | undefined;
  /** How long the service is to store the message. */
  readonly ttlSeconds: number;
}

/** A device with the app, and its state at the push service. */
export interface Phone {
  readonly address: Address;
  /** The parts of the address that must not appear in any text. */
  readonly secrets: readonly string[];
  /** Scripts the next requests for the device, one each. */
  readonly script: (...scripts: readonly ProviderScript[]) => void;
  /** Returns every received message, including repeated ones. */
  readonly listReceivedMessages: () => readonly ReceivedMessage[];
  /** Returns the number of displayed notifications. */
  readonly countShown: () => number;
  /** Returns the last request. */
  readonly getLastRequest: () => ReceivedRequest;
  /** Returns the number of requests for the device. */
  readonly countRequests: () => number;
  /** Resolves when `count` requests have arrived, with or without a response. */
  readonly waitForRequests: (count: number) => Promise<unknown>;
  /** Unregisters the device: the service reports the address of later messages as gone. */
  readonly unregister: () => void;
}

/** A test's server that replaces the push service. */
export interface Peer {
  /** `https:` with host and port. */
  readonly origin: string;
  /** The certificate to trust, PEM. */
  readonly ca: string;
}

/** How a test starts a provider: its time limit and its push service. */
export interface StartOptions {
  /** The time limit of a request; the provider's own limit by default. */
  readonly requestTimeoutMs?: number;
  /** Replaces the push service, so that no message reaches a phone. */
  readonly peer?: Peer;
}

/** A provider with a double of its push service. */
export interface ProviderUnderTest {
  readonly provider: Provider;
  readonly clock: TestClock;
  readonly addPhone: () => Phone;
  /** Keys and tokens that must not appear in any text. */
  readonly secrets: readonly string[];
  /** Returns whether this status alone means that an address is gone. */
  readonly statusMeansGone: (status: number) => boolean;
  /** Whether the provider backs off between failed connections. */
  readonly isReconnectPaced: boolean;
}

/** The owner of started resources, which runs `after` at its end. */
export type Scope = Pick<TestContext, "after">;

/** Starts a provider with a double of its push service. The provider and the double end with the test. */
export type StartProvider = (scope: Scope, options?: StartOptions) => Promise<ProviderUnderTest>;

/** A test that every provider must pass, independent of its protocol. */
export interface ContractTest {
  readonly name: string;
  readonly run: (test: TestContext, start: StartProvider) => Promise<void>;
}

/** A signal that never aborts. */
export const OPEN_SIGNAL: AbortSignal = new AbortController().signal;

/** Returns a valid message with the test's overrides. Its text is easy to find in outputs. */
export function createMessage(clock: TestClock, overrides: Partial<Message> = {}): Message {
  const now = clock.now();
  return createPushMessage({
    title: "CanaryTitle",
    body: "CanaryBody",
    link: "https://example.org/CanaryLink",
    createdAt: now,
    expiresAt: now + 3_600_000,
    ...overrides,
  });
}
