import type { buildConnector } from "undici";
import type {
  Address,
  Message,
  Outcome,
  AttemptPermit,
  PermitRequest,
  Provider,
} from "../provider.ts";
import {
  AddressNotAllowedError,
  createGuardedConnector,
  type AddressGuardDeps,
} from "../address-guard.ts";
import { runWithDeadline } from "../deadline.ts";
import { toTtlSeconds } from "../ttl.ts";
import { PushAgents } from "./push-agents.ts";
import { interpretResponse, type WebPushInterpretation } from "./interpret-response.ts";
import { RecentResponses } from "./recent-responses.ts";
import { UnusableKeysError } from "./encrypt.ts";
import { checkEndpoint, type EndpointPolicy, type HostRule } from "./endpoint-policy.ts";
import { HostPace } from "./host-pace.ts";
import { HostSemaphore } from "./host-semaphore.ts";
import { createNoDescriptorOutcome } from "../http2/unanswered.ts";
import { NoDescriptorError } from "../no-descriptor.ts";
import { createRejection, createRetry, createUncountedRetry } from "../outcomes.ts";
import { cachePerMessage } from "../fit.ts";
import { buildPayload, buildShortPayload, toTopic } from "./payload.ts";
import { Encryptor } from "./encryption/encryptor.ts";
import { HostLimits } from "./host-limits.ts";
import { getCollapseId } from "../presentation.ts";
import { post, type PostExchange } from "../post.ts";
import { VapidTokens, type FindContact, type VapidKeys } from "./vapid-tokens.ts";

/** The keys of the Web Push provider, and its dependencies. */
export interface WebPushDeps extends AddressGuardDeps {
  readonly policy: EndpointPolicy;
  readonly vapid: VapidKeys;
  /**
   * Finds the contact of this server, and must not reject. `checkSubjectForApple` returns whether iPhones can be reached.
   */
  readonly findContact: FindContact;
  /** The public URL of this server, where `/n/<id>` redirects to a notification's link. */
  readonly baseUrl: string;
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** How long an attempt may wait for a permit, and then for its response; 10 seconds by default. */
  readonly requestTimeoutMs?: number;
  /** Replaces the guarded connector in tests that use the real names of push services. */
  readonly connect?: buildConnector.connector;
}

/** Returns the provider that speaks Web Push (RFC 8030, 8291, 8292). */
export function createWebPushProvider(deps: WebPushDeps): Provider {
  return new WebPushProvider(deps);
}

interface WebPushAttempt {
  readonly message: Message;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly url: URL;
  readonly rule: HostRule;
  readonly isListedHost: boolean;
  readonly requestedAt: number;
  /** Aborts at the deadline and when the caller aborts. */
  readonly signal: AbortSignal;
  readonly callerSignal: AbortSignal;
}

/** The parts of a push that a remedy replaces. */
interface PushContent {
  readonly authorization: string;
  readonly plaintext: Buffer;
}

const REQUEST_TIMEOUT_MS = 10_000;

