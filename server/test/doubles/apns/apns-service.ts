import { randomUUID } from "node:crypto";
import { sensitiveHeaders } from "node:http2";
import type { IncomingHttpHeaders } from "node:http2";
import { Arrivals } from "../arrivals.ts";
import type { WaitOptions } from "../arrivals.ts";
import { LOOPBACK } from "../listen.ts";
import { ApnsDevice } from "./apns-device.ts";
import type { ApnsRegistration } from "./apns-device.ts";
import { ApnsEntrance } from "./apns-entrance.ts";
import type { ApnsEntranceOptions, Entrant } from "./apns-entrance.ts";
import type { ApnsJudged, ApnsPush } from "./apns-push.ts";
import { deviceTokenOf, field, isMessageId, judge } from "./apns-rules.ts";
import type { ApnsVerdict } from "./apns-rules.ts";
import { answer, play } from "./apns-script.ts";
import type { ApnsExchange, ApnsScripted } from "./apns-script.ts";
import type { TokenPolicy } from "./apns-token-rules.ts";
import type { ApnsEnvironment } from "./provider-key.ts";
import { readBody } from "../read-body.ts";

export interface ApnsServiceOptions
  extends Omit<ApnsEntranceOptions, "host">, Omit<TokenPolicy, "isTypAllowed"> {
  /** The bundle ids of the team's apps; the first is that of devices that name none. */
  readonly topics: readonly [string, ...string[]];
  /** See `TokenPolicy`; false by default. */
  readonly isTypAllowed?: boolean;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

const HOSTS: Readonly<Record<ApnsEnvironment, string>> = {
  production: "api.push.apple.com",
  sandbox: "api.sandbox.push.apple.com",
};

/** Apple's push service of one environment, on this machine: it judges every push and keeps what it saw. */
export class ApnsService {
  readonly environment: ApnsEnvironment;
  readonly topics: readonly [string, ...string[]];
  /** The port with its connections: GOAWAY, resets, limits. */
  readonly entrance: ApnsEntrance;
  /** Where senders connect: `https://127.0.0.1:<port>`. */
  readonly origin: string;
  /** The certificate to trust, PEM; it names the address, localhost and Apple's host of the environment. */
  readonly ca: string;
  readonly #policy: TokenPolicy;
  readonly #now: () => number;
  readonly #devices = new Map<string, ApnsDevice>();
  readonly #log = new Arrivals<ApnsJudged>("requests to Apple's push service");
  readonly #taken: ApnsPush[] = [];
  readonly #script: ApnsScripted[] = [];
  #standing: ApnsScripted | null = null;

  /** Starts one on a free port of the loopback address. */
  static async start(options: ApnsServiceOptions): Promise<ApnsService> {
    const host = HOSTS[options.environment];
    return new ApnsService(await ApnsEntrance.open({ ...options, host }), options);
  }

  private constructor(entrance: ApnsEntrance, options: ApnsServiceOptions) {
    this.environment = options.environment;
    this.topics = options.topics;
    this.entrance = entrance;
    this.origin = `https://${LOOPBACK}:${entrance.port}`;
    this.ca = entrance.ca;
    this.#policy = { isTypAllowed: false, ...options };
    this.#now = options.now ?? Date.now;
    entrance.serve((entrant) => {
      // A sender that gives up while it is being read is its own affair.
      this.#serve(entrant).catch(() => entrant.stream.destroy());
    });
  }

  /** Makes a device token known. */
  register(registration: ApnsRegistration): ApnsDevice {
    const device = new ApnsDevice(registration);
    this.#devices.set(registration.token, device);
    return device;
  }

  /** Every request so far, refused ones included; not those that a GOAWAY came before. */
  get judged(): readonly ApnsJudged[] {
    return this.#log.all;
  }

  /** Every push that was passed on to a device, whatever its sender was answered: what stands here twice is a duplicate. */
  get taken(): readonly ApnsPush[] {
    return this.#taken;
  }

  /** Resolves with every request so far once there are `count`, answered or not. */
  async received(count: number, options: WaitOptions = {}): Promise<readonly ApnsJudged[]> {
    return this.#log.received(count, options);
  }

  /** Plans what happens to the next requests whose device has no plans of its own, one each. */
  script(...answers: readonly ApnsScripted[]): void {
    this.#script.push(...answers);
  }

  /** Does the same with every request for which nothing is planned, until told otherwise; null ends it. */
  always(scripted: ApnsScripted | null): void {
    this.#standing = scripted;
  }

  /** Stops the service; requests under way are cut off. */
  async close(): Promise<void> {
    await this.entrance.close();
  }

  async #serve(entrant: Entrant): Promise<void> {
    const { connection, stream, headers } = entrant;
    const body = await readBody(stream);
    if (connection.hasRefused(stream)) return;
    const path = headers[":path"] ?? "";
    const device = this.#devices.get(deviceTokenOf(path) ?? "") ?? null;
    const { verdict, isTrusted } = this.#judge(entrant, body);
    const scripted = device?.takeScripted() ?? this.#script.shift() ?? this.#standing;
    const apnsId = nameOf(headers);
    const place = { connection: connection.number, streamId: stream.id ?? 0, apnsId };
    const neverIndexed = neverIndexedOf(headers);
    const judged = { ...place, path, headers, neverIndexed, body, verdict, scripted };
    device?.record(judged);
    this.#log.add(judged);
    await scripted?.after;
    if (connection.hasRefused(stream)) return;
    play(scripted ?? { kind: "verdict" }, this.#exchange({ entrant, device, judged }));
    if (isTrusted && stream.headersSent) this.entrance.trust(connection);
  }

  #judge(
    { connection, headers, fieldNames }: Entrant,
    body: Buffer,
  ): { readonly verdict: ApnsVerdict; readonly isTrusted: boolean } {
    let isTrusted = false;
    const verdict = judge(
      { headers, fieldNames, body },
      {
        topics: this.topics,
        admit: (authorization) => {
          const token = connection.admit(authorization, this.#policy, this.#now());
          isTrusted = token.kind !== "refused";
          return token;
        },
        find: (token) => this.#devices.get(token) ?? null,
      },
    );
    return { verdict, isTrusted };
  }

  #exchange(arrived: {
    readonly entrant: Entrant;
    readonly device: ApnsDevice | null;
    readonly judged: ApnsJudged;
  }): ApnsExchange {
    const { connection, stream } = arrived.entrant;
    const { verdict, apnsId, streamId } = arrived.judged;
    const deliver = (): void => {
      if (verdict.kind === "refused") return;
      const push = { ...verdict, apnsId, streamId, connection: connection.number };
      connection.settled(stream);
      this.#taken.push(push);
      arrived.device?.deliver(push);
    };
    const settle = (): void => {
      deliver();
      answer(exchange, verdict.kind === "refused" ? verdict : this.#welcome());
    };
    const exchange = { connection, stream, apnsId, deliver, settle };
    return exchange;
  }

  /** The development environment alone names a push for Apple's console of pushes. */
  #welcome(): { readonly status: number; readonly headers: Readonly<Record<string, string>> } {
    const isNamed = this.environment === "sandbox";
    return { status: 200, headers: isNamed ? { "apns-unique-id": randomUUID() } : {} };
  }
}

function nameOf(headers: IncomingHttpHeaders): string {
  const id = field(headers, "apns-id");
  return id !== undefined && isMessageId(id) ? id : randomUUID().toUpperCase();
}

function neverIndexedOf(headers: IncomingHttpHeaders): readonly string[] {
  const names: unknown = Reflect.get(headers, sensitiveHeaders);
  return Array.isArray(names) ? names.map(String) : [];
}
