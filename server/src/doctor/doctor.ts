import type { ProviderName } from "@tocsin/sdk";
import type { Config } from "#config/config.ts";
import { perform, type Check } from "./check.ts";
import { checksFor, machineChecks, providerChecks } from "./checks.ts";
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

/** Returns what a look at one provider found: what is set, and what its services say to it. */
export function examineProvider(
  provider: ProviderName,
  { config, ...examination }: Omit<Examination, "loadConfig"> & { readonly config: Config },
): Promise<readonly Finding[]> {
  return performAll(providerChecks(provider, config, examination));
}

/** Returns what a running server has around it on its machine; nobody else is asked. */
export function examineMachine(
  config: Config,
  contact: NonNullable<Examination["contact"]>,
): Promise<readonly Finding[]> {
  return performAll(machineChecks(config, contact));
}

async function performAll(checks: readonly Check[]): Promise<readonly Finding[]> {
  return (await Promise.all(checks.map(perform))).flat();
}
