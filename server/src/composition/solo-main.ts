import { serveAttempts } from "#delivery/solo/serve.ts";
import { createPackedProviders, type SoloSettings } from "./solo-settings.ts";

// Others get to see the crash reports that Node writes, and the environment holds secrets.
process.report.excludeEnv = true;

const elapsed = () => performance.now();

/** The quarantine process, which makes attempts that may end it; the server forks it when one is needed. */
serveAttempts({
  createProviders: (settings, now) =>
    // Packed by the server itself.
    createPackedProviders(settings as SoloSettings, { now, elapsed, random: Math.random }),
  clock: Date.now,
});
