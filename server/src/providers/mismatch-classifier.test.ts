import assert from "node:assert/strict";
import { test } from "node:test";
import { MismatchClassifier } from "./mismatch-classifier.ts";

const MINUTE_MS = 60 * 1000;

function createClassifier() {
  const clock = { ms: 0 };
  const classifier = new MismatchClassifier(() => clock.ms);
  const recordAcceptedMany = (count: number): void => {
    for (let index = 0; index < count; index += 1) classifier.recordAccepted();
  };
  return { clock, classifier, recordAcceptedMany };
}

test("a mismatch points to the settings if nothing was accepted", () => {
  const { classifier } = createClassifier();
  assert.equal(classifier.classifyMismatch(), "settings");
  assert.equal(classifier.classifyMismatch(), "settings");
});

test("one mismatch in five points to the device, and a larger share is unclear", () => {
  const { classifier, recordAcceptedMany } = createClassifier();
  recordAcceptedMany(4);
  assert.equal(classifier.classifyMismatch(), "device");
  assert.equal(classifier.classifyMismatch(), "unclear");
  recordAcceptedMany(4);
  assert.equal(classifier.classifyMismatch(), "unclear");
  recordAcceptedMany(8);
  assert.equal(classifier.classifyMismatch(), "device");
});

test("an accepted message stops counting after five minutes", () => {
  const { clock, classifier, recordAcceptedMany } = createClassifier();
  recordAcceptedMany(100);
  clock.ms += 5 * MINUTE_MS - 1;
  assert.equal(classifier.classifyMismatch(), "device");
  clock.ms += 1;
  assert.equal(classifier.classifyMismatch(), "settings");
});

test("a mismatch stops counting after five minutes", () => {
  const { clock, classifier, recordAcceptedMany } = createClassifier();
  for (let count = 0; count < 50; count += 1) classifier.classifyMismatch();
  clock.ms += 5 * MINUTE_MS;
  recordAcceptedMany(4);
  assert.equal(classifier.classifyMismatch(), "device");
});

test("a steady flow of accepted messages is counted completely", () => {
  const { clock, classifier, recordAcceptedMany } = createClassifier();
  for (let second = 0; second < 200; second += 1) {
    recordAcceptedMany(1);
    clock.ms += 1_000;
  }
  // 50 of 250 messages are a fifth.
  for (let count = 0; count < 50; count += 1) assert.equal(classifier.classifyMismatch(), "device");
  assert.equal(classifier.classifyMismatch(), "unclear");
});
