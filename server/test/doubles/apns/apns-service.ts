import { randomUUID } from "node:crypto";
import { sensitiveHeaders, type IncomingHttpHeaders } from "node:http2";
import { Arrivals, type WaitOptions } from "../arrivals.ts";
import { LOOPBACK } from "../listen.ts";
import { ApnsDevice, type ApnsRegistration } from "./apns-device.ts";
import { ApnsListener, type ApnsListenerOptions, type IncomingRequest } from "./apns-listener.ts";
import type { ApnsRequestRecord, ApnsPush } from "./apns-push.ts";
import {
  readDeviceToken,
  readHeader,
  isMessageId,
  validatePush,
  type ApnsVerdict,
} from "./apns-rules.ts";
import { respond, runScript, type ApnsExchange, type ApnsScript } from "./apns-script.ts";
import type { TokenPolicy } from "./apns-token-rules.ts";
import type { ApnsEnvironment } from "./provider-key.ts";
import { readBody } from "../read-body.ts";

/** The environment, keys and apps that a service knows, and its clock. */
export interface ApnsServiceOptions
  extends Omit<ApnsListenerOptions, "host">, Omit<TokenPolicy, "isTypAllowed"> {
  /** Bundle ids of the team's apps. The first is the default for devices. */
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

/** A local double of Apple's push service for one environment. Validates and logs every push. */
export class ApnsService {
  readonly environment: ApnsEnvironment;
  readonly topics: readonly [string, ...string[]];
  /** The port and its connections: GOAWAY, resets, limits. */
  readonly listener: ApnsListener;
  /** The URL for senders: `https://127.0.0.1:<port>`. */
  readonly origin: string;
  /** The certificate to trust, PEM, for the address, localhost and Apple's host of the environment. */
  readonly ca: string;
  readonly #policy: TokenPolicy;
  readonly #now: () => number;
  readonly #devices = new Map<string, ApnsDevice>();
  readonly #log = new Arrivals<ApnsRequestRecord>("requests to Apple's push service");
  readonly #delivered: ApnsPush[] = [];
  readonly #scripts: ApnsScript[] = [];
  #defaultScript: ApnsScript | null = null;

  /** Starts a service on a free loopback port. */
  static async start(options: ApnsServiceOptions): Promise<ApnsService> {
    const host = HOSTS[options.environment];
    return new ApnsService(await ApnsListener.open({ ...options, host }), options);
  }

  private constructor(listener: ApnsListener, options: ApnsServiceOptions) {
    this.environment = options.environment;
    this.topics = options.topics;
    this.listener = listener;
    this.origin = `https://${LOOPBACK}:${listener.port}`;
    this.ca = listener.ca;
    this.#policy = { isTypAllowed: false, ...options };
    this.#now = options.now ?? Date.now;
    listener.serve((request) => {
      // A sender may abort while its request is being read.
      this.#serve(request).catch(() => request.stream.destroy());
    });
  }

  /** Registers a device token. */
  register(registration: ApnsRegistration): ApnsDevice {
    const device = new ApnsDevice(registration);
    this.#devices.set(registration.token, device);
    return device;
  }

  /** Every request so far, including refused ones but not those after a GOAWAY. */
  get requests(): readonly ApnsRequestRecord[] {
    return this.#log.all;
  }

  /**
   * Every push that was passed on to a device, whatever response the sender got. A push that was sent twice is listed
   * twice.
   */
  get delivered(): readonly ApnsPush[] {
    return this.#delivered;
  }

  /** Resolves with all requests once there are `count`, answered or not. */
  async waitForRequests(
    count: number,
    options: WaitOptions = {},
  ): Promise<readonly ApnsRequestRecord[]> {
    return this.#log.waitForCount(count, options);
  }

  /** Scripts the next requests whose device has no script, one each. */
  script(...scripts: readonly ApnsScript[]): void {
    this.#scripts.push(...scripts);
  }

  /** Scripts all requests that have no other script. Null removes the default script. */
  setDefaultScript(script: ApnsScript | null): void {
    this.#defaultScript = script;
  }

  /** Stops the service and aborts pending requests. */
  async close(): Promise<void> {
    await this.listener.close();
  }

  async #serve(request: IncomingRequest): Promise<void> {
    const { connection, stream, headers } = request;
    const body = await readBody(stream);
    if (connection.isRefused(stream)) return;
    const path = headers[":path"] ?? "";
    const device = this.#devices.get(readDeviceToken(path) ?? "") ?? null;
    const { verdict, isTrusted } = this.#validate(request, body);
    const script = device?.takeScript() ?? this.#scripts.shift() ?? this.#defaultScript;
    const apnsId = getMessageId(headers);
    const requestOrigin = { connection: connection.number, streamId: stream.id ?? 0, apnsId };
    const neverIndexed = readNeverIndexedNames(headers);
    const record = { ...requestOrigin, path, headers, neverIndexed, body, verdict, script };
    device?.record(record);
    this.#log.add(record);
    await script?.after;
    if (connection.isRefused(stream)) return;
    runScript(script ?? { kind: "verdict" }, this.#createExchange({ request, device, record }));
    if (isTrusted && stream.headersSent) this.listener.trust(connection);
  }

  #validate(
    { connection, headers, fieldNames }: IncomingRequest,
    body: Buffer,
  ): { readonly verdict: ApnsVerdict; readonly isTrusted: boolean } {
    let isTrusted = false;
    const verdict = validatePush(
      { headers, fieldNames, body },
      {
        topics: this.topics,
        checkCredentials: (authorization) => {
          const token = connection.admit(authorization, this.#policy, this.#now());
          isTrusted = token.kind !== "refused";
          return token;
        },
        findApp: (token) => this.#devices.get(token) ?? null,
      },
    );
    return { verdict, isTrusted };
  }

  #createExchange(options: {
    readonly request: IncomingRequest;
    readonly device: ApnsDevice | null;
    readonly record: ApnsRequestRecord;
  }): ApnsExchange {
    const { connection, stream } = options.request;
    const { verdict, apnsId, streamId } = options.record;
    const deliver = (): void => {
      if (verdict.kind === "refused") return;
      const push = { ...verdict, apnsId, streamId, connection: connection.number };
      connection.recordProcessed(stream);
      this.#delivered.push(push);
      options.device?.deliver(push);
    };
    const complete = (): void => {
      deliver();
      respond(exchange, verdict.kind === "refused" ? verdict : this.#createSuccess());
    };
    const exchange = { connection, stream, apnsId, deliver, complete };
    return exchange;
  }

  /** Returns the response to an accepted push. Only the development environment adds an id for Apple's push console. */
  #createSuccess(): {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
  } {
    const hasUniqueId = this.environment === "sandbox";
    return { status: 200, headers: hasUniqueId ? { "apns-unique-id": randomUUID() } : {} };
  }
}

function getMessageId(headers: IncomingHttpHeaders): string {
  const id = readHeader(headers, "apns-id");
  return id !== undefined && isMessageId(id) ? id : randomUUID().toUpperCase();
}

function readNeverIndexedNames(headers: IncomingHttpHeaders): readonly string[] {
  const names: unknown = Reflect.get(headers, sensitiveHeaders);
  return Array.isArray(names) ? names.map(String) : [];
}
