import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createDoubleConnector } from "../../test/doubles/double-connector.ts";
import { PushService } from "../../test/doubles/push-service.ts";
import { realNow } from "../../test/support/local-deployment.ts";
import { assessClock } from "./clock.ts";
import { probePushServices, assessReachability } from "./push-services.ts";

const POLICY = { mode: "vendors", extraHosts: [], allowOrigins: [] } as const;
const config = { webPush: POLICY };
const CHROME = "fcm.googleapis.com";
const SAFARI = "web.push.apple.com";
const FIREFOX = "updates.push.services.mozilla.com";

test("any response proves that a push service is reachable, and provides the time", async (t) => {
  const push = await startPushService(t, [CHROME, SAFARI, FIREFOX]);
  const webPush = { connect: createDoubleConnector(push) };
  const services = await probePushServices({ config, webPush, now: realNow });
  const verdict = assessReachability(services);
  assert.equal(verdict.status, "ok", verdict.message);
  assert.match(verdict.message, /fcm\.googleapis\.com, web\.push\.apple\.com and updates\./);
  assert.equal(assessClock(services).status, "ok");
  const lateServices = await probePushServices({
    config,
    webPush,
    now: () => realNow() - 3_600_000,
  });
  assert.match(assessClock(lateServices).message, /60 minutes behind/);
});

test("an unreachable push service is named, and the others still provide the time", async (t) => {
  const push = await startPushService(t, [CHROME, FIREFOX]);
  const webPush = { connect: createDoubleConnector(push) };
  const services = await probePushServices({ config, webPush, now: realNow });
  const verdict = assessReachability(services);
  assert.equal(verdict.status, "fail");
  assert.match(verdict.message, /cannot reach web\.push\.apple\.com \(/);
  assert.match(verdict.mend ?? "", /port 443 of web\.push\.apple\.com\.$/);
  assert.equal(assessClock(services).status, "ok");
});

test("a host name without an address fails, and so does one with a private address", async () => {
  const lookupError = Object.assign(new Error("queryA"), { code: "ENOTFOUND", syscall: "queryA" });
  const failingResolver = { resolve: () => Promise.reject(lookupError) };
  const unresolvedVerdict = assessReachability(
    await probePushServices({ config, webPush: failingResolver, now: realNow }),
  );
  assert.equal(unresolvedVerdict.status, "fail");
  assert.match(unresolvedVerdict.message, /\(ENOTFOUND\)/);
  assert.match(unresolvedVerdict.mend ?? "", /name servers/);
  const privateResolver = { resolve: async () => ["10.0.0.1"] };
  const privateVerdict = assessReachability(
    await probePushServices({ config, webPush: privateResolver, now: realNow }),
  );
  assert.equal(privateVerdict.status, "fail");
  assert.match(privateVerdict.message, /\(not public\)/);
});

async function startPushService(t: TestContext, names: readonly string[]): Promise<PushService> {
  const [first = "", ...furtherNames] = names;
  const push = await PushService.start({ names: [first, ...furtherNames] });
  t.after(() => push.close());
  return push;
}
