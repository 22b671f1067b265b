import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { AppErrorCode, ClientErrorCode } from "@tocsin/sdk";
import { texts as dePages } from "./de-pages.ts";
import { texts as deFeed } from "./de.ts";
import { texts as enPages } from "./en-pages.ts";
import { texts as enFeed } from "./en.ts";
import { toLocale } from "./language.ts";
import { collectTexts } from "./collect-texts.ts";

const en = { ...enFeed, ...enPages };
const de = { ...deFeed, ...dePages };

const SOURCE = join(import.meta.dirname, "..");

function findPlaceholders(text: string | undefined): string[] {
  return [...(text ?? "").matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name).toSorted();
}

test("every language has the same keys and placeholders", () => {
  const english = collectTexts(en);
  const german = collectTexts(de);
  assert.deepEqual([...german.keys()], [...english.keys()]);
  for (const [key, text] of english) {
    assert.deepEqual(findPlaceholders(german.get(key)), findPlaceholders(text), key);
    assert.equal(german.get(key) === "", text === "", key);
  }
});

/** A new code of the SDK is a type error here. Once it is added, a test fails until every language has its text. */
const ERROR_CODES: Readonly<Record<AppErrorCode | ClientErrorCode, true>> = {
  invalid_json: true,
  unsupported_content_type: true,
  invalid_field: true,
  invalid_email: true,
  invalid_request: true,
  body_too_large: true,
  unauthenticated: true,
  forbidden: true,
  password_required: true,
  wrong_account: true,
  account_suspended: true,
  sign_up_closed: true,
  invitation_required: true,
  not_found: true,
  method_not_allowed: true,
  conflict: true,
  last_owner: true,
  not_ringing: true,
  prompt_closed: true,
  too_many: true,
  invite_limit: true,
  expired: true,
  rate_limited: true,
  unavailable: true,
  internal: true,
  not_json: true,
  unexpected_answer: true,
  redirected: true,
  https_expected: true,
};

test("every language has a text for every error code", () => {
  for (const texts of [en, de].map(collectTexts)) {
    const missing = Object.keys(ERROR_CODES).filter((code) =>
      [`error.${code}`, `refusal.${code}`].every((key) => (texts.get(key) ?? "") === ""),
    );
    assert.deepEqual(missing, []);
  }
});

test("every text is used", () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" });
  const source = files
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(SOURCE, file), "utf8"))
    .join("\n");
  const isUsed = (key: string) => {
    const name = key.replace(/_(?:one|other)$/, "");
    if (source.includes(`"${name}"`)) return true;
    // A template completes some keys with a state or a code: `delivery.${state}`,
    // `notificationState.${notificationState}.title`.
    const parts = name.split(".");
    return parts.some((_, index) => {
      const suffix = parts.slice(index + 1).join(".");
      const prefix = `\`${parts.slice(0, index).join(".")}.\${`;
      return source.includes(prefix) && (suffix === "" || source.includes(`}.${suffix}`));
    });
  };
  assert.deepEqual(
    [...collectTexts(en).keys()].filter((key) => !isUsed(key)),
    [],
  );
});

test("the locale for dates has the browser's region", () => {
  assert.equal(toLocale("en", ["en-GB", "en-US"]), "en-GB");
  assert.equal(toLocale("en", ["de-AT", "en"]), "en-AT");
  assert.equal(toLocale("de", ["en-GB", "de-CH"]), "de-CH");
  assert.equal(toLocale("de", ["zh-Hant-TW"]), "de-TW");
  assert.equal(toLocale("en", ["en-US@posix"]), "en-US");
  for (const tags of [[], ["en"], ["c", "x-private", ""]]) assert.equal(toLocale("en", tags), "en");
  const format = new Intl.DateTimeFormat(toLocale("en", ["en-GB"]), { dateStyle: "short" });
  assert.equal(format.format(new Date(2026, 10, 5)), "05/11/2026");
});
