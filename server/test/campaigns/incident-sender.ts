import { setTimeout as wait } from "node:timers/promises";
import type { SiteNode } from "./site-node.ts";

const REPEAT_AFTER_MS = 50;
/** Longer than any fault, even on a busy machine. */
const REPEAT_MAX_MS = 120_000;
const RESPONSE_MAX_MS = 20_000;

/** The answer to a request about an incident. */
export interface IncidentAnswer {
  readonly success?: boolean;
  readonly message?: string;
  readonly incidentId?: string;
}

/** Triggers and acknowledges incidents with a key, at any node that serves. */
export class IncidentSender {
  readonly #nodes: readonly SiteNode[];
  readonly #key: string;
  /** Numbers of requests by incident key; a request whose response was lost may be stored as well. */
  readonly attemptCounts = new Map<string, number>();
  /** Incident keys with an accepted trigger. */
  readonly acceptedKeys = new Set<string>();
  /** Responses that no fault explains. */
  readonly unexpectedResponses: string[] = [];
  #turn = 0;

  constructor(nodes: readonly SiteNode[], key: string) {
    this.#nodes = nodes;
    this.#key = key;
  }

  /** Repeats a trigger until it is accepted. */
  async triggerUntilAccepted(incidentKey: string, fields: Readonly<Record<string, unknown>>) {
    const deadlineAt = performance.now() + REPEAT_MAX_MS;
    while (performance.now() < deadlineAt) {
      const answer = await this.send({ ...fields, incidentKey }).catch(() => null);
      if (answer?.success === true) {
        this.acceptedKeys.add(incidentKey);
        return answer;
      }
      await wait(REPEAT_AFTER_MS);
    }
    return null;
  }

  /** Sends once, to the next node that serves. Rejects if the connection ends. */
  async send(body: Readonly<Record<string, unknown>>): Promise<IncidentAnswer | null> {
    const url = this.#nextUrl();
    if (url === null) return null;
    const incidentKey = String(body["incidentKey"]);
    this.attemptCounts.set(incidentKey, (this.attemptCounts.get(incidentKey) ?? 0) + 1);
    const response = await fetch(`${url}/api/v1/notify-async`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": this.#key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(RESPONSE_MAX_MS),
    });
    // The server's documented response.
    const answer = (await response.json()) as IncidentAnswer;
    if (![200, 202, 500, 503].includes(response.status))
      this.unexpectedResponses.push(`${response.status} ${answer.message}`);
    return answer;
  }

  #nextUrl(): string | null {
    for (let tries = 0; tries < this.#nodes.length; tries += 1) {
      const node = this.#nodes[(this.#turn += 1) % this.#nodes.length];
      if (node?.isServing === true) return node.url;
    }
    return null;
  }
}
