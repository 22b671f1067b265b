import { LOOPBACK } from "../../test/doubles/listen.ts";
import type { PeerTarget } from "../support/senders.ts";
import { SAMPLE } from "../support/sample.ts";
import { callProgram } from "./call-program.ts";
import { findFreePort, startProgram, type PeerProgram, type RunningProgram } from "./program.ts";

/** Bark with its default database. Sources: main.go, route_register.go and docs/API_V2.md of bark-server 2. */
export const bark: PeerProgram = {
  name: "Bark",
  binaries: ["bark-server"],
  versionArgs: ["--version"],
  versionPattern: /^bark-server version (\S+)/m,
  async start(scope, options) {
    const port = await findFreePort();
    const args = ["--addr", `${LOOPBACK}:${port}`, "--data", options.folder];
    return startProgram(scope, { ...options, port }, { args, readyPath: "/healthz" });
  },
};

/** Registers iPhones, and returns a target that sends the sample to each of them in turn. */
export async function createBarkTarget(
  { url, pid }: RunningProgram,
  tokens: readonly string[],
): Promise<PeerTarget> {
  const { title, body, link } = SAMPLE;
  const deviceKeys: string[] = [];
  for (const token of tokens) {
    const { data } = await callProgram(`${url}/register`, { body: { device_token: token } });
    // The data of a registration has the new device's key.
    deviceKeys.push((data as { readonly device_key: string }).device_key);
  }
  const requests = deviceKeys.map((deviceKey) => {
    const message = { device_key: deviceKey, title, body, url: link };
    return { path: "/push", headers: {}, body: message };
  });
  return { url, pid, requests, acceptedText: '"code":200' };
}
