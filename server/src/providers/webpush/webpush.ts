import type { buildConnector } from "undici";
import type { Address, Message, Outcome, Place, PlaceRequest, Provider } from "../provider.ts";
import { withDeadline } from "../deadline.ts";
import { ttlSeconds } from "../ttl.ts";
import { AddressNotAllowedError, createGuardedConnector } from "./address-guard.ts";
import type { GuardSettings } from "./address-guard.ts";
import { Agents } from "./agents.ts";
import { interpretAnswer } from "./answer.ts";
import type { WebPushAnswerMeaning } from "./answer.ts";
import { RecentAnswers } from "./recent-answers.ts";
import { UnusableKeysError } from "./encrypt.ts";
import { checkEndpoint } from "./endpoint-policy.ts";
import type { Rule } from "./endpoint-policy.ts";
import { HostPace } from "./host-pace.ts";
import { HostSemaphore } from "./host-semaphore.ts";
import { notAsked } from "../http2/unanswered.ts";
import { NoDescriptorError } from "../no-descriptor.ts";
import { rejected, retry, unsent } from "../outcomes.ts";
import { oncePerMessage } from "../fit.ts";
import { buildPayload, buildShortPayload, topicOf } from "./payload.ts";
import { Encryptor } from "./encryption/encryptor.ts";
import { HostLimits } from "./host-limits.ts";
import { post } from "../post.ts";
import type { Exchange } from "../post.ts";
import { VapidTokens, type Contact, type VapidKeys } from "./vapid-tokens.ts";

/** Settings of the Web Push provider. */
export interface WebPushSettings extends GuardSettings {
  readonly vapid: VapidKeys;
  /** Must not reject. `checkSubjectForApple` returns whether iPhones can be reached with it. */
  readonly contact: Contact;
  /** The public URL of this server, where `/n/<id>` redirects to a notification's link. */
  readonly baseUrl: string;
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** How long an attempt may wait for a permit, and then for its answer; 10 seconds by default. */
  readonly requestTimeoutMs?: number;
  /** Replaces the guarded connector in tests that use the real names of push services. */
  readonly connect?: buildConnector.connector;
}

/** Returns the provider that speaks Web Push (RFC 8030, 8291, 8292). */
export function createWebPushProvider(settings: WebPushSettings): Provider {
  return new WebPushProvider(settings);
}

interface WebPushAttempt {
  readonly message: Message;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly url: URL;
  readonly rule: Rule;
  readonly isVouchedFor: boolean;
  readonly askedAt: number;
  /** Aborts at the deadline and when the caller aborts. */
  readonly signal: AbortSignal;
  readonly callerSignal: AbortSignal;
}

interface PushContent {
  readonly authorization: string;
  readonly plaintext: Buffer;
}

const REQUEST_TIMEOUT_MS = 10_000;

