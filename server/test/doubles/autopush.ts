import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import { WebSocketServer, type RawData, type WebSocket } from "ws";
import { Arrivals, type WaitOptions } from "./arrivals.ts";
import { readFirefoxMessage, type FirefoxMessage, type Receipt } from "./autopush-messages.ts";
import { LOOPBACK, closeHttpServer, listen } from "./listen.ts";
import { PendingMessages } from "./pending-messages.ts";
import { PushService, type PushServiceOptions } from "./push-service.ts";
import type { PushMessage, PushSubscription } from "./push-subscription.ts";

/** The service's state of a Firefox profile. */
interface UserAgent {
  readonly id: string;
  readonly channels: Map<string, PushSubscription>;
  readonly pending: PendingMessages<string>;
  /** Null while the browser is disconnected. */
  socket: WebSocket | null;
}

/** A push service for real Firefox: speaks Mozilla's protocol with the browser and validates the sender's requests. */
export class Autopush {
  /** The endpoint side, for senders. */
  readonly service: PushService;
  /** For Firefox's preference `dom.push.serverURL`. */
  readonly url: string;
  /** The browsers' reports on each message. `version` is the end of the `Location` in the sender's response. */
  readonly receipts = new Arrivals<Receipt>("receipts of browsers");
  readonly #endedSubscriptions = new Arrivals<PushSubscription>("subscriptions that end");
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  readonly #now: () => number;
  readonly #userAgents = new Map<string, UserAgent>();

  /** Starts a service. Endpoints have Mozilla's host, or are plain HTTP with `names: null`. */
  static async start(options: PushServiceOptions = {}): Promise<Autopush> {
    const service = await PushService.start({
      names: ["updates.push.services.mozilla.com"],
      paths: ["/wpush/v2/"],
      ...options,
    });
    const server = createServer();
    const port = await listen(server);
    return new Autopush({ service, server, port }, options.now ?? Date.now);
  }

  private constructor(
    servers: { readonly service: PushService; readonly server: Server; readonly port: number },
    now: () => number,
  ) {
    this.service = servers.service;
    this.url = `ws://${LOOPBACK}:${servers.port}/`;
    this.#server = servers.server;
    this.#now = now;
    this.#sockets = new WebSocketServer({
      server: servers.server,
      handleProtocols: (offered) => offered.has("push-notification") && "push-notification",
    });
    this.#sockets.on("connection", (socket) => this.#handleConnection(socket));
  }

  /** Forgets every browser: endpoints answer 410, and Firefox fires `pushsubscriptionchange` when it reconnects. */
  forgetUserAgents(): void {
    for (const userAgent of this.#userAgents.values()) {
      for (const subscription of userAgent.channels.values()) subscription.remove();
      userAgent.socket?.terminate();
    }
    this.#userAgents.clear();
  }

  /** Resolves when browsers have ended `count` subscriptions in total. A page does not wait for that. */
  async waitForEndedSubscriptions(count: number, options: WaitOptions = {}): Promise<void> {
    await this.#endedSubscriptions.waitForCount(count, options);
  }

  /** Stops both sides of the service. */
  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
    await Promise.all([closeHttpServer(this.#server), this.service.close()]);
  }

  #handleConnection(socket: WebSocket): void {
    let userAgent: UserAgent | null = null;
    socket.on("message", (raw: RawData) => {
      const message = readFirefoxMessage(Buffer.isBuffer(raw) ? raw.toString() : "");
      if (message.kind === "ping") socket.send("{}");
      else if (message.kind === "hello") userAgent = this.#handleHello(socket, message.userAgentId);
      else if (userAgent !== null) this.#handleMessage(userAgent, message);
    });
    socket.on("close", () => {
      if (userAgent?.socket === socket) userAgent.socket = null;
    });
  }

  #handleHello(socket: WebSocket, previousId: string | null): UserAgent {
    const userAgent = this.#userAgents.get(previousId ?? "") ?? {
      id: randomUUID(),
      channels: new Map(),
      pending: new PendingMessages(),
      socket,
    };
    this.#userAgents.set(userAgent.id, userAgent);
    userAgent.socket = socket;
    const { id: uaid } = userAgent;
    sendReply(socket, {
      messageType: "hello",
      status: 200,
      uaid,
      use_webpush: true,
      broadcasts: {},
    });
    for (const notification of userAgent.pending.listUnexpired(this.#now()))
      socket.send(notification);
    return userAgent;
  }

  #handleMessage(userAgent: UserAgent, message: FirefoxMessage): void {
    switch (message.kind) {
      case "register":
        this.#register(userAgent, message);
        break;
      case "unregister":
        this.#unregister(userAgent, message.channelId);
        break;
      case "receipts":
        for (const receipt of message.receipts) {
          userAgent.pending.acknowledge(receipt.version);
          this.receipts.add(receipt);
        }
        break;
      case "ping":
      case "hello":
      case "other":
        break;
    }
  }

  #register(
    userAgent: UserAgent,
    { channelId: channelID, key }: { readonly channelId: string; readonly key: string | null },
  ): void {
    if (key === null) {
      // Subscriptions without a key, to which any sender could post, are not supported.
      sendReply(userAgent.socket, { messageType: "register", channelID, status: 400 });
      return;
    }
    const subscription = this.service.subscribe({
      // Only Firefox pads the key.
      applicationServerKey: key.replace(/=+$/u, ""),
      deliver: (message) => this.#deliver({ userAgent, channelID, message }),
    });
    userAgent.channels.set(channelID, subscription);
    const { endpoint: pushEndpoint } = subscription;
    sendReply(userAgent.socket, { messageType: "register", channelID, status: 200, pushEndpoint });
  }

  #unregister(userAgent: UserAgent, channelID: string): void {
    const subscription = userAgent.channels.get(channelID);
    if (subscription !== undefined) {
      subscription.remove();
      userAgent.channels.delete(channelID);
      this.#endedSubscriptions.add(subscription);
    }
    sendReply(userAgent.socket, { messageType: "unregister", channelID, status: 200 });
  }

  #deliver(options: {
    readonly userAgent: UserAgent;
    readonly channelID: string;
    readonly message: PushMessage;
  }): void {
    const { userAgent, channelID, message } = options;
    const { messageId: id, body, topic, ttlSeconds } = message;
    const content = JSON.stringify({
      messageType: "notification",
      channelID,
      version: id,
      ttl: ttlSeconds,
      data: body.toString("base64url"),
      headers: { encoding: "aes128gcm" },
    });
    const expiresAtMs = this.#now() + ttlSeconds * 1000;
    userAgent.pending.add({ id, subscriptionId: channelID, topic, expiresAtMs, content });
    userAgent.socket?.send(content);
  }
}

function sendReply(socket: WebSocket | null, message: Readonly<Record<string, unknown>>): void {
  socket?.send(JSON.stringify(message));
}
