import { ConfigError, loadConfig, type Config } from "#config/config.ts";
import { fail, ok, warn, type Finding } from "./finding.ts";

/** The configuration, null if it is invalid, and the findings about it. */
export interface ConfigurationCheck {
  readonly config: Config | null;
  readonly findings: readonly Finding[];
}

const SUBJECT = "configuration";

/** Reads the configuration and returns each of its problems as a finding. */
export function checkConfiguration(load: () => Config = loadConfig): ConfigurationCheck {
  try {
    const config = load();
    return { config, findings: [{ subject: SUBJECT, ...ok("Every setting is valid.") }] };
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
  return fail(`${name} is missing or invalid.`, problem);
}

const NOT_CHECKED = warn(
  "Nothing else was checked: every other check needs the configuration.",
  "Fix the configuration, then run tocsin doctor again.",
);
