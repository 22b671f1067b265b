import { serveAttempts } from "#delivery/solo/serve.ts";
import { createPackedProviders, type SoloSettings } from "./solo-settings.ts";

// What Node writes of a crash is shown to others; the environment holds secrets.
process.report.excludeEnv = true;

/** The process that makes attempts which may end it; the server forks it where one is needed. */
serveAttempts({
  createProviders: (settings, now) =>
    // Packed by the server itself.
    createPackedProviders(settings as SoloSettings, { now, random: Math.random }),
  clock: Date.now,
});
