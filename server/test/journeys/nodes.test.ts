import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { ON_POSTGRES } from "../support/database.ts";

const DAY = 86_400_000;

test(
  "a machine's clock that jumps by a day changes nothing where the database's clock rules",
  ON_POSTGRES,
  async (t) => {
    let jumpedBy = 0;
    const app = await startApp(t, { machineNow: () => Date.now() + jumpedBy });
    const ann = await signUp(app, "Ann");
    const { phone } = await addDevice(app, ann);
    const { now } = app.app.context;
    for (const jump of [DAY, -DAY, 0]) {
      jumpedBy = jump;
      assert.ok(Math.abs(now() - Date.now()) < 1_000, `${now() - Date.now()}`);
      const answer = await ann.client.notify({ title: `${jump}`, body: "" });
      assert.equal(answer.message, "Delivered to 1 of 1 device");
      await phone.next();
    }
  },
);
