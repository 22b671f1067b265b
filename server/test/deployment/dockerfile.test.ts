import assert from "node:assert/strict";
import test from "node:test";
import { validate } from "dockerfile-utils";
import {
  listContextFiles,
  readDockerfile,
  parseStages,
  parseImageConfiguration,
} from "../support/dockerfile.ts";

const text = readDockerfile();
const stages = parseStages(text);

// These tests only read the file, because they run without a Docker engine. A journey runs the steps.
test("the Dockerfile is valid and has no warnings", (t) => {
  t.diagnostic(
    "No image is built here: server/test/journeys/image.journey.ts runs the steps of the Dockerfile without an engine.",
  );
  assert.deepEqual(
    validate(text).map(({ message, range }) => [range.start.line + 1, message]),
    [],
  );
  assert.notDeepEqual(validate(text.replace("WORKDIR /app", "WORKDIR app\nWORKDR x")), []);
});

test("every source that the Dockerfile copies exists and is part of the build context", () => {
  const files = listContextFiles();
  for (const { name, steps } of stages) {
    for (const step of steps) {
      if (step.kind !== "copy") continue;
      if (step.from !== null)
        assert.ok(
          stages.some((stage) => stage.name === step.from),
          step.from,
        );
      const sources = step.from === null ? step.sources : [];
      for (const source of sources) {
        const exists = files.some((file) => file === source || file.startsWith(`${source}/`));
        assert.ok(exists, `${name}: ${source}`);
      }
    }
  }
});

test("the build context has no settings, secrets, tests or generated files", () => {
  const files = listContextFiles();
  assert.ok(files.includes("server/src/main.ts"));
  const excluded =
    /(^|\/)(\.env.*|\.git|data|node_modules|dist|test|bench)(\/|$)|\.(test|fixture|journey)\.ts$|\.(pem|key|p8|db)$/;
  assert.deepEqual(
    files.filter((file) => excluded.test(file)),
    [],
  );
});

test("the image runs as an unprivileged user, starts without a shell and has a health check", () => {
  const last = stages.at(-1);
  const users = last?.steps.flatMap((step) => (step.kind === "user" ? [step.name] : [])) ?? [];
  assert.deepEqual(users, ["node"]);
  const { entrypoint, command, healthcheck } = parseImageConfiguration(text);
  // The condition selects the bundle, which the build stage writes.
  assert.deepEqual(
    [...entrypoint, ...command],
    ["node", "--conditions=bundled", "cli/src/main.ts", "serve"],
  );
  assert.deepEqual(healthcheck.slice(0, 2), ["node", "-e"]);
  assert.match(text, /^STOPSIGNAL SIGTERM$/m);
});

test("the image has labels, no secrets and exact versions", () => {
  const { labels } = parseImageConfiguration(text);
  for (const name of ["title", "description", "licenses", "version", "revision"]) {
    assert.ok(labels[`org.opencontainers.image.${name}`], name);
  }
  const variableNames = stages.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === "env" ? [step.name] : [])),
  );
  assert.deepEqual(
    variableNames.filter((name) => /PASSWORD|SECRET|TOKEN|KEY|CREDENTIALS|URL/.test(name)),
    [],
  );
  for (const { from } of stages) assert.ok(/:\d+\.\d+\.\d+/.test(from) || from === "base", from);
  assert.doesNotMatch(text, /^ADD\b|npm install|apt-get|curl|wget|COPY \. /m);
});
