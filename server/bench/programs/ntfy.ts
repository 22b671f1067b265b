import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LOOPBACK } from "../../test/doubles/listen.ts";
import type { PeerTarget } from "../support/senders.ts";
import { SAMPLE } from "../support/sample.ts";
import type { StreamsTarget } from "../support/stream-reader.ts";
import { findFreePort, startProgram, type PeerProgram, type RunningProgram } from "./program.ts";

/** The limit of streams from one address, above the number that any case opens. */
const SUBSCRIPTIONS_MAX = 100_000;

/** ntfy with a message cache on the disk. Sources: docs/config.md, docs/publish.md, docs/subscribe/api.md of ntfy 2. */
export const ntfy: PeerProgram = {
  name: "ntfy",
  binaries: ["ntfy"],
  // There is no flag for the version; the help ends with it.
  versionArgs: ["--help"],
  versionPattern: /^ntfy (\S+) \(/m,
  async start(scope, options) {
    const port = await findFreePort();
    const configPath = join(options.folder, "server.yml");
    // JSON is YAML.
    const config = {
      "listen-http": `${LOOPBACK}:${port}`,
      "cache-file": join(options.folder, "cache.db"),
      "visitor-request-limit-exempt-hosts": LOOPBACK,
      "visitor-subscription-limit": SUBSCRIPTIONS_MAX,
    };
    await writeFile(configPath, JSON.stringify(config));
    const args = ["serve", "--config", configPath];
    return startProgram(scope, { ...options, port }, { args, readyPath: "/v1/health" });
  },
};

/** Returns a target that publishes the sample to this many topics in turn. */
export function createNtfyTarget({ url, pid }: RunningProgram, topicCount: number): PeerTarget {
  const requests = Array.from({ length: topicCount }, (_, index) => createRequest(`topic${index}`));
  return { url, pid, requests, acceptedText: '"event":"message"' };
}

/** Returns this many streams of one topic. */
export function createNtfyStreams(server: RunningProgram, streamCount: number): StreamsTarget {
  const stream = { path: "/topic0/sse", headers: {} };
  return {
    target: createNtfyTarget(server, 1),
    streams: Array.from({ length: streamCount }, () => stream),
    status: 200,
    startText: '"event":"open"',
    eventText: '"event":"message"',
  };
}

function createRequest(topic: string) {
  const { title, body: message, link: click } = SAMPLE;
  return { path: "/", headers: {}, body: { topic, title, message, click } };
}
