import test from "node:test";
import { lookAt } from "../../support/console-look.ts";
import { startStage } from "../../support/console-stage.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

const SIGNED_OUT = [
  { name: "sign-in", path: "/sign-in", shows: "form" },
  { name: "sign-up", path: "/sign-up", shows: "form" },
  { name: "forgotten", path: "/forgotten", shows: "main button" },
  { name: "set-up", path: "/set-up#token=x", shows: "form" },
  { name: "reset", path: "/reset-password#token=x", shows: "form" },
  { name: "verify", path: "/verify#token=x", shows: "main button" },
  { name: "invitation", path: "/invitation#token=x", shows: "main a" },
  { name: "cut-link", path: "/set-up", shows: "main a" },
];

test("the signed-out pages break no rule of WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  await stage.app.createSetUpLink();
  const page = await browsers.open(`${stage.url}/sign-in`);
  await lookAt(page, { sights: SIGNED_OUT, expected: /404/ });
});
