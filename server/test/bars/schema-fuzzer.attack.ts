import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { findSchemaFuzzer } from "../../../scripts/schema-fuzzer.ts";
import { addDevice, startPush } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { linkToken } from "../support/link-token.ts";
import { unlessInCi } from "../support/program.ts";
import { startServerProcess } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { sizeOf, tellFigure } from "./bar.ts";
import { excuseOf } from "./excused-findings.ts";
import { runFuzzer, type FuzzerReport, type Finding } from "./schema-fuzzer.ts";

const SEED = 20_261_123;
/** More of them say nothing new. */
const SHOWN_MAX = 40;
const PASSWORD = "password of Ann";

interface Target {
  readonly url: string;
  readonly key: string;
  readonly groupId: string;
  readonly token: string;
  /** The value of the session's cookie. */
  readonly session: string;
}

/** A server of one person, who administers it, with a device that a push service of ours takes messages for. */
async function start(t: TestContext): Promise<Target> {
  const push = await startPush(t);
  let printed = "";
  const { url } = await startServerProcess(t, {
    environment: {
      TOCSIN_DATA_DIR: await temporaryFolder(t),
      // Its own refusals would hide what it answers.
      TOCSIN_RATE_LIMIT_PER_S: "0",
      TOCSIN_SIGN_UP: "invite",
      TOCSIN_WEBPUSH_ALLOW_ORIGINS: `http://127.0.0.1:${push.port}`,
      TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
    },
    onOutput: (text) => (printed += text),
  });
  // The link is printed once the server listens.
  const link = await eventually(async () => /https?:\/\/\S+#\S+/.exec(printed)?.[0] ?? "", Boolean);
  const token = linkToken(link);
  const client = createClient({ baseUrl: url });
  await client.signUp({ email: "ann@example.org", name: "Ann", password: PASSWORD, token });
  const { device } = await addDevice({ push }, { client });
  const { id: groupId } = await client.groups.create({ name: "Desk", deviceIds: [device.id] });
  const { key } = await client.keys.create({ kind: "account" });
  const issued = await client.accessTokens.create({ label: "fuzzer" });
  return { url, key, groupId, token: issued.token, session: await openSession(url) };
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

/** Operations that are not asked at all, or only at last, as what they do would end the run. */
const LEFT_OUT = [
  ["live", "it never ends; live.test.ts reads it"],
  ["validateProvider", "it asks push services of others"],
] as const;
/** They end sessions and tokens, after which all else would be 401. */
const ENDING = ["deleteMe", "signOut", "removeSession", "removeOtherSessions", "removeAccessToken"];

interface Part {
  readonly who: string;
  /** Paths that are asked. */
  readonly paths: string;
  readonly auth: (target: Target) => string;
  readonly isEnding: boolean;
  readonly seconds: { readonly short: number; readonly full: number };
  /** Of this many requests at least one in ten is to be granted: else the run says nothing. */
  readonly casesMin: { readonly short: number; readonly full: number };
}

const bySession = ({ session }: Target) => `session = { api_key = "${session}" }`;

const PARTS: readonly Part[] = [
  {
    who: "an API key",
    paths: "^/api/(v1|management)/",
    auth: ({ key }) => `apiKey = { api_key = "${key}" }`,
    isEnding: false,
    seconds: { short: 14, full: 180 },
    casesMin: { short: 20, full: 1_000 },
  },
  {
    who: "an access token",
    paths: "^/api/app/",
    auth: ({ token }) => `accessToken = { bearer = "${token}" }`,
    isEnding: false,
    seconds: { short: 15, full: 360 },
    casesMin: { short: 20, full: 1_000 },
  },
  {
    who: "a session",
    paths: "^/api/(app|auth)/",
    auth: bySession,
    isEnding: false,
    seconds: { short: 15, full: 360 },
    casesMin: { short: 20, full: 1_000 },
  },
  {
    who: "a session, to its end",
    paths: "^/api/(app|auth)/",
    auth: bySession,
    isEnding: true,
    seconds: { short: 12, full: 20 },
    casesMin: { short: 10, full: 50 },
  },
];

/** The operations of a part are enabled, all others are not. */
function configOf(target: Target, { paths, auth, isEnding }: Part): string {
  const names = (ids: readonly string[]) => ids.map((id) => `"${id}"`).join(", ");
  const left = [...LEFT_OUT.map(([id]) => id), ...(isEnding ? [] : ENDING)];
  const off = (filter: string) => `[[operations]]\n${filter}\nenabled = false\n`;
  return [
    `[auth.openapi]\n${auth(target)}\n`,
    `[parameters]\n"path.apiKey" = "${target.key}"\n"path.groupId" = "${target.groupId}"\n`,
    off(`exclude-path-regex = '${paths}'`),
    off(`include-operation-id = [${names(left)}]`),
    isEnding ? off(`exclude-operation-id = [${names(ENDING)}]`) : "",
  ].join("\n");
}

test(
  "a fuzzer that others wrote finds no fault and nothing that the document does not say",
  { timeout: 25 * 60_000 },
  async (t) => {
    const program = findSchemaFuzzer();
    if (program === null) return t.skip(unlessInCi("needs a fuzzer: npm run schema-fuzzer"));
    const target = await start(t);
    const faults = new Map<string, string>();
    const reports: { readonly part: Part; readonly report: FuzzerReport }[] = [];
    for (const [operation, reason] of LEFT_OUT) t.diagnostic(`not asked: ${operation}: ${reason}`);
    for (const part of PARTS) {
      const folder = await temporaryFolder(t);
      const report = await runFuzzer({
        program,
        folder,
        url: target.url,
        config: configOf(target, part),
        maxSeconds: sizeOf(part.seconds),
        seed: SEED,
      });
      reports.push({ part, report });
      for (const finding of report.findings.filter((found) => excuseOf(found) === null)) {
        const { check, operation, status, said, message, request } = finding;
        const fault = `by ${part.who}: ${check} ${operation}: ${status} ${said ?? message}`;
        faults.set(fault, faults.get(fault) ?? request);
      }
    }
    assert.deepEqual([...faults].slice(0, SHOWN_MAX), []);
    for (const { part, report } of reports) tell(t, part, report);
  },
);

/** Tells what a run did; throws where it did too little to say anything. */
function tell(t: TestContext, { who, casesMin }: Part, report: FuzzerReport): void {
  const { cases, checks, findings, statuses } = report;
  const granted = [...statuses].filter(([status]) => status >= 200 && status < 300);
  const grantedCount = granted.reduce((sum, [, count]) => sum + count, 0);
  const least = sizeOf(casesMin);
  assert.ok(cases >= least, `${cases} requests by ${who}`);
  assert.ok(grantedCount * 10 >= least, `${grantedCount} of ${cases} were granted to ${who}`);
  for (const [reason, count] of excused(findings)) t.diagnostic(`${count} × ${reason}`);
  const told = [cases, checks].map((count) => count.toLocaleString("en"));
  tellFigure(t, `by ${who}: ${told[0]} requests, ${told[1]} checks, 0 × 5xx, 0 failures`);
}

/** How many findings each excuse is about. */
function excused(findings: readonly Finding[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const excuse of findings.map(excuseOf)) {
    if (excuse === null) continue;
    const name = `${excuse.check}: ${excuse.reason}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
