import type { ProviderName } from "@tocsin/sdk";
import type { Config } from "#config/config.ts";
import { perform, type Check } from "./check.ts";
import { checksFor, machineChecks, providerChecks } from "./checks.ts";
import { readConfiguration } from "./configuration.ts";
import type { Examination } from "./examination.ts";
import type { Finding } from "./finding.ts";

/**
 * Checks everything that a server with this configuration needs, concurrently, and yields each finding as soon as it is
 * known, always in the same order. Changes nothing, sends nothing to a device, and no finding contains a secret.
 */
export async function* examine(examination: Examination): AsyncGenerator<Finding> {
  const { config, findings } = readConfiguration(examination.loadConfig);
  yield* findings;
  if (config === null) return;
  // All checks begin here, whichever is reported first.
  const underWay = checksFor(config, examination).map(perform);
  for (const found of underWay) yield* await found;
}

/** Returns the findings about one provider: its settings, and whether its services accept them. */
export function examineProvider(
  provider: ProviderName,
  { config, ...examination }: Omit<Examination, "loadConfig"> & { readonly config: Config },
): Promise<readonly Finding[]> {
  return performAll(providerChecks(provider, config, examination));
}

/** Returns the findings about a running server's surroundings on its machine; contacts no other machine. */
export function examineMachine(
  config: Config,
  contact: NonNullable<Examination["contact"]>,
): Promise<readonly Finding[]> {
  return performAll(machineChecks(config, contact));
}

async function performAll(checks: readonly Check[]): Promise<readonly Finding[]> {
  return (await Promise.all(checks.map(perform))).flat();
}
