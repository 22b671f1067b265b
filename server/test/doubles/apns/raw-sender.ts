import { sign } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:http2";
import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
} from "node:http2";
import type { ApnsService } from "./apns-service.ts";
import type { OwnedProviderKey } from "./provider-key.ts";

/** Claims that may differ from a good provider token's. */
export interface TokenParts {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly encoding?: "ieee-p1363" | "der";
}

export interface RawAnswer {
  /** Null where no header came. */
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** How the stream ended, a code of RFC 9113 section 7. */
  readonly code: number | undefined;
}

/** Returns a JWT with these parts, good or not, signed with this key. */
export function signToken(
  { keyId, privateKey }: OwnedProviderKey,
  { header, claims, encoding = "ieee-p1363" }: TokenParts,
): string {
  const [head, body] = [header ?? { alg: "ES256", kid: keyId }, claims ?? {}].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const key = { key: privateKey, dsaEncoding: encoding } as const;
  const signature = sign("sha256", Buffer.from(`${head}.${body}`), key);
  return `${head}.${body}.${signature.toString("base64url")}`;
}

/** One connection that sends whatever a test asks for and knows no rules. */
export class RawSender {
  readonly session: ClientHttp2Session;
  /** Resolves, once the connection has ended, with what went wrong on it. */
  readonly ended: Promise<readonly Error[]>;

  private constructor(session: ClientHttp2Session) {
    this.session = session;
    const { promise, resolve } = Promise.withResolvers<readonly Error[]>();
    const errors: Error[] = [];
    session.on("error", (error) => errors.push(error));
    session.once("close", () => resolve(errors));
    this.ended = promise;
  }

  /** Connects and waits for the limits of the service. */
  static async connect(service: ApnsService): Promise<RawSender> {
    const sender = new RawSender(connect(service.origin, { ca: service.ca }));
    await once(sender.session, "remoteSettings");
    return sender;
  }

  /** Opens a stream at once, and resolves when it has ended in whatever way. */
  async post(headers: OutgoingHttpHeaders, body: string | Buffer): Promise<RawAnswer> {
    const stream = this.session.request({ ":method": "POST", ...headers });
    stream.end(body);
    return readAnswer(stream);
  }

  async close(): Promise<void> {
    this.session.destroy();
  }
}

async function readAnswer(stream: ClientHttp2Stream): Promise<RawAnswer> {
  const { promise, resolve } = Promise.withResolvers<RawAnswer>();
  const chunks: Buffer[] = [];
  let headers: IncomingHttpHeaders = {};
  let status: number | null = null;
  stream.on("response", (arrived) => {
    headers = arrived;
    status = arrived[":status"] ?? null;
  });
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  // The code tells what happened.
  stream.on("error", () => {});
  stream.on("close", () => {
    resolve({ status, headers, body: Buffer.concat(chunks).toString(), code: stream.rstCode });
  });
  return promise;
}
