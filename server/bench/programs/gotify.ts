import { join } from "node:path";
import { LOOPBACK } from "../../test/doubles/listen.ts";
import type { PeerTarget } from "../support/senders.ts";
import { SAMPLE } from "../support/sample.ts";
import type { StreamsTarget } from "../support/stream-reader.ts";
import { callProgram } from "./call-program.ts";
import { findFreePort, startProgram, type PeerProgram, type RunningProgram } from "./program.ts";

/** The user of a new server, `admin` with the password `admin`. */
const ADMIN = { authorization: `Basic ${Buffer.from("admin:admin").toString("base64")}` };

/** Gotify with its default database, SQLite. Sources: gotify-server.env.example and the API's documentation of Gotify 2. */
export const gotify: PeerProgram = {
  name: "Gotify",
  binaries: ["gotify", "gotify-server"],
  // Versions without this command print their version when they start.
  versionArgs: ["version"],
  versionPattern: /^(?:Version:|Starting Gotify version) ([^\s@]+)/m,
  async start(scope, options) {
    const port = await findFreePort();
    const environment = {
      GOTIFY_SERVER_LISTENADDR: LOOPBACK,
      GOTIFY_SERVER_PORT: String(port),
      GOTIFY_DATABASE_CONNECTION: join(options.folder, "gotify.db"),
      GOTIFY_UPLOADEDIMAGESDIR: join(options.folder, "images"),
      GOTIFY_PLUGINSDIR: join(options.folder, "plugins"),
    };
    const command = { args: [], environment, readyPath: "/health" };
    return startProgram(scope, { ...options, port }, command);
  },
};

/** Creates applications, and returns a target that sends the sample as each of them in turn. */
export async function createGotifyTarget(
  { url, pid }: RunningProgram,
  applicationCount: number,
): Promise<PeerTarget> {
  const tokens: string[] = [];
  while (tokens.length < applicationCount) {
    tokens.push(await createToken(`${url}/application`, `Application ${tokens.length}`));
  }
  return { url, pid, requests: tokens.map(createRequest), acceptedText: '"appid":' };
}

/** Returns this many streams of one client. */
export async function createGotifyStreams(
  server: RunningProgram,
  streamCount: number,
): Promise<StreamsTarget> {
  const token = await createToken(`${server.url}/client`, "Client");
  const headers = {
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": Buffer.alloc(16).toString("base64"),
  };
  const stream = { path: `/stream?token=${token}`, headers };
  return {
    target: await createGotifyTarget(server, 1),
    streams: Array.from({ length: streamCount }, () => stream),
    status: 101,
    // The end of the header: the server sends nothing before the first message.
    startText: "\r\n\r\n",
    eventText: '"appid":',
  };
}

async function createToken(url: string, name: string): Promise<string> {
  const { token } = await callProgram(url, { headers: ADMIN, body: { name } });
  return String(token);
}

function createRequest(token: string) {
  const { title, body: message, link } = SAMPLE;
  const extras = { "client::notification": { click: { url: link } } };
  return { path: "/message", headers: { "x-gotify-key": token }, body: { title, message, extras } };
}
