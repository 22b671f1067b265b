import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import {
  createServer as createTlsServer,
  type Server as TlsServer,
  type TLSSocket,
} from "node:tls";
import { Arrivals, type WaitOptions } from "./arrivals.ts";
import { generateCertificate } from "./certificate.ts";
import { GcmDevices, type GcmDevice } from "./gcm-devices.ts";
import {
  APP_DATA_FIELDS,
  CHECKIN_REQUEST_FIELDS,
  CHECKIN_RESPONSE_FIELDS,
  DATA_MESSAGE_FIELDS,
  LOGIN_REQUEST_FIELDS,
  LOGIN_RESPONSE_FIELDS,
} from "./gcm-fields.ts";
import { LOOPBACK, closeHttpServer, listen } from "./listen.ts";
import { PACKET_TAGS, McsConnection } from "./mcs-connection.ts";
import {
  encodeBytesField,
  decodeFields,
  encodeFixed64Field,
  readInteger,
  readStrings,
  encodeVarintField,
  type Fields,
} from "./protobuf.ts";
import { PushService, type PushServiceOptions } from "./push-service.ts";
import type { PushMessage } from "./push-subscription.ts";

/** Hosts and paths of Chromium's endpoints (`push_messaging_constants.cc`, Chromium 156). */
const ENDPOINTS = {
  names: ["fcm.googleapis.com", "jmt17.google.com"],
  paths: ["/fcm/send/", "/wp/", "/preprod/wp/"],
} as const;

/** A push service for real Chromium: speaks Google's protocols with the browser and validates the sender's requests. */
export class Gcm {
  /** The endpoint side, for senders, with the hosts of `ENDPOINTS`. */
  readonly service: PushService;
  /** Chromium's flags for this service instead of Google's. */
  readonly flags: readonly string[];
  readonly #endedSubscriptions = new Arrivals<string>("subscriptions that end");
  readonly #http: Server;
  readonly #mcs: TlsServer;
  readonly #now: () => number;
  readonly #devices = new GcmDevices();
  readonly #history: string[] = [];

  /** Starts a service on free loopback ports. */
  static async start(options: Pick<PushServiceOptions, "now"> = {}): Promise<Gcm> {
    const service = await PushService.start({ ...ENDPOINTS, ...options });
    const http = createServer();
    const { key, cert, spkiHash } = generateCertificate([LOOPBACK]);
    const mcs = createTlsServer({ key, cert });
    const httpPort = await listen(http);
    const mcsPort = await listen(mcs);
    const flags = [
      `--gcm-checkin-url=http://${LOOPBACK}:${httpPort}/checkin`,
      `--gcm-registration-url=http://${LOOPBACK}:${httpPort}/register`,
      `--gcm-mcs-endpoint=https://${LOOPBACK}:${mcsPort}`,
      `--ignore-certificate-errors-spki-list=${spkiHash}`,
    ];
    return new Gcm({ service, http, mcs, flags }, options.now ?? Date.now);
  }

