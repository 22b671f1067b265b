import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** One run of the fuzzer against a server. */
export interface FuzzerRun {
  /** Path of the program that `npm run schema-fuzzer` installs. */
  readonly program: string;
  /** Folder for the fuzzer's configuration, cache and report. */
  readonly folder: string;
  /** URL of the server, whose `/openapi.json` describes the operations. */
  readonly url: string;
  /** The fuzzer's configuration in TOML: credentials and enabled operations. */
  readonly config: string;
  readonly maxSeconds: number;
  readonly seed: number;
}

/** A check that a response failed. */
export interface Finding {
  /** The fuzzer's name of the check, such as `not_a_server_error`. */
  readonly check: string;
  /** Method and path, such as `POST /api/v1/notify`. */
  readonly operation: string;
  /** The fuzzer's description of the failure. */
  readonly message: string;
  /** Status of the response; 0 if there was none. */
  readonly status: number;
  /** Message, code and field of an error response; null if absent. */
  readonly errorMessage: string | null;
  readonly code: string | null;
  readonly field: string | null;
  /** The start of the request, to reproduce the fault. */
  readonly request: string;
  /** The complete body of the request. */
  readonly body: string;
}

/** The result of a run. */
export interface FuzzerReport {
  readonly cases: number;
  /** Number of requests per status of the response; 0 counts requests without one. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly checks: number;
  readonly findings: readonly Finding[];
}

/** Time of a run beyond its budget: start-up, the last request and the report. */
const MARGIN_MS = 60_000;
/** Maximum number of a request's characters in a finding. */
const REQUEST_EXCERPT_MAX = 600;

/** Runs the fuzzer against a server until its time is up; throws if it fails. */
export async function runFuzzer(run: FuzzerRun): Promise<FuzzerReport> {
  const { program, folder, url, config, maxSeconds, seed } = run;
  const configPath = join(folder, "fuzzer.toml");
  const reportPath = join(folder, "report.ndjson");
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
    // These checks concern how quickly the fuzzer generates requests.
    "--suppress-health-check=all",
    `--report-ndjson-path=${reportPath}`,
  ];
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: maxSeconds * 1_000 + MARGIN_MS,
  });
  let outputText = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (outputText += text));
  }
  const [code] = await once(child, "close");
  // Exit code 1 means findings; the report has the details.
  if (code !== 0 && code !== 1) throw new Error(`The fuzzer ended with ${code}:\n${outputText}`);
  return readReport(await readFile(reportPath, "utf8"), outputText);
}

/** An event of the report, with only the fields used here. */
interface ReportEvent {
  readonly EngineFinished?: object;
  readonly FatalError?: unknown;
  readonly NonFatalError?: unknown;
  readonly ScenarioFinished?: { readonly recorder?: Recorder };
}

interface Recorder {
  readonly label: string;
  readonly checks?: Readonly<Record<string, readonly Check[]>>;
  readonly interactions?: Readonly<Record<string, RecordedExchange>>;
}

interface Check {
  readonly name: string;
  readonly status: string;
  readonly failure_info?: {
    readonly failure: { readonly operation: string; readonly message: string };
  };
}

interface RecordedExchange {
  readonly request: { readonly method: string; readonly uri: string; readonly body?: Bytes };
  readonly response?: { readonly status_code: number; readonly content?: Bytes };
}

interface Bytes {
  readonly $base64: string;
}

function readReport(text: string, outputText: string): FuzzerReport {
  const events: readonly ReportEvent[] = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  const errors = events.filter((event) => "FatalError" in event || "NonFatalError" in event);
  if (errors.length > 0) throw new Error(`The fuzzer failed: ${JSON.stringify(errors)}`);
  if (!events.some((event) => "EngineFinished" in event)) {
    throw new Error(`The fuzzer did not finish:\n${outputText}`);
  }
  const recorders = events.flatMap(({ ScenarioFinished }) => ScenarioFinished?.recorder ?? []);
  const exchanges = recorders.flatMap((recorder) => Object.values(recorder.interactions ?? {}));
  const statuses = new Map<number, number>();
  for (const { response } of exchanges) {
    const status = response?.status_code ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const checks = recorders.flatMap(({ checks: byCase = {} }) => Object.values(byCase).flat());
  return {
    cases: exchanges.length,
    statuses,
    checks: checks.length,
    findings: recorders.flatMap(toFindings),
  };
}

function toFindings({
  label,
  checks = {},
  interactions: exchanges = {},
}: Recorder): readonly Finding[] {
  return Object.entries(checks).flatMap(([caseId, caseChecks]) =>
    caseChecks
      .filter(({ status }) => status !== "success")
      .map(({ name, failure_info }) => {
        const exchange = exchanges[caseId];
        const responseText = decodeText(exchange?.response?.content);
        const status = exchange?.response?.status_code ?? 0;
        const { method = "", uri = "", body } = exchange?.request ?? {};
        return {
          check: name,
          operation: failure_info?.failure.operation ?? label,
          message: failure_info?.failure.message ?? "",
          status,
          ...parseError(responseText),
          request: `${method} ${uri} ${decodeText(body)}`.slice(0, REQUEST_EXCERPT_MAX),
          body: decodeText(body),
        };
      }),
  );
}

function decodeText(bytes: Bytes | undefined): string {
  return Buffer.from(bytes?.$base64 ?? "", "base64").toString();
}

function parseError(responseText: string): Pick<Finding, "errorMessage" | "code" | "field"> {
  const { message = null, error = {} } = responseText.startsWith("{")
    ? JSON.parse(responseText)
    : {};
  if (typeof error === "string") return { errorMessage: message, code: error, field: null };
  const { code = null, field = null } = error;
  return { errorMessage: message, code, field };
}