class WebPushProvider implements Provider {
  readonly name = "webpush";
  readonly #settings: WebPushSettings;
  readonly #tokens: VapidTokens;
  readonly #pace: HostPace;
  readonly #recentAnswers: RecentAnswers;
  readonly #hostSemaphore: HostSemaphore;
  readonly #agents: Agents;
  readonly #encryptor = new Encryptor();
  readonly #buildPayload = oncePerMessage((message) =>
    buildPayload({ message, baseUrl: this.#settings.baseUrl }),
  );

  constructor(settings: WebPushSettings) {
    const { vapid: keys, contact, now, elapsed } = settings;
    this.#settings = settings;
    this.#tokens = new VapidTokens({ keys, contact, now, elapsed });
    this.#pace = new HostPace(elapsed);
    this.#recentAnswers = new RecentAnswers(elapsed);
    const limits = new HostLimits({
      limitFor: (host) => this.#pace.limitFor(host),
      hasAnswered: (host) => this.#recentAnswers.has(host),
    });
    this.#hostSemaphore = new HostSemaphore(limits);
    this.#agents = new Agents(settings.connect ?? createGuardedConnector(settings));
  }

  /** Each push service has its own credential, signed for its origin (RFC 8292 section 2). */
  serviceOf(address: Address): string {
    if (address.provider !== "webpush") throw new TypeError(`Not for ${address.provider}.`);
    return `webpush ${new URL(address.endpoint).host}`;
  }

  async enter({ address, accountId, isBulk, signal, onAside }: PlaceRequest): Promise<Place> {
    if (address.provider !== "webpush") throw new TypeError(`Not for ${address.provider}.`);
    const { policy, requestTimeoutMs = REQUEST_TIMEOUT_MS } = this.#settings;
    const verdict = checkEndpoint(policy, address.endpoint);
    // An endpoint that is not allowed needs no permit.
    if (!verdict.ok) return { kind: "taken", leave() {} };
    const { url, rule } = verdict;
    const limitedRequest = { host: url.host, rule, accountId, isBulk };
    const immediate = signal.aborted ? null : this.#hostSemaphore.tryAcquire(limitedRequest);
    const release =
      immediate ??
      (await withDeadline({ signal, limitMs: requestTimeoutMs }, (boundedSignal) =>
        this.#hostSemaphore.acquire({ ...limitedRequest, signal: boundedSignal, onAside }),
      ));
    if (release !== null) return { kind: "taken", leave: release };
    // The attempt waited only in our own queue, which says nothing about the host.
    const outcome = unsent({
      code: signal.aborted ? "ambiguous" : "unreachable",
      detail: url.host,
    });
    return { kind: "none", outcome: { ...outcome, isNoSign: true } };
  }

  async send(message: Message, address: Address, callerSignal: AbortSignal): Promise<Outcome> {
    if (address.provider !== "webpush") throw new TypeError(`Not for ${address.provider}.`);
    const { policy, now, requestTimeoutMs = REQUEST_TIMEOUT_MS } = this.#settings;
    const endpoint = checkEndpoint(policy, address.endpoint);
    if (!endpoint.ok) return rejected({ code: "endpoint_not_allowed", detail: endpoint.host });
    const { url, rule, isVouchedFor } = endpoint;
    const bounds = { signal: callerSignal, limitMs: requestTimeoutMs };
    try {
      await message.turn?.();
      const { keys } = address;
      const attempt = { message, keys, url, rule, isVouchedFor, askedAt: now(), callerSignal };
      // The deadline starts after our own wait, so that the host has its full time to answer.
      return await withDeadline(bounds, (signal) => this.#attempt({ ...attempt, signal }));
    } catch (error) {
      if (!(error instanceof UnusableKeysError)) throw error;
      return { kind: "gone", asOf: now(), reason: { code: "device_invalid", detail: url.host } };
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#agents.destroy(), this.#encryptor.close()]);
  }

  /** Sends the message. If the answer names a remedy, tries it once. */
  async #attempt(attempt: WebPushAttempt): Promise<Outcome> {
    const { message, url } = attempt;
    const { baseUrl } = this.#settings;
    const plaintext = this.#buildPayload(message);
    if (plaintext === null) return rejected({ code: "payload_too_large", detail: url.host });
    const authorization = await this.#tokens.authorization(url.origin);
    const first = await this.#post(attempt, { authorization, plaintext });
    switch (first.remedy) {
      case null:
        return first.outcome;
      case "fresh_token": {
        const renewed = await this.#tokens.renew(url.origin, authorization);
        if (renewed === null) return first.outcome;
        const second = await this.#post(attempt, { authorization: renewed, plaintext });
        return second.outcome;
      }
      case "short_form": {
        const short = buildShortPayload({ message, baseUrl });
        if (short === null || short.length >= plaintext.length) return first.outcome;
        const second = await this.#post(attempt, { authorization, plaintext: short });
        return second.outcome;
      }
    }
  }

  async #post(
    attempt: WebPushAttempt,
    { authorization, plaintext }: PushContent,
  ): Promise<WebPushAnswerMeaning> {
    const { message, keys, url, rule, signal, callerSignal } = attempt;
    const { now } = this.#settings;
    const { host } = url;
    const headers = {
      ttl: String(ttlSeconds(message.expiresAt - now())),
      urgency: "high",
      topic: topicOf(message.notificationId),
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
      authorization,
    };
    const body = await this.#encryptor.encrypt({ keys, plaintext });
    const exchange = await post(this.#agents.of(rule), { url, headers, body, signal });
    if (exchange.kind === "answered") this.#recentAnswers.note(host);
    else if (!callerSignal.aborted) this.#recentAnswers.noteUnanswered(host);
    if (exchange.kind !== "answered") {
      return { outcome: interpretUnanswered(attempt, exchange), remedy: null };
    }
    const { isVouchedFor, askedAt } = attempt;
    const meaning = interpretAnswer(exchange.answer, { host, isVouchedFor, askedAt, now: now() });
    const { outcome } = meaning;
    if (outcome.kind === "retry" && outcome.reason.code === "rate_limited") this.#pace.note(host);
    return meaning;
  }
}

type UnansweredExchange = Exclude<Exchange, { readonly kind: "answered" }>;

function interpretUnanswered(
  { url, callerSignal }: WebPushAttempt,
  { kind, error }: UnansweredExchange,
): Outcome {
  const detail = url.host;
  if (error instanceof AddressNotAllowedError) {
    return rejected({ code: "endpoint_not_allowed", detail });
  }
  if (error instanceof NoDescriptorError) return notAsked(detail);
  if (kind === "lost") return retry({ code: "ambiguous", detail });
  return unsent({ code: callerSignal.aborted ? "ambiguous" : "unreachable", detail });
}
