import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "#config/config.ts";
import { ON_CURRENT_SCHEMA } from "../../test/support/database.ts";
import {
  MAIL_PASSWORD,
  realNow,
  startLocalDeployment,
} from "../../test/support/local-deployment.ts";
import { examine } from "./doctor.ts";
import type { NetworkOverrides } from "./doctor-deps.ts";

test(
  "a healthy installation fails no check, and its findings have a fixed order",
  ON_CURRENT_SCHEMA,
  async (t) => {
    const { app, mail, environment, networkOverrides } = await startLocalDeployment(t);
    const findings = await examineAll(environment, networkOverrides);
    assert.deepEqual(
      findings.map(({ subject, status }) => `${subject}: ${status}`),
      [
        "configuration: ok",
        // The base URL is on this machine, and its certificate is valid for one day.
        "base URL: warn",
        "TLS: warn",
        "server: ok",
        "websocket: ok",
        "clock: ok",
        "data folder: ok",
        "disk: ok",
        "database: ok",
        "devices: ok",
        "master key: ok",
        "webpush keys: ok",
        "webpush contact: ok",
        "webpush reach: ok",
        "apns: ok",
        "fcm: ok",
        "mail: ok",
      ],
    );
    for (const { status, message, mend: remedy } of findings) {
      assert.match(message, /^\S.*\.$/);
      assert.equal(remedy === null, status === "ok");
    }
    assert.ok(!JSON.stringify(findings).includes(MAIL_PASSWORD));
    assert.deepEqual(mail.mails, []);
    assert.deepEqual(app.push.requests, []);
  },
);

test("an invalid configuration reports every problem and skips the other checks", async () => {
  const findings = await examineAll({ TOCSIN_PORT: "a", TOCSIN_SIGN_UP: "b" }, {});
  assert.deepEqual(
    findings.map(({ subject, status, mend: remedy }) => [subject, status, remedy]),
    [
      ["configuration", "fail", "TOCSIN_PORT: give a whole number from 0 to 65535."],
      ["configuration", "fail", "TOCSIN_SIGN_UP: give one of open, invite, closed."],
      ["other checks", "warn", "Fix the configuration, then run tocsin doctor again."],
    ],
  );
});

test("a finding is reported while later checks still run", async (t) => {
  const { environment, networkOverrides } = await startLocalDeployment(t);
  const { connect } = networkOverrides.webPush;
  const gate = Promise.withResolvers<void>();
  const delayedConnect: typeof connect = (options, callback) => {
    void gate.promise.then(() => connect(options, callback));
  };
  const findings = examineWith(environment, {
    ...networkOverrides,
    webPush: { connect: delayedConnect },
  });
  for (const subject of ["configuration", "base URL", "TLS", "server", "websocket"]) {
    assert.equal((await findings.next()).value?.subject, subject);
  }
  gate.resolve();
  const { value: clock } = await findings.next();
  assert.deepEqual([clock?.subject, clock?.status], ["clock", "ok"]);
});

test("with a plain http base URL, the server is checked, but no certificate", async (t) => {
  const { app, environment, networkOverrides } = await startLocalDeployment(t);
  const findings = await examineAll({ ...environment, TOCSIN_BASE_URL: app.url }, networkOverrides);
  assert.equal(
    findings.find(({ subject }) => subject === "TLS"),
    undefined,
  );
  assert.equal(findings.find(({ subject }) => subject === "server")?.status, "ok");
});

function examineWith(
  environment: Readonly<Record<string, string>>,
  networkOverrides: NetworkOverrides,
) {
  const loadConfig = () => readConfig(environment);
  return examine({
    loadConfig,
    now: realNow,
    elapsed: () => performance.now(),
    random: Math.random,
    ...networkOverrides,
  });
}

function examineAll(
  environment: Readonly<Record<string, string>>,
  networkOverrides: NetworkOverrides,
) {
  return Array.fromAsync(examineWith(environment, networkOverrides));
}
