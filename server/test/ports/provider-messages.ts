import assert from "node:assert/strict";
import { formatOutcome } from "./outcome-rules.ts";
import { createMessage, OPEN_SIGNAL, type ContractTest } from "./provider-under-test.ts";

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

const ARRIVAL_TESTS: readonly ContractTest[] = [
  {
    name: "a message arrives once with its text unchanged",
    async run(test, start) {
      const subject = await start(test);
      for (const [index, text] of TEXTS.entries()) {
        const phone = subject.addPhone();
        const title = TEXTS.at(-1 - index) ?? text;
        const message = createMessage(subject.clock, { title, body: text });
        const outcome = await subject.provider.send(message, phone.address, OPEN_SIGNAL);
        assert.equal(formatOutcome(outcome), "accepted", text);
        const { link } = message;
        assert.deepEqual(phone.listReceivedMessages(), [
          { title, body: text, link, isTruncated: false },
        ]);
        assert.equal(phone.countRequests(), 1);
      }
    },
  },
  {
    name: "a notification that is sent twice replaces itself, and another one is shown separately",
    async run(test, start) {
      const subject = await start(test);
      const phone = subject.addPhone();
      const ids: unknown[] = [];
      for (const notificationId of ["n-1", "n-1", "n-2"]) {
        const message = createMessage(subject.clock, { notificationId });
        await subject.provider.send(message, phone.address, OPEN_SIGNAL);
        ids.push(phone.getLastRequest().replacementId);
      }
      const [first, second, otherId] = ids;
      assert.equal(first, second);
      assert.notEqual(first, otherId);
      assert.equal(phone.listReceivedMessages().length, 3);
      assert.equal(phone.countShown(), 2);
    },
  },
  {
    name: "a notification with an id of 200 characters also replaces itself",
    async run(test, start) {
      const subject = await start(test);
      const phone = subject.addPhone();
      const message = createMessage(subject.clock, { notificationId: "0123456789".repeat(20) });
      for (let count = 0; count < 2; count += 1) {
        assert.equal(
          formatOutcome(await subject.provider.send(message, phone.address, OPEN_SIGNAL)),
          "accepted",
        );
      }
      assert.equal(phone.countShown(), 1);
    },
  },
  {
    name: "each attempt sends the remaining ttl of the message",
    async run(test, start) {
      const subject = await start(test);
      const phone = subject.addPhone();
      const message = createMessage(subject.clock);
      const sendAndReadTtl = async (): Promise<number> => {
        await subject.provider.send(message, phone.address, OPEN_SIGNAL);
        return phone.getLastRequest().ttlSeconds;
      };
      assert.equal(await sendAndReadTtl(), 3_600);
      subject.clock.advance(600_000);
      assert.equal(await sendAndReadTtl(), 3_000);
      subject.clock.advance(2_999_500);
      assert.equal(await sendAndReadTtl(), 1, "0 would mean immediate delivery only");
    },
  },
  {
    name: "the ttl does not exceed the service's maximum",
    async run(test, start) {
      const subject = await start(test);
      const phone = subject.addPhone();
      const expiresAt = subject.clock.now() + 400 * DAY_MS;
      const message = createMessage(subject.clock, { expiresAt });
      assert.equal(
        formatOutcome(await subject.provider.send(message, phone.address, OPEN_SIGNAL)),
        "accepted",
      );
      const ttlDays = phone.getLastRequest().ttlSeconds / 86_400;
      assert.ok(ttlDays >= 28 && ttlDays <= 30, `${ttlDays} days`);
    },
  },
];

const SIZE_TESTS: readonly ContractTest[] = [
  {
    name: "a text that is too long is cut between graphemes, marked as truncated, and keeps its link",
    async run(test, start) {
      const subject = await start(test);
      for (const grapheme of ["👩‍👩‍👧‍👦", "e\u0301", '"', "\n", "漢", "a"]) {
        const phone = subject.addPhone();
        const body = grapheme.repeat(6_000);
        const message = createMessage(subject.clock, { body });
        const outcome = await subject.provider.send(message, phone.address, OPEN_SIGNAL);
        assert.equal(formatOutcome(outcome), "accepted", grapheme);
        const [receivedMessage] = phone.listReceivedMessages();
        const { title, link } = message;
        const receivedBody = receivedMessage?.body ?? "";
        assert.deepEqual(
          { ...receivedMessage, body: "" },
          { title, link, body: "", isTruncated: true },
        );
        assert.ok(receivedBody.length > 300 && body.startsWith(receivedBody), grapheme);
        const lastGrapheme = [...GRAPHEMES.segment(receivedBody)].at(-1)?.segment ?? "";
        assert.equal(lastGrapheme, [...GRAPHEMES.segment(grapheme)].at(-1)?.segment);
      }
    },
  },
  {
    name: "a title that is too long is cut, after the body was dropped",
    async run(test, start) {
      const subject = await start(test);
      const phone = subject.addPhone();
      const title = "👩‍👩‍👧‍👦".repeat(2_000);
      const message = createMessage(subject.clock, { title });
      assert.equal(
        formatOutcome(await subject.provider.send(message, phone.address, OPEN_SIGNAL)),
        "accepted",
      );
      const [receivedMessage] = phone.listReceivedMessages();
      assert.ok(receivedMessage !== undefined && title.startsWith(receivedMessage.title));
      assert.equal(receivedMessage.title.length % "👩‍👩‍👧‍👦".length, 0);
      assert.deepEqual(
        { ...receivedMessage, title: "" },
        { title: "", body: "", link: message.link, isTruncated: true },
      );
    },
  },
  {
    name: "a message whose link does not fit is rejected and not sent",
    async run(test, start) {
      const subject = await start(test);
      const phone = subject.addPhone();
      const link = `https://example.org/${"x".repeat(5_000)}`;
      const message = createMessage(subject.clock, { link });
      const outcome = await subject.provider.send(message, phone.address, OPEN_SIGNAL);
      assert.equal(formatOutcome(outcome), "rejected payload_too_large");
      assert.equal(phone.countRequests(), 0);
    },
  },
];

/** Contract tests for the content of messages. */
export const MESSAGE_CONTRACT: readonly ContractTest[] = [...ARRIVAL_TESTS, ...SIZE_TESTS];
