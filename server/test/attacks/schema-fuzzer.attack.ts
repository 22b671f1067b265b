import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { findSchemaFuzzer } from "../../../scripts/schema-fuzzer.ts";
import { addDevice, startPushService } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { parseLinkToken } from "../support/link-token.ts";
import { throwInCi } from "../support/program.ts";
import { startServerProcess } from "../support/server-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { chooseSize, reportFigure } from "./bar.ts";
import { findExcuse } from "./excused-findings.ts";
import { runFuzzer, type FuzzerReport, type Finding } from "./schema-fuzzer.ts";

const SEED = 20_261_123;
/** Maximum number of faults in the failure message. */
const SHOWN_MAX = 40;
const PASSWORD = "password of Ann";

interface Target {
  readonly url: string;
  readonly key: string;
  readonly groupId: string;
  readonly token: string;
  /** Value of the session cookie. */
  readonly session: string;
}

/** Starts a server with one administrator, who has a device at a simulated push service. */
async function startServer(t: TestContext): Promise<Target> {
  const push = await startPushService(t);
  let serverOutput = "";
  const { url } = await startServerProcess(t, {
    environment: {
      TOCSIN_DATA_DIR: await createTemporaryFolder(t),
      // Rate limits would hide the responses under test.
      TOCSIN_RATE_LIMIT_PER_S: "0",
      TOCSIN_SIGN_UP: "invite",
      TOCSIN_WEBPUSH_ALLOW_ORIGINS: `http://127.0.0.1:${push.port}`,
      TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
    },
    onOutput: (text) => (serverOutput += text),
  });
  // The server prints the link when it listens.
  const link = await eventually(
    async () => /https?:\/\/\S+#\S+/.exec(serverOutput)?.[0] ?? "",
    Boolean,
  );
  const token = parseLinkToken(link);
  const client = createClient({ baseUrl: url });
  await client.signUp({ email: "ann@example.org", name: "Ann", password: PASSWORD, token });
  const { device } = await addDevice({ push }, { client });
  const { id: groupId } = await client.groups.create({ name: "Desk", deviceIds: [device.id] });
  const { key } = await client.keys.create({ kind: "account" });
  const createdToken = await client.accessTokens.create({ label: "fuzzer" });
  return { url, key, groupId, token: createdToken.token, session: await openSession(url) };
}

async function openSession(url: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ann@example.org", password: PASSWORD }),
  });
  const [cookie = ""] = response.headers.getSetCookie();
  return cookie.split(";")[0]?.split("=")[1] ?? "";
}

/** Operations that the fuzzer skips, with the reasons. */
const SKIPPED = [
  ["live", "its response never ends; live.test.ts covers it"],
  ["validateProvider", "it sends requests to real push services"],
] as const;
/** Operations that end sessions and tokens, so that all later requests would be 401; they run last. */
const SESSION_ENDING = [
  "deleteMe",
  "signOut",
  "removeSession",
  "removeOtherSessions",
  "removeAccessToken",
];

interface FuzzerPart {
  readonly caller: string;
  /** Pattern of the tested paths. */
  readonly paths: string;
  readonly auth: (target: Target) => string;
  /** Whether the part runs only the operations that end sessions. The other parts run all others. */
  readonly endsSessions: boolean;
  readonly seconds: { readonly short: number; readonly full: number };
  /** Minimum number of requests, at least a tenth of them granted: a smaller run proves nothing. */
  readonly casesMin: { readonly short: number; readonly full: number };
}

const authorizeBySession = ({ session }: Target) => `session = { api_key = "${session}" }`;

const PARTS: readonly FuzzerPart[] = [
  {
    caller: "an API key",
    paths: "^/api/(v1|management)/",
    auth: ({ key }) => `apiKey = { api_key = "${key}" }`,
    endsSessions: false,
    seconds: { short: 14, full: 180 },
    casesMin: { short: 20, full: 1_000 },
  },
  {
    caller: "an access token",
    paths: "^/api/app/",
    auth: ({ token }) => `accessToken = { bearer = "${token}" }`,
    endsSessions: false,
    seconds: { short: 15, full: 360 },
    casesMin: { short: 20, full: 1_000 },
  },
  {
    caller: "a session",
    paths: "^/api/(app|auth)/",
    auth: authorizeBySession,
    endsSessions: false,
    seconds: { short: 15, full: 360 },
    casesMin: { short: 20, full: 1_000 },
  },
  {
    caller: "a session, to its end",
    paths: "^/api/(app|auth)/",
    auth: authorizeBySession,
    endsSessions: true,
    seconds: { short: 12, full: 20 },
    casesMin: { short: 10, full: 50 },
  },
];

