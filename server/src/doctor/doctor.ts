import type { ProviderName } from "@tocsin/sdk";
import type { Config } from "#config/config.ts";
import { perform, type Check } from "./check.ts";
import { checksFor, machineChecks, providerChecks } from "./checks.ts";
import { readConfiguration } from "./configuration.ts";
import type { Examination } from "./examination.ts";
import type { Finding } from "./finding.ts";

/**
 * Runs all checks of a configuration concurrently, and yields the findings in a fixed order, each as soon as possible.
 * Changes nothing, sends nothing to a device, and reveals no secret.
 */
export async function* examine(examination: Examination): AsyncGenerator<Finding> {
  const { config, findings } = readConfiguration(examination.loadConfig);
  yield* findings;
  if (config === null) return;
  // All checks start here, before the first is reported.
  const pending = checksFor(config, examination).map(perform);
  for (const findingsOfCheck of pending) yield* await findingsOfCheck;
}

/** Checks the settings of one provider, and whether its services accept them. */
export function examineProvider(
  provider: ProviderName,
  { config, ...examination }: Omit<Examination, "loadConfig"> & { readonly config: Config },
): Promise<readonly Finding[]> {
  return runAll(providerChecks(provider, config, examination));
}

/** Checks a running server without contacting another machine. */
export function examineMachine(
  config: Config,
  contact: NonNullable<Examination["contact"]>,
): Promise<readonly Finding[]> {
  return runAll(machineChecks(config, contact));
}

async function runAll(checks: readonly Check[]): Promise<readonly Finding[]> {
  return (await Promise.all(checks.map(perform))).flat();
}
