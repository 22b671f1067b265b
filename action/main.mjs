// The step of a workflow. It is one file without dependencies, because GitHub runs the committed file.
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** The waits between attempts, in milliseconds, unless the server requests another one. */
const WAITS_MS = [1_000, 5_000, 15_000];
const ATTEMPT_TIMEOUT_MS = 30_000;
/** The longest wait of a workflow, even if the server requests a longer one. */
const WAIT_MAX_MS = 60_000;

/** Thrown if the workflow's request cannot be fulfilled; the message says why. */
class RefusedError extends Error {}

try {
  await main();
} catch (error) {
  if (!(error instanceof RefusedError)) throw error;
  annotate("error", error.message);
  process.exitCode = 1;
}

async function main() {
  const apiKey = readRequired("api-key");
  console.log(`::add-mask::${escapeText(apiKey)}`);
  const { notificationId, success, message } = await send(apiKey);
  setOutput("notification-id", notificationId);
  setOutput("success", String(success));
  if (success) console.log(message);
  else annotate("warning", message);
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
  const request = { method: "POST", headers, body: JSON.stringify(buildNotification()) };
  const url = buildUrl();
  for (let attempt = 0; ; attempt += 1) {
    const waitMs = WAITS_MS[attempt];
    const outcome = await sendOnce(url, request);
    if ("success" in outcome) return outcome;
    if (!outcome.isTemporary || waitMs === undefined) throw new RefusedError(outcome.reason);
    const seconds = Math.min(outcome.retryAfterMs ?? waitMs, WAIT_MAX_MS) / 1_000;
    console.log(`${outcome.reason} Trying again in ${seconds} s.`);
    await wait(seconds * 1_000);
  }
}

/** @typedef {{ success: boolean, message: string, notificationId: string }} SendResult */
/** @typedef {{ reason: string, isTemporary: boolean, retryAfterMs: number | null }} Failure */

/**
 * @param {URL} url
 * @param {RequestInit} request
 * @returns {Promise<SendResult | Failure>}
 */
async function sendOnce(url, request) {
  const signal = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
  try {
    const response = await fetch(url, { ...request, signal, redirect: "error" });
    const body = parseJson(await response.text());
    if (body === null) return describeNotJson(url, response.status);
    const message = String(body.message);
    const notificationId = response.headers.get("x-notification-id") ?? "";
    if (response.ok) return { success: body.success === true, message, notificationId };
    const retryAfterSeconds = Number(response.headers.get("retry-after"));
    return {
      reason: `${url.host} answered ${response.status}: ${message}`,
      isTemporary: response.status === 429 || response.status >= 500,
      retryAfterMs: retryAfterSeconds > 0 ? retryAfterSeconds * 1_000 : null,
    };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    return {
      reason: `${url.host} cannot be reached: ${reason}.`,
      isTemporary: true,
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
function parseJson(text) {
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
function describeNotJson(url, status) {
  const reason = `${url.host} answered ${status} with something other than JSON: is this the address of a Tocsin server?`;
  return { reason, isTemporary: status === 429 || status >= 500, retryAfterMs: null };
}

function buildNotification() {
  const { GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_SERVER_URL, GITHUB_WORKFLOW } = process.env;
  const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
  return {
    title: readRequired("title"),
    body: readInput("body") || `${GITHUB_WORKFLOW} in ${GITHUB_REPOSITORY}`,
    link: readInput("link") || run,
    image: readInput("image"),
    channel: readInput("channel"),
    sound: readInput("sound"),
    timeSensitive: readBoolean("time-sensitive"),
  };
}

function buildUrl() {
  const serverUrl = readRequired("url");
  const base = URL.parse(serverUrl.endsWith("/") ? serverUrl : `${serverUrl}/`);
  if (base === null || !/^https?:$/.test(base.protocol)) {
    throw new RefusedError(`url must be an address such as https://push.example.org.`);
  }
  const group = readInput("group");
  const path = group === "" ? "notify" : `notify/group/${encodeURIComponent(group)}`;
  return new URL(`api/v1/${path}`, base);
}

/** @param {string} name */
function readBoolean(name) {
  const value = readInput(name).toLowerCase();
  if (!["", "true", "false"].includes(value))
    throw new RefusedError(`${name} must be true or false.`);
  return value === "true";
}

/** @param {string} name */
function readRequired(name) {
  const value = readInput(name);
  if (value === "") throw new RefusedError(`The input ${name} is missing.`);
  return value;
}

/**
 * Reads an input from the environment variable that GitHub sets for it.
 *
 * @param {string} name
 */
function readInput(name) {
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
function annotate(level, message) {
  console.log(`::${level} title=Tocsin::${escapeText(message)}`);
}

/** @param {string} text */
function escapeText(text) {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
