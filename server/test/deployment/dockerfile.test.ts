import assert from "node:assert/strict";
import test from "node:test";
import { validate } from "dockerfile-utils";
import { contextFiles, dockerfile, stagesOf, startOf } from "../support/image.ts";

const text = dockerfile();
const stages = stagesOf(text);

/** No Docker engine runs where these tests do: what is said here is read from the file, and a journey runs its steps. */
test("the Dockerfile is one, without warnings", (t) => {
  t.diagnostic(
    "No image is built here: server/test/journeys/image.journey.ts runs the steps of the Dockerfile without an engine.",
  );
  assert.deepEqual(
    validate(text).map(({ message, range }) => [range.start.line + 1, message]),
    [],
  );
  assert.notDeepEqual(validate(text.replace("WORKDIR /app", "WORKDIR app\nWORKDR x")), []);
});

test("every source that the Dockerfile copies is there and goes to the build", () => {
  const files = contextFiles();
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
        const isThere = files.some((file) => file === source || file.startsWith(`${source}/`));
        assert.ok(isThere, `${name}: ${source}`);
      }
    }
  }
});

test("no settings, secrets, tests or leftovers go to the build", () => {
  const files = contextFiles();
  assert.ok(files.includes("server/src/main.ts"));
  const foreign =
    /(^|\/)(\.env.*|\.git|data|node_modules|dist|test|bench)(\/|$)|\.(test|fixture|journey)\.ts$|\.(pem|key|p8|db)$/;
  assert.deepEqual(
    files.filter((file) => foreign.test(file)),
    [],
  );
});

test("the image runs as a user without rights, starts without a shell, and says whether it is well", () => {
  const last = stages.at(-1);
  const users = last?.steps.flatMap((step) => (step.kind === "user" ? [step.name] : [])) ?? [];
  assert.deepEqual(users, ["node"]);
  const { entrypoint, command, healthcheck } = startOf(text);
  assert.deepEqual([...entrypoint, ...command], ["node", "cli/src/main.ts", "serve"]);
  assert.deepEqual(healthcheck.slice(0, 2), ["node", "-e"]);
  assert.match(text, /^STOPSIGNAL SIGTERM$/m);
});

test("the image says what it is, names no secret, and takes everything at exact versions", () => {
  const { labels } = startOf(text);
  for (const name of ["title", "description", "licenses", "version", "revision"]) {
    assert.ok(labels[`org.opencontainers.image.${name}`], name);
  }
  const named = stages.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === "env" ? [step.name] : [])),
  );
  assert.deepEqual(
    named.filter((name) => /PASSWORD|SECRET|TOKEN|KEY|CREDENTIALS|URL/.test(name)),
    [],
  );
  for (const { from } of stages) assert.ok(/:\d+\.\d+\.\d+/.test(from) || from === "base", from);
  assert.doesNotMatch(text, /^ADD\b|npm install|apt-get|curl|wget|COPY \. /m);
});
