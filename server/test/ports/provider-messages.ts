import assert from "node:assert/strict";
import { saidBy } from "./outcome-rules.ts";
import { messageFor, never } from "./provider-under-test.ts";
import type { Law } from "./provider-under-test.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });

const TEXTS = [
  "Disk full",
  'He said "no" — \\"yes\\" \\n \\u0041',
  "first\nsecond\r\n\tthird\u2028fourth",
  "שלום עולם — مرحبا \u202Eabc\u202C",
  "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 é e\u0301 ＷＩＤＥ 漢字",
  "</script><img src=x onerror=alert(1)> ${HOME} %s %00 {{x}}",
  `{"aps":{"alert":"other"},"notification":{}}`,
  "a".repeat(2_000),
] as const;

const ARRIVAL: readonly Law[] = [
  {
    name: "a message arrives once, with the text that was sent",
    async check(test, start) {
      const under = await start(test);
      for (const [index, text] of TEXTS.entries()) {
        const phone = under.addPhone();
        const title = TEXTS.at(-1 - index) ?? text;
        const message = messageFor(under.clock, { title, body: text });
        const outcome = await under.provider.send(message, phone.address, never);
        assert.equal(saidBy(outcome), "accepted", text);
        const { link } = message;
        assert.deepEqual(phone.arrived(), [{ title, body: text, link, isTruncated: false }]);
        assert.equal(phone.askedCount(), 1);
      }
    },
  },
  {
    name: "the same notification sent twice replaces itself, and another stands beside it",
    async check(test, start) {
      const under = await start(test);
      const phone = under.addPhone();
      const ids: unknown[] = [];
      for (const notificationId of ["n-1", "n-1", "n-2"]) {
        const message = messageFor(under.clock, { notificationId });
        await under.provider.send(message, phone.address, never);
        ids.push(phone.lastAsked().replacingId);
      }
      const [first, second, other] = ids;
      assert.equal(first, second);
      assert.notEqual(first, other);
      assert.equal(phone.arrived().length, 3);
      assert.equal(phone.shownCount(), 2);
    },
  },
  {
    name: "an id that is as long as may be replaces itself still",
    async check(test, start) {
      const under = await start(test);
      const phone = under.addPhone();
      const message = messageFor(under.clock, { notificationId: "0123456789".repeat(20) });
      for (let count = 0; count < 2; count += 1) {
        assert.equal(saidBy(await under.provider.send(message, phone.address, never)), "accepted");
      }
      assert.equal(phone.shownCount(), 1);
    },
  },
  {
    name: "each attempt tells the service how much longer the message lives",
    async check(test, start) {
      const under = await start(test);
      const phone = under.addPhone();
      const message = messageFor(under.clock);
      const lifeNow = async (): Promise<number> => {
        await under.provider.send(message, phone.address, never);
        return phone.lastAsked().lifeSeconds;
      };
      assert.equal(await lifeNow(), 3_600);
      under.clock.advance(600_000);
      assert.equal(await lifeNow(), 3_000);
      under.clock.advance(2_999_500);
      assert.equal(await lifeNow(), 1, "0 would mean now or never");
    },
  },
  {
    name: "no message asks to live longer than a service keeps one",
    async check(test, start) {
      const under = await start(test);
      const phone = under.addPhone();
      const expiresAt = under.clock.now() + 400 * DAY_MS;
      const message = messageFor(under.clock, { expiresAt });
      assert.equal(saidBy(await under.provider.send(message, phone.address, never)), "accepted");
      const lifeDays = phone.lastAsked().lifeSeconds / 86_400;
      assert.ok(lifeDays >= 28 && lifeDays <= 30, `${lifeDays} days`);
    },
  },
];

const SIZE: readonly Law[] = [
  {
    name: "a text that is too long is cut between graphemes, says so, and keeps its link",
    async check(test, start) {
      const under = await start(test);
      for (const grapheme of ["👩‍👩‍👧‍👦", "e\u0301", '"', "\n", "漢", "a"]) {
        const phone = under.addPhone();
        const body = grapheme.repeat(6_000);
        const message = messageFor(under.clock, { body });
        const outcome = await under.provider.send(message, phone.address, never);
        assert.equal(saidBy(outcome), "accepted", grapheme);
        const [arrived] = phone.arrived();
        const { title, link } = message;
        const got = arrived?.body ?? "";
        assert.deepEqual({ ...arrived, body: "" }, { title, link, body: "", isTruncated: true });
        assert.ok(got.length > 300 && body.startsWith(got), grapheme);
        const last = [...GRAPHEMES.segment(got)].at(-1)?.segment ?? "";
        assert.equal(last, [...GRAPHEMES.segment(grapheme)].at(-1)?.segment);
      }
    },
  },
  {
    name: "a title that is too long is cut as well, after the body was given up",
    async check(test, start) {
      const under = await start(test);
      const phone = under.addPhone();
      const title = "👩‍👩‍👧‍👦".repeat(2_000);
      const message = messageFor(under.clock, { title });
      assert.equal(saidBy(await under.provider.send(message, phone.address, never)), "accepted");
      const [arrived] = phone.arrived();
      assert.ok(arrived !== undefined && title.startsWith(arrived.title));
      assert.equal(arrived.title.length % "👩‍👩‍👧‍👦".length, 0);
      assert.deepEqual(
        { ...arrived, title: "" },
        { title: "", body: "", link: message.link, isTruncated: true },
      );
    },
  },
  {
    name: "a link that has no room is not cut: nothing is sent, and the message is rejected",
    async check(test, start) {
      const under = await start(test);
      const phone = under.addPhone();
      const link = `https://example.org/${"x".repeat(5_000)}`;
      const message = messageFor(under.clock, { link });
      const outcome = await under.provider.send(message, phone.address, never);
      assert.equal(saidBy(outcome), "rejected payload_too_large");
      assert.equal(phone.askedCount(), 0);
    },
  },
];

/** Rules for messages as they arrive. */
export const MESSAGE_LAWS: readonly Law[] = [...ARRIVAL, ...SIZE];
