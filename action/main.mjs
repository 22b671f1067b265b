// The step of a workflow. It is one file without dependencies, because GitHub runs the committed file.
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** Waits between attempts, in milliseconds, if the server does not request one. */
const WAITS_MS = [1_000, 5_000, 15_000];
const ATTEMPT_TIMEOUT_MS = 30_000;
/** The longest wait of a workflow, even if the server requests a longer one. */
const WAIT_MAX_MS = 60_000;

/** Thrown if the workflow's request cannot be fulfilled; the message says why. */
class Refused extends Error {}

try {
  await main();
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  tell("error", error.message);
  process.exitCode = 1;
}

async function main() {
  const apiKey = required("api-key");
  console.log(`::add-mask::${escaped(apiKey)}`);
  const { notificationId, success, message } = await send(apiKey);
  setOutput("notification-id", notificationId);
  setOutput("success", String(success));
  if (success) console.log(message);
  else tell("warning", message);
}

/**
 * Sends until the server has answered. Retries carry the same idempotency key, so that no device is notified twice.
 *
 * @param {string} apiKey
 */
async function send(apiKey) {
  const headers = {
    "content-type": "application/json",
    "x-api-key": apiKey,
    "idempotency-key": randomUUID(),
  };
  const request = { method: "POST", headers, body: JSON.stringify(notification()) };
  const url = address();
  for (let attempt = 0; ; attempt += 1) {
    const waitMs = WAITS_MS[attempt];
    const outcome = await ask(url, request);
    if ("success" in outcome) return outcome;
    if (!outcome.isPassing || waitMs === undefined) throw new Refused(outcome.reason);
    const seconds = Math.min(outcome.retryAfterMs ?? waitMs, WAIT_MAX_MS) / 1_000;
    console.log(`${outcome.reason} Trying again in ${seconds} s.`);
    await wait(seconds * 1_000);
  }
}

/** @typedef {{ success: boolean, message: string, notificationId: string }} Answer */
/** @typedef {{ reason: string, isPassing: boolean, retryAfterMs: number | null }} Failure */

/**
 * @param {URL} url
 * @param {RequestInit} request
 * @returns {Promise<Answer | Failure>}
 */
async function ask(url, request) {
  const signal = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
  try {
    const response = await fetch(url, { ...request, signal, redirect: "error" });
    const answer = parsed(await response.text());
    if (answer === null) return notJson(url, response.status);
    const message = String(answer.message);
    const notificationId = response.headers.get("x-notification-id") ?? "";
    if (response.ok) return { success: answer.success === true, message, notificationId };
    const after = Number(response.headers.get("retry-after"));
    return {
      reason: `${url.host} answered ${response.status}: ${message}`,
      isPassing: response.status === 429 || response.status >= 500,
      retryAfterMs: after > 0 ? after * 1_000 : null,
    };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    return {
      reason: `${url.host} cannot be reached: ${reason}.`,
      isPassing: true,
      retryAfterMs: null,
    };
  }
}

/**
 * Returns the parsed body of a response; null if it is not JSON.
 *
 * @param {string} text
 * @returns {{ success?: boolean, message?: string } | null}
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * @param {URL} url
 * @param {number} status
 * @returns {Failure}
 */
function notJson(url, status) {
  const reason = `${url.host} answered ${status} with something other than JSON: is this the address of a Tocsin server?`;
  return { reason, isPassing: status === 429 || status >= 500, retryAfterMs: null };
}

function notification() {
  const { GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_SERVER_URL, GITHUB_WORKFLOW } = process.env;
  const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
  return {
    title: required("title"),
    body: input("body") || `${GITHUB_WORKFLOW} in ${GITHUB_REPOSITORY}`,
    link: input("link") || run,
    image: input("image"),
    channel: input("channel"),
    sound: input("sound"),
    timeSensitive: isTrue("time-sensitive"),
  };
}

function address() {
  const given = required("url");
  const base = URL.parse(given.endsWith("/") ? given : `${given}/`);
  if (base === null || !/^https?:$/.test(base.protocol)) {
    throw new Refused(`url must be an address such as https://push.example.org.`);
  }
  const group = input("group");
  const path = group === "" ? "notify" : `notify/group/${encodeURIComponent(group)}`;
  return new URL(`api/v1/${path}`, base);
}

/** @param {string} name */
function isTrue(name) {
  const given = input(name).toLowerCase();
  if (!["", "true", "false"].includes(given)) throw new Refused(`${name} must be true or false.`);
  return given === "true";
}

/** @param {string} name */
function required(name) {
  const value = input(name);
  if (value === "") throw new Refused(`The input ${name} is missing.`);
  return value;
}

/**
 * Reads an input from the environment variable that GitHub sets for it.
 *
 * @param {string} name
 */
function input(name) {
  return (process.env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}

/**
 * @param {string} name
 * @param {string} value one line
 */
function setOutput(name, value) {
  const file = process.env["GITHUB_OUTPUT"];
  if (file !== undefined) appendFileSync(file, `${name}=${value}\n`);
}

/**
 * Adds an annotation to the summary of the run.
 *
 * @param {"error" | "warning"} level
 * @param {string} message
 */
function tell(level, message) {
  console.log(`::${level} title=Tocsin::${escaped(message)}`);
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
