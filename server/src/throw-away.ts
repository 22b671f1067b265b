import { pino } from "pino";
import { createApp } from "#app.ts";
import { readConfig } from "#config.ts";

/** What a throw-away server is made of. */
export interface ThrowAwayOptions {
  /** A folder of its own; whoever gives it removes it. */
  readonly dataDir: string;
  /** The origin of the one push service that it sends to. */
  readonly pushOrigin: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** A server for one demonstration. */
export interface ThrowAwayServer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts the real server on a free port of the loopback address, open for sign-up and silent; nothing of the
 * environment changes it.
 */
export async function startThrowAway(options: ThrowAwayOptions): Promise<ThrowAwayServer> {
  const { dataDir, pushOrigin, now, random } = options;
  const config = readConfig({
    TOCSIN_PORT: "0",
    TOCSIN_DATA_DIR: dataDir,
    TOCSIN_SIGN_UP: "open",
    TOCSIN_WEBPUSH_ALLOW_ORIGINS: pushOrigin,
    TOCSIN_VAPID_SUBJECT: "mailto:demo@example.org",
  });
  const app = await createApp({ config, log: pino({ level: "silent" }), now, random });
  try {
    return { url: await app.start(), stop: () => app.stop() };
  } catch (error) {
    await app.stop();
    throw error;
  }
}
