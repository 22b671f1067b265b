import { ConfigError, loadConfig, type Config } from "#config/config.ts";
import { fail, ok, warn, type Finding } from "./finding.ts";

/** The configuration, null if it is invalid, and the findings about it. */
export interface Configuration {
  readonly config: Config | null;
  readonly findings: readonly Finding[];
}

const SUBJECT = "configuration";

/** Reads the configuration and returns each of its problems as a finding. */
export function readConfiguration(load: () => Config = loadConfig): Configuration {
  try {
    const config = load();
    return { config, findings: [{ subject: SUBJECT, ...ok("Every setting can be used.") }] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.problems.map((problem) => ({
      subject: SUBJECT,
      ...explainProblem(problem),
    }));
    return { config: null, findings: [...findings, { subject: "other checks", ...NOT_CHECKED }] };
  }
}

/** Converts a problem, which begins with the name of its setting, into a failure. */
function explainProblem(problem: string) {
  const name = problem.slice(0, problem.indexOf(":"));
  return fail(`${name} cannot be used.`, problem);
}

const NOT_CHECKED = warn(
  "Base URL, TLS, clock, database, devices, providers and mail were not checked: all need the configuration.",
  "Fix the configuration, then run tocsin doctor again.",
);
