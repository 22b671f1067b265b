import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";
import { ROOT } from "../../../scripts/files.ts";
import { run } from "../../../scripts/child.mjs";
import { HELLO, send } from "../contract/http-requests.ts";
import { startApp, signUp } from "../support/app.ts";
import { skipUnlessInstalled } from "../support/program.ts";

const PROMTOOL_SKIP_REASON = skipUnlessInstalled("promtool", "prometheus");
const RULES_PATH = "deploy/prometheus/rules.yaml";

/** A server's metrics: the values of each label, by metric name and label name. */
type Metrics = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** Labels that Prometheus adds. */
const PROMETHEUS_LABELS = new Map([["job", "tocsin"]]);
/** Labels that have only a few of their values on a healthy server. */
const LABELS_WITH_OPEN_VALUES = new Set(["status"]);

async function collectMetrics(
  t: TestContext,
): Promise<{ metrics: Metrics; families: readonly string[] }> {
  const app = await startApp(t, { isSingleProcess: true });
  const ann = await signUp(app, "Ann");
  await ann.client.notifyAsync(HELLO);
  await send(app.ownUrl, { path: "/metrics" });
  const { text } = await send(app.ownUrl, { path: "/metrics" });
  const metrics = new Map<string, Map<string, Set<string>>>();
  for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const labelValues = metrics.get(name) ?? new Map<string, Set<string>>();
    metrics.set(name, labelValues);
    for (const [, label = "", value = ""] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      labelValues.set(label, (labelValues.get(label) ?? new Set()).add(value));
    }
  }
  const families = Array.from(text.matchAll(/^# TYPE (\w+) /gm), ([, name = ""]) => name);
  return { metrics, families };
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

function readRules(): readonly Rule[] {
  return parse(readFileSync(join(ROOT, RULES_PATH), "utf8")).groups.flatMap(
    (group: { readonly rules: readonly Rule[] }) => group.rules,
  );
}

function readPanelExpressions(): readonly string[] {
  const { panels } = JSON.parse(readFileSync(join(ROOT, "deploy/grafana/dashboard.json"), "utf8"));
  return panels.flatMap((panel: { readonly targets: readonly { readonly expr: string }[] }) =>
    panel.targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "5m")),
  );
}

/** Returns the errors of an expression: its invalid syntax, and the metrics and labels that the server lacks. */
function findErrors(expr: string, metrics: Metrics): readonly string[] {
  const errors: string[] = [];
  const metricNames: string[] = [];
  const readText = ({ from, to }: { readonly from: number; readonly to: number }) =>
    expr.slice(from, to);
  parser.parse(expr).iterate({
    enter({ type, node }) {
      if (type.isError) errors.push(`syntax error at ${node.from}`);
      if (type.name === "VectorSelector")
        metricNames.push(readText(node.getChild("Identifier") ?? node));
      if (type.name === "UnquotedLabelMatcher") {
        const [label, operator, value] = ["LabelName", "MatchOp", "StringLiteral"].map((name) => {
          const child = node.getChild(name);
          return child === null ? "" : readText(child);
        });
        errors.push(
          ...findMatcherErrors(
            { metric: metricNames.at(-1) ?? "", label, operator, value },
            metrics,
          ),
        );
      }
      if (type.name === "GroupingLabels") {
        const names = node.getChildren("LabelName").map(readText);
        const isKnown = (name: string) =>
          PROMETHEUS_LABELS.has(name) || [...metrics.values()].some((labels) => labels.has(name));
        errors.push(...names.filter((name) => !isKnown(name)).map((name) => `no label ${name}`));
      }
    },
  });
  if (metricNames.length === 0) errors.push("has no metric");
  const unknownNames = metricNames.filter((name) => name !== "up" && !metrics.has(name));
  return [...errors, ...unknownNames.map((name) => `${name} is not exported`)];
}

interface Matcher {
  readonly metric: string;
  readonly label: string | undefined;
  readonly operator: string | undefined;
  readonly value: string | undefined;
}

function findMatcherErrors(
  { metric, label = "", operator = "", value = "" }: Matcher,
  metrics: Metrics,
): readonly string[] {
  const expected = value.slice(1, -1);
  if (PROMETHEUS_LABELS.has(label))
    return PROMETHEUS_LABELS.get(label) === expected
      ? []
      : [`Prometheus never adds ${label}=${expected}`];
  const values = metrics.get(metric)?.get(label);
  if (values === undefined) return [`${metric} has no label ${label}`];
  const pattern = operator.startsWith("=~") ? new RegExp(`^(?:${expected})$`) : null;
  const matches = [...values].some(
    (candidate) => pattern?.test(candidate) ?? candidate === expected,
  );
  return matches || LABELS_WITH_OPEN_VALUES.has(label)
    ? []
    : [`${metric} never has ${label}=${expected}`];
}

test("the rules and the dashboard use only metrics and labels that a server exports", async (t) => {
  const { metrics } = await collectMetrics(t);
  const expressions = [...readRules().map(({ expr }) => expr), ...readPanelExpressions()];
  assert.ok(expressions.length > 15);
  for (const expr of expressions) assert.deepEqual(findErrors(expr, metrics), [], expr);
  for (const invalid of [
    'tocsin_queue_job{job="tocsin"}',
    'tocsin_deliveries_total{job="tocsin", code="expird"}',
    'tocsin_deliveries_total{job="tocsin", status="500"}',
    "sum by (nothing) (tocsin_queue_jobs)",
    "sum(tocsin_queue_jobs",
  ]) {
    assert.notDeepEqual(findErrors(invalid, metrics), [], invalid);
  }
});

test("docs/monitoring.md lists exactly the metrics of a server and the alerts", async (t) => {
  const { families } = await collectMetrics(t);
  const page = readFileSync(join(ROOT, "docs/monitoring.md"), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  const listed = rows.flatMap((row) =>
    Array.from(row.split("|")[1]?.matchAll(/`(\w+)`/g) ?? [], ([, name = ""]) => name),
  );
  const alerts = readRules().map(({ alert }) => alert);
  assert.deepEqual(listed.toSorted(), [...families, ...alerts].toSorted());
});

test("every alert has a runbook", () => {
  for (const { alert, annotations } of readRules()) {
    assert.match(annotations.runbook, /^[A-Z].{30,}\.$/, alert);
    assert.ok(annotations.summary.length > 10, alert);
  }
});

test(
  "promtool accepts the rules, and their tests pass",
  { skip: PROMTOOL_SKIP_REASON },
  async () => {
    for (const args of [
      ["check", "rules", RULES_PATH],
      ["test", "rules", "deploy/prometheus/rules.test.yaml"],
    ]) {
      const { code, output } = await run("promtool", args, {
        cwd: ROOT,
        stdio: ["ignore", "pipe", "pipe"],
      });
      assert.equal(code, 0, output);
    }
  },
);
