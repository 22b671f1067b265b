import { perform } from "./check.ts";
import { checksFor } from "./checks.ts";
import { readConfiguration } from "./configuration.ts";
import type { Examination } from "./examination.ts";
import type { Finding } from "./finding.ts";

/**
 * Looks at everything at once that a server with this configuration needs, and yields what it found as soon as it is
 * known, always in the same order. Nothing is changed, nothing is sent to a device, and no finding holds a secret.
 */
export async function* examine(examination: Examination): AsyncGenerator<Finding> {
  const { config, findings } = readConfiguration(examination.loadConfig);
  yield* findings;
  if (config === null) return;
  // All of them begin here, whoever is told first.
  const underWay = checksFor(config, examination).map(perform);
  for (const found of underWay) yield* await found;
}
