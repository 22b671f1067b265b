import { sign } from "node:crypto";
import { once } from "node:events";
import {
  connect,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { ApnsService } from "./apns-service.ts";
import type { OwnedProviderKey } from "./provider-key.ts";

/** The parts that replace those of a valid provider token. */
export interface TokenOverrides {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly encoding?: "ieee-p1363" | "der";
}

/** How a request ended: with a response, with a part of one, or with none. */
export interface RawResponse {
  /** Null if no headers arrived. */
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The error code at the end of the stream (RFC 9113 section 7). */
  readonly resetCode: number | undefined;
}

/** Returns a signed JWT with these parts, valid or not. */
export function signToken(
  { keyId, privateKey }: OwnedProviderKey,
  { header, claims, encoding = "ieee-p1363" }: TokenOverrides,
): string {
  const [headerPart, claimsPart] = [header ?? { alg: "ES256", kid: keyId }, claims ?? {}].map(
    (part) => Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const key = { key: privateKey, dsaEncoding: encoding } as const;
  const signature = sign("sha256", Buffer.from(`${headerPart}.${claimsPart}`), key);
  return `${headerPart}.${claimsPart}.${signature.toString("base64url")}`;
}

/** A connection that sends requests as they are, without validation. */
export class RawSender {
  readonly session: ClientHttp2Session;
  /** Resolves with the connection's errors when it has ended. */
  readonly ended: Promise<readonly Error[]>;

  private constructor(session: ClientHttp2Session) {
    this.session = session;
    const { promise, resolve } = Promise.withResolvers<readonly Error[]>();
    const errors: Error[] = [];
    session.on("error", (error) => errors.push(error));
    session.once("close", () => resolve(errors));
    this.ended = promise;
  }

  /** Connects and waits for the service's SETTINGS. */
  static async connect(service: ApnsService): Promise<RawSender> {
    const sender = new RawSender(connect(service.origin, { ca: service.ca }));
    await once(sender.session, "remoteSettings");
    return sender;
  }

  /** Opens a stream immediately, and resolves when it ends, however it ends. */
  async post(headers: OutgoingHttpHeaders, body: string | Buffer): Promise<RawResponse> {
    const stream = this.session.request({ ":method": "POST", ...headers });
    stream.end(body);
    return readResponse(stream);
  }

  async close(): Promise<void> {
    this.session.destroy();
  }
}

async function readResponse(stream: ClientHttp2Stream): Promise<RawResponse> {
  const { promise, resolve } = Promise.withResolvers<RawResponse>();
  const chunks: Buffer[] = [];
  let headers: IncomingHttpHeaders = {};
  let status: number | null = null;
  stream.on("response", (responseHeaders) => {
    headers = responseHeaders;
    status = responseHeaders[":status"] ?? null;
  });
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  // The stream's code reports the error.
  stream.on("error", () => {});
  stream.on("close", () => {
    resolve({ status, headers, body: Buffer.concat(chunks).toString(), resetCode: stream.rstCode });
  });
  return promise;
}