/** Returns a configuration that enables only the part's operations. */
function buildConfig(target: Target, { paths, auth, endsSessions }: FuzzerPart): string {
  const quoteIds = (ids: readonly string[]) => ids.map((id) => `"${id}"`).join(", ");
  const skippedIds = [...SKIPPED.map(([id]) => id), ...(endsSessions ? [] : SESSION_ENDING)];
  const disable = (filter: string) => `[[operations]]\n${filter}\nenabled = false\n`;
  return [
    `[auth.openapi]\n${auth(target)}\n`,
    `[parameters]\n"path.apiKey" = "${target.key}"\n"path.groupId" = "${target.groupId}"\n`,
    // A long poll of up to 60 s outlasts the fuzzer's read timeout of 10 s.
    `"query.wait" = "0"\n`,
    disable(`exclude-path-regex = '${paths}'`),
    disable(`include-operation-id = [${quoteIds(skippedIds)}]`),
    endsSessions ? disable(`exclude-operation-id = [${quoteIds(SESSION_ENDING)}]`) : "",
  ].join("\n");
}

test(
  "a schema fuzzer finds no server error and no undocumented response",
  { timeout: 25 * 60_000 },
  async (t) => {
    const program = findSchemaFuzzer();
    if (program === null) return t.skip(throwInCi("needs a fuzzer: npm run schema-fuzzer"));
    const target = await startServer(t);
    const faults = new Map<string, string>();
    const reports: { readonly part: FuzzerPart; readonly report: FuzzerReport }[] = [];
    for (const [operation, reason] of SKIPPED) t.diagnostic(`skipped: ${operation}: ${reason}`);
    for (const part of PARTS) {
      const folder = await createTemporaryFolder(t);
      const report = await runFuzzer({
        program,
        folder,
        url: target.url,
        config: buildConfig(target, part),
        maxSeconds: chooseSize(part.seconds),
        seed: SEED,
      });
      reports.push({ part, report });
      for (const finding of report.findings.filter((finding) => findExcuse(finding) === null)) {
        const { check, operation, status, errorMessage, message, request } = finding;
        const fault = `by ${part.caller}: ${check} ${operation}: ${status} ${errorMessage ?? message}`;
        faults.set(fault, faults.get(fault) ?? request);
      }
    }
    assert.deepEqual([...faults].slice(0, SHOWN_MAX), []);
    for (const { part, report } of reports) reportRun(t, part, report);
  },
);

/** Reports the figures of a run; throws if it made too few requests. */
function reportRun(t: TestContext, { caller, casesMin }: FuzzerPart, report: FuzzerReport): void {
  const { cases, checks, findings, statuses } = report;
  const grantedStatuses = [...statuses].filter(([status]) => status >= 200 && status < 300);
  const grantedCount = grantedStatuses.reduce((sum, [, count]) => sum + count, 0);
  const minimum = chooseSize(casesMin);
  assert.ok(cases >= minimum, `${cases} requests by ${caller}`);
  assert.ok(grantedCount * 10 >= minimum, `${grantedCount} of ${cases} were granted to ${caller}`);
  for (const [reason, count] of countExcused(findings)) t.diagnostic(`${count} × ${reason}`);
  const counts = [cases, checks].map((count) => count.toLocaleString("en"));
  reportFigure(t, `by ${caller}: ${counts[0]} requests, ${counts[1]} checks, 0 × 5xx, 0 failures`);
}

/** Counts the findings per excuse. */
function countExcused(findings: readonly Finding[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const excuse of findings.map(findExcuse)) {
    if (excuse === null) continue;
    const name = `${excuse.check}: ${excuse.reason}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
