import type { TestContext } from "node:test";
import type { Address, Message, Provider } from "#providers/provider.ts";
import type { TestClock } from "../support/room.ts";
import { messageWith } from "../support/push-message.ts";

/** A push service's behaviour for one request, in terms that fit any of them. `after` delays it. */
export type Plan = { readonly after?: Promise<unknown> } & (
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** In the words of the service: the address is known no more. */
  | { readonly kind: "gone" }
  /** In the words of the service: our credentials are no good, as often as they are shown for one attempt. */
  | { readonly kind: "refuse credentials" }
  /** The connection is cut; `delivers` hands the message to the device first. */
  | {
      readonly kind: "reset";
      readonly when: "before-headers" | "after-headers";
      readonly delivers?: boolean;
    }
  | { readonly kind: "hang" }
);

/** A message as the person sees it. */
export interface Arrived {
  readonly title: string;
  readonly body: string;
  readonly link: string | null;
  readonly isTruncated: boolean;
}

/** The request as the push service read it. */
export interface Asked {
  /** Messages with the same replace each other. */
  readonly replacingId: string | undefined;
  /** How much longer the service is to keep the message. */
  readonly lifeSeconds: number;
}

/** A device with our app, and what its push service knows of it. */
export interface Phone {
  readonly address: Address;
  /** Parts of the address that must appear in no text. */
  readonly secrets: readonly string[];
  /** Plans what happens to the next requests for it, one each. */
  readonly plan: (...plans: readonly Plan[]) => void;
  /** Every message, repetitions included. */
  readonly arrived: () => readonly Arrived[];
  /** How many notifications the person sees. */
  readonly shownCount: () => number;
  /** The last request, as it stands now. */
  readonly lastAsked: () => Asked;
  readonly askedCount: () => number;
  /** Resolves once so many requests came in, answered or not. */
  readonly received: (count: number) => Promise<unknown>;
  /** Ends it: the service says of every later message that the address is gone. */
  readonly end: () => void;
}

/** A server that a test stands in a push service's place; nothing answers there by the rules. */
export interface Peer {
  /** `https:` with host and port. */
  readonly origin: string;
  /** The certificate to trust, PEM. */
  readonly ca: string;
}

export interface StartOptions {
  /** The provider's own if not given. */
  readonly requestTimeoutMs?: number;
  /** Stands in the place of the push service; phones never see a message then. */
  readonly peer?: Peer;
}

/** A provider before its push service. */
export interface ProviderUnderTest {
  readonly provider: Provider;
  readonly clock: TestClock;
  readonly addPhone: () => Phone;
  /** Keys that may stand in no text. */
  readonly secrets: readonly string[];
  /** Says whether the service means by this status alone that an address is gone. */
  readonly isGoneByStatus: (status: number) => boolean;
  /** It waits longer and longer before it connects again where connections come to nothing. */
  readonly isReconnectPaced: boolean;
}

/** Something whose `after` runs when all is over. */
export type Scope = Pick<TestContext, "after">;

/** Starts a provider before its push service; both end with the test. */
export type StartProvider = (scope: Scope, options?: StartOptions) => Promise<ProviderUnderTest>;

/** Rules for every provider, whatever its protocol. */
export interface Law {
  readonly name: string;
  readonly check: (test: TestContext, start: StartProvider) => Promise<void>;
}

/** A signal that never fires. */
export const never: AbortSignal = new AbortController().signal;

/** Returns a message that is good but for what a test changes; its text is recognised wherever it turns up. */
export function messageFor(clock: TestClock, change: Partial<Message> = {}): Message {
  const now = clock.now();
  return messageWith({
    title: "CanaryTitle",
    body: "CanaryBody",
    link: "https://example.org/CanaryLink",
    createdAt: now,
    expiresAt: now + 3_600_000,
    ...change,
  });
}