  private constructor(
    started: {
      readonly service: PushService;
      readonly http: Server;
      readonly mcs: TlsServer;
      readonly flags: readonly string[];
    },
    now: () => number,
  ) {
    this.service = started.service;
    this.flags = started.flags;
    this.#http = started.http;
    this.#mcs = started.mcs;
    this.#now = now;
    started.http.on("request", (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    started.mcs.on("secureConnection", (socket: TLSSocket) => this.#handleConnection(socket));
  }

  /** Actions of browsers and messages to them in order, for the output of failed tests. */
  get history(): readonly string[] {
    return this.#history;
  }

  /** Resolves when browsers have ended `count` subscriptions in total. `unsubscribe()` in a page resolves earlier. */
  async waitForEndedSubscriptions(count: number, options: WaitOptions = {}): Promise<void> {
    await this.#endedSubscriptions.waitForCount(count, options);
  }

  /** Stops the endpoint side and the browser side. */
  async close(): Promise<void> {
    for (const { connection } of this.#devices.listDevices()) connection?.destroy();
    this.#mcs.close();
    await Promise.all([closeHttpServer(this.#http), this.service.close()]);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    this.#record(`requested ${request.url}`);
    if (request.url === "/checkin") {
      response.setHeader("content-type", "application/x-protobuf");
      response.end(this.#checkIn(decodeFields(body)));
      return;
    }
    const responseBody = this.#handleRegistration(
      request.headers.authorization ?? "",
      body.toString(),
    );
    response.setHeader("content-type", "text/plain");
    response
      .writeHead(responseBody === null ? 401 : 200)
      .end(responseBody ?? "Error=AUTHENTICATION_FAILED");
  }

  /** Returns the AndroidCheckinResponse to an AndroidCheckinRequest (`checkin.proto`). */
  #checkIn(request: Fields): Buffer {
    const androidId = readInteger(request, CHECKIN_REQUEST_FIELDS.androidId) ?? "";
    const securityToken = readInteger(request, CHECKIN_REQUEST_FIELDS.securityToken) ?? "";
    const device = this.#devices.checkIn(String(androidId), String(securityToken));
    const fields = CHECKIN_RESPONSE_FIELDS;
    return Buffer.concat([
      encodeVarintField(fields.isOk, 1),
      encodeVarintField(fields.timeMs, this.#now()),
      encodeFixed64Field(fields.androidId, BigInt(device.androidId)),
      encodeFixed64Field(fields.securityToken, BigInt(device.securityToken)),
      encodeBytesField(fields.version, "1"),
    ]);
  }

  /**
   * Creates or ends a service worker's subscription, and returns the response body; null for unknown credentials.
   * `sender` is the application server key.
   */
  #handleRegistration(authorization: string, form: string): string | null {
    const [, androidId = "", securityToken = ""] =
      /^AidLogin (\d+):(\d+)$/u.exec(authorization) ?? [];
    const device = this.#devices.find(androidId, securityToken);
    if (device === null) return null;
    const fields = new URLSearchParams(form);
    const subtype = fields.get("X-subtype") ?? "";
    device.subscriptions.get(subtype)?.remove();
    if (fields.get("delete") === "true") {
      this.#endedSubscriptions.add(subtype);
      return `token=${subtype}`;
    }
    const sender = fields.get("sender") ?? "";
    const app = fields.get("app") ?? "";
    const subscription = this.service.subscribe(
      {
        applicationServerKey: sender,
        deliver: (message) => this.#deliver({ device, message, sender, app, subtype }),
      },
      // Real tokens contain a colon, which a sender must handle and not escape.
      `${randomUUID()}:APA91b${randomUUID()}`,
    );
    device.subscriptions.set(subtype, subscription);
    return `token=${subscription.token}`;
  }

  #handleConnection(socket: TLSSocket): void {
    this.#record("connected");
    const connection = new McsConnection(socket, (tag, fields) => {
      this.#record(`sent packet ${tag}`);
      if (tag === PACKET_TAGS.ping) connection.send(PACKET_TAGS.pong);
      else if (tag === PACKET_TAGS.login) this.#logIn(connection, fields);
    });
    socket.on("close", () => {
      this.#record("disconnected");
      for (const device of this.#devices.listDevices()) {
        if (device.connection === connection) device.connection = null;
      }
    });
  }

  /** Answers a LoginRequest with a LoginResponse (`mcs.proto`), followed by the pending messages. */
  #logIn(connection: McsConnection, request: Fields): void {
    const [androidId = ""] = readStrings(request, LOGIN_REQUEST_FIELDS.androidId);
    const [securityToken = ""] = readStrings(request, LOGIN_REQUEST_FIELDS.securityToken);
    const device = this.#devices.find(androidId, securityToken);
    if (device === null) {
      connection.destroy();
      return;
    }
    device.connection = connection;
    this.#record(`${androidId} logged in`);
    for (const messageId of readStrings(request, LOGIN_REQUEST_FIELDS.receivedId)) {
      device.pending.acknowledge(messageId);
    }
    connection.send(
      PACKET_TAGS.loginResponse,
      encodeBytesField(LOGIN_RESPONSE_FIELDS.id, "chrome"),
      encodeVarintField(LOGIN_RESPONSE_FIELDS.timeMs, this.#now()),
    );
    for (const stanza of device.pending.listUnexpired(this.#now()))
      connection.send(PACKET_TAGS.dataMessage, stanza);
  }

  /** Sends a message to the browser as a DataMessageStanza (`mcs.proto`). */
  #deliver(options: {
    readonly device: GcmDevice;
    readonly message: PushMessage;
    readonly sender: string;
    readonly app: string;
    readonly subtype: string;
  }): void {
    const { device, sender, app, subtype } = options;
    const { messageId: id, body, topic, ttlSeconds } = options.message;
    const nowMs = this.#now();
    const fields = DATA_MESSAGE_FIELDS;
    const content = Buffer.concat([
      encodeBytesField(fields.id, id),
      encodeBytesField(fields.sender, sender),
      encodeBytesField(fields.app, app),
      encodeAppData("subtype", subtype),
      encodeAppData("content-encoding", "aes128gcm"),
      encodeBytesField(fields.persistentId, id),
      encodeVarintField(fields.ttlSeconds, ttlSeconds),
      encodeVarintField(fields.sentAtMs, nowMs),
      encodeBytesField(fields.body, body),
    ]);
    const expiresAtMs = nowMs + ttlSeconds * 1000;
    device.pending.add({ id, subscriptionId: subtype, topic, expiresAtMs, content });
    device.connection?.send(PACKET_TAGS.dataMessage, content);
    this.#record(
      device.connection === null
        ? `${id} is pending: ${device.androidId} is disconnected`
        : `${id} is sent to ${device.androidId}`,
    );
  }

  #record(event: string): void {
    this.#history.push(`${new Date(this.#now()).toISOString()} ${event}`);
  }
}

function encodeAppData(name: string, value: string): Buffer {
  const message = Buffer.concat([
    encodeBytesField(APP_DATA_FIELDS.name, name),
    encodeBytesField(APP_DATA_FIELDS.value, value),
  ]);
  return encodeBytesField(DATA_MESSAGE_FIELDS.appData, message);
}
