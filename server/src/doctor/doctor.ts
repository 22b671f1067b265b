import type { PushProviderName } from "@tocsin/sdk";
import type { Config } from "#config/config.ts";
import { runCheck, type Check } from "./check.ts";
import { createChecks, createMachineChecks, createProviderChecks } from "./checks.ts";
import { checkConfiguration } from "./configuration.ts";
import type { DoctorDeps } from "./doctor-deps.ts";
import type { Finding } from "./finding.ts";

/**
 * Runs all checks of a configuration concurrently, and yields the findings in a fixed order, each as soon as possible.
 * Changes nothing, sends nothing to a device, and reveals no secret.
 */
export async function* examine(deps: DoctorDeps): AsyncGenerator<Finding> {
  const { config, findings } = checkConfiguration(deps.loadConfig);
  yield* findings;
  if (config === null) return;
  // All checks start before the first one is reported.
  const pendingFindings = createChecks(config, deps).map(runCheck);
  for (const findingsOfCheck of pendingFindings) yield* await findingsOfCheck;
}

/** Checks the settings of one provider, and whether its services accept them. */
export function examineProvider(
  provider: PushProviderName,
  { config, ...deps }: Omit<DoctorDeps, "loadConfig"> & { readonly config: Config },
): Promise<readonly Finding[]> {
  return runAll(createProviderChecks(provider, config, deps));
}

/** Checks a running server, without contacting other machines than that of the database. */
export function examineMachine(
  config: Config,
  getContact: NonNullable<DoctorDeps["getContact"]>,
): Promise<readonly Finding[]> {
  return runAll(createMachineChecks(config, getContact));
}

async function runAll(checks: readonly Check[]): Promise<readonly Finding[]> {
  return (await Promise.all(checks.map(runCheck))).flat();
}
