import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { createApp } from "../server/src/app.ts";
import { readConfig } from "../server/src/config/config.ts";

/** Returns the OpenAPI document of a server with default settings, as indented JSON. */
export async function dumpOpenApi(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tocsin-dump-"));
  try {
    const app = await createApp({
      config: readConfig({ TOCSIN_DATA_DIR: folder }),
      log: pino({ level: "silent" }),
      now: Date.now,
      elapsed: () => performance.now(),
      random: Math.random,
    });
    try {
      const response = await app.server.inject("/openapi.json");
      if (response.statusCode !== 200)
        throw new Error(`The server answers ${response.statusCode}.`);
      return `${JSON.stringify(response.json(), null, 2)}\n`;
    } finally {
      await app.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
