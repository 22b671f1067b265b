import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** One run of the fuzzer against a server. */
export interface FuzzerRun {
  /** The program, as `npm run schema-fuzzer` installs it. */
  readonly program: string;
  /** Where its configuration, its memory and its report are put. */
  readonly folder: string;
  /** Of the server, whose `/openapi.json` says what there is to ask. */
  readonly url: string;
  /** Its configuration in TOML: credentials, and which operations are asked. */
  readonly config: string;
  readonly maxSeconds: number;
  readonly seed: number;
}

/** A check that an answer did not pass. */
export interface Finding {
  /** As the fuzzer names it, such as `not_a_server_error`. */
  readonly check: string;
  /** Such as `POST /api/v1/notify`. */
  readonly operation: string;
  /** The fuzzer's output. */
  readonly message: string;
  readonly status: number;
  /** The error's message, code and field, where the answer is an error that has them. */
  readonly said: string | null;
  readonly code: string | null;
  readonly field: string | null;
  /** The request, for whoever mends it. */
  readonly request: string;
  /** The complete response to the request. */
  readonly body: string;
}

/** The result of a run. */
export interface FuzzerReport {
  readonly cases: number;
  /** How many answers had each status. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly checks: number;
  readonly findings: readonly Finding[];
}

/** Time that a run takes beyond its budget: its start, a last request, its report. */
const MARGIN_MS = 60_000;
const SHOWN_MAX = 600;

/** Lets the fuzzer ask a server until its time is up; throws where it could not do its work. */
export async function runFuzzer(given: FuzzerRun): Promise<FuzzerReport> {
  const { program, folder, url, config, maxSeconds, seed } = given;
  const [configPath, reportPath] = [join(folder, "fuzzer.toml"), join(folder, "report.ndjson")];
  await writeFile(configPath, config);
  const args = [
    `--config-file=${configPath}`,
    "run",
    `${url}/openapi.json`,
    `--max-time=${maxSeconds}`,
    `--seed=${seed}`,
    "--checks=all",
    "--continue-on-failure",
    "--no-shrink",
    // They are about how quickly the fuzzer makes its requests.
    "--suppress-health-check=all",
    `--report-ndjson-path=${reportPath}`,
  ];
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: maxSeconds * 1_000 + MARGIN_MS,
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  }
  const [code] = await once(child, "close");
  // 1 says that there are findings, which the report tells in detail.
  if (code !== 0 && code !== 1) throw new Error(`The fuzzer ended with ${code}:\n${printed}`);
  return readReport(await readFile(reportPath, "utf8"), printed);
}

/** An event of the report, as far as we read it. */
interface Event {
  readonly EngineFinished?: object;
  readonly FatalError?: unknown;
  readonly NonFatalError?: unknown;
  readonly ScenarioFinished?: { readonly recorder?: Recorder };
}

interface Recorder {
  readonly label: string;
  readonly checks?: Readonly<Record<string, readonly Check[]>>;
  readonly interactions?: Readonly<Record<string, Interaction>>;
}

interface Check {
  readonly name: string;
  readonly status: string;
  readonly failure_info?: {
    readonly failure: { readonly operation: string; readonly message: string };
  };
}

interface Interaction {
  readonly request: { readonly method: string; readonly uri: string; readonly body?: Bytes };
  readonly response?: { readonly status_code: number; readonly content?: Bytes };
}

interface Bytes {
  readonly $base64: string;
}

function readReport(text: string, printed: string): FuzzerReport {
  const events: readonly Event[] = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  const errors = events.filter((event) => "FatalError" in event || "NonFatalError" in event);
  if (errors.length > 0) throw new Error(`The fuzzer failed: ${JSON.stringify(errors)}`);
  if (!events.some((event) => "EngineFinished" in event)) {
    throw new Error(`The fuzzer did not come to its end:\n${printed}`);
  }
  const recorders = events.flatMap(({ ScenarioFinished }) => ScenarioFinished?.recorder ?? []);
  const answers = recorders.flatMap(({ interactions = {} }) => Object.values(interactions));
  const statuses = new Map<number, number>();
  for (const { response } of answers) {
    const status = response?.status_code ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const checks = recorders.flatMap(({ checks: made = {} }) => Object.values(made).flat());
  return {
    cases: answers.length,
    statuses,
    checks: checks.length,
    findings: recorders.flatMap(findingsOf),
  };
}

function findingsOf({ label, checks = {}, interactions = {} }: Recorder): readonly Finding[] {
  return Object.entries(checks).flatMap(([id, made]) =>
    made
      .filter(({ status }) => status !== "success")
      .map(({ name, failure_info }) => {
        const exchange = interactions[id];
        const answer = textOf(exchange?.response?.content);
        const status = exchange?.response?.status_code ?? 0;
        const { method = "", uri = "", body } = exchange?.request ?? {};
        return {
          check: name,
          operation: failure_info?.failure.operation ?? label,
          message: failure_info?.failure.message ?? "",
          status,
          ...errorIn(answer),
          request: `${method} ${uri} ${textOf(body)}`.slice(0, SHOWN_MAX),
          body: textOf(body),
        };
      }),
  );
}

function textOf(bytes: Bytes | undefined): string {
  return Buffer.from(bytes?.$base64 ?? "", "base64").toString();
}

function errorIn(answer: string): Pick<Finding, "said" | "code" | "field"> {
  const { message = null, error = {} } = answer.startsWith("{") ? JSON.parse(answer) : {};
  if (typeof error === "string") return { said: message, code: error, field: null };
  const { code = null, field = null } = error;
  return { said: message, code, field };
}