class WebPushProvider implements Provider {
  readonly name = "webpush";
  readonly #deps: WebPushDeps;
  readonly #tokens: VapidTokens;
  readonly #pace: HostPace;
  readonly #recentResponses: RecentResponses;
  readonly #hostSemaphore: HostSemaphore;
  readonly #agents: PushAgents;
  readonly #encryptor = new Encryptor();
  readonly #buildPayload = cachePerMessage((message) =>
    buildPayload({ message, baseUrl: this.#deps.baseUrl }),
  );

  constructor(deps: WebPushDeps) {
    const { vapid: keys, findContact, now, elapsed } = deps;
    this.#deps = deps;
    this.#tokens = new VapidTokens({ keys, findContact, now, elapsed });
    this.#pace = new HostPace(elapsed);
    this.#recentResponses = new RecentResponses(elapsed);
    const limits = new HostLimits({
      getHostLimit: (host) => this.#pace.getLimit(host),
      hasRespondedRecently: (host) => this.#recentResponses.hasResponded(host),
    });
    this.#hostSemaphore = new HostSemaphore(limits);
    this.#agents = new PushAgents(deps.connect ?? createGuardedConnector(deps));
  }

  /** Each push service has its own credential, signed for its origin (RFC 8292 section 2). */
  getServiceName(address: Address): string {
    if (address.provider !== "webpush")
      throw new TypeError(`This provider does not send to ${address.provider}.`);
    return `webpush ${new URL(address.endpoint).host}`;
  }

  async acquirePermit({
    address,
    accountId,
    isBulk,
    signal,
    onLongWait,
  }: PermitRequest): Promise<AttemptPermit> {
    if (address.provider !== "webpush")
      throw new TypeError(`This provider does not send to ${address.provider}.`);
    const { policy, requestTimeoutMs = REQUEST_TIMEOUT_MS } = this.#deps;
    const result = checkEndpoint(policy, address.endpoint);
    // An endpoint that is not allowed needs no permit.
    if (!result.ok) return { kind: "taken", release() {} };
    const { url, rule } = result;
    const limitedRequest = { host: url.host, rule, accountId, isBulk };
    const immediateRelease = signal.aborted ? null : this.#hostSemaphore.tryAcquire(limitedRequest);
    const release =
      immediateRelease ??
      (await runWithDeadline({ signal, timeoutMs: requestTimeoutMs }, (boundedSignal) =>
        this.#hostSemaphore.acquire({
          ...limitedRequest,
          signal: boundedSignal,
          onLongWait,
        }),
      ));
    if (release !== null) return { kind: "taken", release };
    // The attempt waited only in our own queue, which says nothing about the host.
    const outcome = createUncountedRetry({
      code: signal.aborted ? "ambiguous" : "unreachable",
      detail: url.host,
    });
    return { kind: "none", outcome: { ...outcome, isInconclusive: true } };
  }

  async send(message: Message, address: Address, callerSignal: AbortSignal): Promise<Outcome> {
    if (address.provider !== "webpush")
      throw new TypeError(`This provider does not send to ${address.provider}.`);
    const { policy, now, requestTimeoutMs = REQUEST_TIMEOUT_MS } = this.#deps;
    const endpoint = checkEndpoint(policy, address.endpoint);
    if (!endpoint.ok)
      return createRejection({ code: "endpoint_not_allowed", detail: endpoint.host });
    const { url, rule, isListedHost } = endpoint;
    const bounds = { signal: callerSignal, timeoutMs: requestTimeoutMs };
    try {
      await message.waitForPacer?.();
      const { keys } = address;
      const attempt = { message, keys, url, rule, isListedHost, requestedAt: now(), callerSignal };
      // The deadline starts after our own wait, so that the host has its full time to respond.
      return await runWithDeadline(bounds, (signal) => this.#attempt({ ...attempt, signal }));
    } catch (error) {
      if (!(error instanceof UnusableKeysError)) throw error;
      return { kind: "gone", goneAt: now(), reason: { code: "device_invalid", detail: url.host } };
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#agents.destroy(), this.#encryptor.close()]);
  }

  /** Sends the message. If the response leads to a remedy, tries it once. */
  async #attempt(attempt: WebPushAttempt): Promise<Outcome> {
    const { message, url } = attempt;
    const { baseUrl } = this.#deps;
    const plaintext = this.#buildPayload(message);
    if (plaintext === null) return createRejection({ code: "payload_too_large", detail: url.host });
    const authorization = await this.#tokens.getAuthorization(url.origin);
    const firstResult = await this.#post(attempt, { authorization, plaintext });
    switch (firstResult.remedy) {
      case null:
        return firstResult.outcome;
      case "fresh_token": {
        const renewed = await this.#tokens.renew(url.origin, authorization);
        if (renewed === null) return firstResult.outcome;
        const secondResult = await this.#post(attempt, { authorization: renewed, plaintext });
        return secondResult.outcome;
      }
      case "short_form": {
        const shortPayload = buildShortPayload({ message, baseUrl });
        if (shortPayload === null || shortPayload.length >= plaintext.length)
          return firstResult.outcome;
        const secondResult = await this.#post(attempt, { authorization, plaintext: shortPayload });
        return secondResult.outcome;
      }
    }
  }

  async #post(
    attempt: WebPushAttempt,
    { authorization, plaintext }: PushContent,
  ): Promise<WebPushInterpretation> {
    const { message, keys, url, rule, signal, callerSignal } = attempt;
    const { now } = this.#deps;
    const { host } = url;
    const headers = {
      ttl: String(toTtlSeconds(message.expiresAt - now())),
      // A device that saves power gets a message of low urgency later (RFC 8030 section 5.3).
      urgency: message.priority === "low" ? "low" : "high",
      topic: toTopic(getCollapseId(message)),
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
      authorization,
    };
    const body = await this.#encryptor.encrypt({ keys, plaintext });
    const exchange = await post(this.#agents.get(rule), { url, headers, body, signal });
    if (exchange.kind === "answered") this.#recentResponses.record(host);
    else if (!callerSignal.aborted) this.#recentResponses.recordUnanswered(host);
    if (exchange.kind !== "answered") {
      return { outcome: interpretUnanswered(attempt, exchange), remedy: null };
    }
    const { isListedHost, requestedAt } = attempt;
    const interpretation = interpretResponse(exchange.response, {
      host,
      isListedHost,
      requestedAt,
      now: now(),
    });
    const { outcome } = interpretation;
    if (outcome.kind === "retry" && outcome.reason.code === "rate_limited")
      this.#pace.recordThrottled(host);
    return interpretation;
  }
}

type UnansweredExchange = Exclude<PostExchange, { readonly kind: "answered" }>;

function interpretUnanswered(
  { url, callerSignal }: WebPushAttempt,
  { kind, error }: UnansweredExchange,
): Outcome {
  const detail = url.host;
  if (error instanceof AddressNotAllowedError) {
    return createRejection({ code: "endpoint_not_allowed", detail });
  }
  if (error instanceof NoDescriptorError) return createNoDescriptorOutcome(detail);
  if (kind === "lost") return createRetry({ code: "ambiguous", detail });
  return createUncountedRetry({ code: callerSignal.aborted ? "ambiguous" : "unreachable", detail });
}
