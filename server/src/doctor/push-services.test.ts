import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { dialTo } from "../../test/doubles/dial-to.ts";
import { PushService } from "../../test/doubles/push-service.ts";
import { realNow } from "../../test/support/surroundings.ts";
import { judgeClock } from "./clock.ts";
import { askPushServices, judgeReach } from "./push-services.ts";

const POLICY = { mode: "vendors", extraHosts: [], allowOrigins: [] } as const;
const config = { webPush: POLICY };
const [CHROME, SAFARI, FIREFOX] = [
  "fcm.googleapis.com",
  "web.push.apple.com",
  "updates.push.services.mozilla.com",
];

test("push services that answer anything are reachable, and provide the time", async (test) => {
  const push = await start(test, [CHROME, SAFARI, FIREFOX]);
  const webPush = { connect: dialTo(push) };
  const services = await askPushServices({ config, webPush, now: realNow });
  const verdict = judgeReach(services);
  assert.equal(verdict.status, "ok", verdict.message);
  assert.match(verdict.message, /fcm\.googleapis\.com, web\.push\.apple\.com and updates\./);
  assert.equal(judgeClock(services).status, "ok");
  const late = await askPushServices({ config, webPush, now: () => realNow() - 3_600_000 });
  assert.match(judgeClock(late).message, /60 minutes behind/);
});

test("one that is unreachable fails by name, and the others still provide the time", async (test) => {
  const push = await start(test, [CHROME, FIREFOX]);
  const webPush = { connect: dialTo(push) };
  const services = await askPushServices({ config, webPush, now: realNow });
  const verdict = judgeReach(services);
  assert.equal(verdict.status, "fail");
  assert.match(verdict.message, /does not reach web\.push\.apple\.com \(/);
  assert.match(verdict.mend ?? "", /port 443 of web\.push\.apple\.com\.$/);
  assert.equal(judgeClock(services).status, "ok");
});

test("names without a public address are reported as such", async () => {
  const noName = Object.assign(new Error("queryA"), { code: "ENOTFOUND", syscall: "queryA" });
  const unknown = { resolve: () => Promise.reject(noName) };
  const lost = judgeReach(await askPushServices({ config, webPush: unknown, now: realNow }));
  assert.match(lost.message, /\(ENOTFOUND\)/);
  assert.match(lost.mend ?? "", /name servers/);
  const inside = { resolve: async () => ["10.0.0.1"] };
  const caught = judgeReach(await askPushServices({ config, webPush: inside, now: realNow }));
  assert.match(caught.message, /\(not public\)/);
});

async function start(test: TestContext, names: readonly string[]): Promise<PushService> {
  const [first = "", ...others] = names;
  const push = await PushService.start({ names: [first, ...others] });
  test.after(() => push.close());
  return push;
}
