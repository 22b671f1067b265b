import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";
import { ROOT } from "../../../scripts/files.ts";
import { run } from "../../../scripts/child.mjs";
import { HELLO, send } from "../contract/ask.ts";
import { startApp, signUp } from "../support/app.ts";
import { missing } from "../support/program.ts";

const skip = missing("promtool", "prometheus");
const RULES = "deploy/prometheus/rules.yaml";

/** A server's metrics: by the name of a series its labels, with the values of each. */
type Said = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** Prometheus itself adds them. */
const OF_PROMETHEUS = new Map([["job", "tocsin"]]);
/** A server that is well says few of its statuses. */
const OPEN_LABELS = new Set(["status"]);

async function read(t: TestContext): Promise<{ said: Said; families: readonly string[] }> {
  const app = await startApp(t, { isOneProcess: true });
  const ann = await signUp(app, "Ann");
  await ann.client.notifyAsync(HELLO);
  await send(app.ownUrl, { path: "/metrics" });
  const { text } = await send(app.ownUrl, { path: "/metrics" });
  const said = new Map<string, Map<string, Set<string>>>();
  for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = said.get(name) ?? new Map<string, Set<string>>();
    said.set(name, known);
    for (const [, label = "", value = ""] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      known.set(label, (known.get(label) ?? new Set()).add(value));
    }
  }
  const families = Array.from(text.matchAll(/^# TYPE (\w+) /gm), ([, name = ""]) => name);
  return { said, families };
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

function rules(): readonly Rule[] {
  return parse(readFileSync(join(ROOT, RULES), "utf8")).groups.flatMap(
    (group: { readonly rules: readonly Rule[] }) => group.rules,
  );
}

function panels(): readonly string[] {
  const { panels: all } = JSON.parse(
    readFileSync(join(ROOT, "deploy/grafana/dashboard.json"), "utf8"),
  );
  return all.flatMap((panel: { readonly targets: readonly { readonly expr: string }[] }) =>
    panel.targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "5m")),
  );
}

/** Returns what is wrong with an expression: that it is none, or names what no server says. */
function faults(expr: string, said: Said): readonly string[] {
  const found: string[] = [];
  const metrics: string[] = [];
  const text = ({ from, to }: { readonly from: number; readonly to: number }) =>
    expr.slice(from, to);
  parser.parse(expr).iterate({
    enter({ type, node }) {
      if (type.isError) found.push(`cannot be read at ${node.from}`);
      if (type.name === "VectorSelector") metrics.push(text(node.getChild("Identifier") ?? node));
      if (type.name === "UnquotedLabelMatcher") {
        const [label, op, value] = ["LabelName", "MatchOp", "StringLiteral"].map((name) => {
          const child = node.getChild(name);
          return child === null ? "" : text(child);
        });
        found.push(...matcherFaults({ metric: metrics.at(-1) ?? "", label, op, value }, said));
      }
      if (type.name === "GroupingLabels") {
        const names = node.getChildren("LabelName").map(text);
        const known = (name: string) =>
          OF_PROMETHEUS.has(name) || [...said.values()].some((labels) => labels.has(name));
        found.push(...names.filter((name) => !known(name)).map((name) => `no label ${name}`));
      }
    },
  });
  if (metrics.length === 0) found.push("names no metric");
  return [...found, ...metrics.filter((name) => name !== "up" && !said.has(name))];
}

interface Matcher {
  readonly metric: string;
  readonly label: string | undefined;
  readonly op: string | undefined;
  readonly value: string | undefined;
}

function matcherFaults(
  { metric, label = "", op = "", value = "" }: Matcher,
  said: Said,
): readonly string[] {
  const plain = value.slice(1, -1);
  if (OF_PROMETHEUS.has(label))
    return OF_PROMETHEUS.get(label) === plain ? [] : [`${label}=${plain}`];
  const known = said.get(metric)?.get(label);
  if (known === undefined) return [`${metric} has no label ${label}`];
  const pattern = op.startsWith("=~") ? new RegExp(`^(?:${plain})$`) : null;
  const isSaid = [...known].some((each) => pattern?.test(each) ?? each === plain);
  return isSaid || OPEN_LABELS.has(label) ? [] : [`${metric} never has ${label}=${plain}`];
}

test("every metric and label of the rules and the dashboard is one that a server says", async (t) => {
  const { said } = await read(t);
  const expressions = [...rules().map(({ expr }) => expr), ...panels()];
  assert.ok(expressions.length > 15);
  for (const expr of expressions) assert.deepEqual(faults(expr, said), [], expr);
  for (const wrong of [
    'tocsin_queue_job{job="tocsin"}',
    'tocsin_deliveries_total{job="tocsin", code="expird"}',
    'tocsin_deliveries_total{job="tocsin", status="500"}',
    "sum by (nothing) (tocsin_queue_jobs)",
    "sum(tocsin_queue_jobs",
  ]) {
    assert.notDeepEqual(faults(wrong, said), [], wrong);
  }
});

test("docs/monitoring.md lists every metric of a server and every alert, and no other", async (t) => {
  const { families } = await read(t);
  const page = readFileSync(join(ROOT, "docs/monitoring.md"), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  const listed = rows.flatMap((row) =>
    Array.from(row.split("|")[1]?.matchAll(/`(\w+)`/g) ?? [], ([, name = ""]) => name),
  );
  const alerts = rules().map(({ alert }) => alert);
  assert.deepEqual(listed.toSorted(), [...families, ...alerts].toSorted());
});

test("every alert says what to do", () => {
  for (const { alert, annotations } of rules()) {
    assert.match(annotations.runbook, /^[A-Z].{30,}\.$/, alert);
    assert.ok(annotations.summary.length > 10, alert);
  }
});

test("promtool takes the rules, and their tests pass", { skip }, async () => {
  for (const args of [
    ["check", "rules", RULES],
    ["test", "rules", "deploy/prometheus/rules.test.yaml"],
  ]) {
    const { code, output } = await run("promtool", args, {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
    });
    assert.equal(code, 0, output);
  }
});
