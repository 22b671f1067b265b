import { setTimeout as wait } from "node:timers/promises";
import type { SiteNode } from "./site-node.ts";

const REPEAT_AFTER_MS = 50;
/** Longer than any fault, even on a busy machine. */
const REPEAT_MAX_MS = 120_000;
const RESPONSE_MAX_MS = 20_000;

/** The response to a send about an incident. */
export interface IncidentResponse {
  readonly success?: boolean;
  readonly message?: string;
  readonly incidentId?: string;
}

/** Sends triggers and acknowledgements with a key, to any node that serves. */
export class IncidentSender {
  readonly #nodes: readonly SiteNode[];
  readonly #key: string;
  /** The number of requests by incident key. A request whose response was lost may have been stored. */
  readonly attemptCounts = new Map<string, number>();
  /** Incident keys with an accepted trigger. */
  readonly acceptedKeys = new Set<string>();
  /** Responses that no fault explains. */
  readonly unexpectedResponses: string[] = [];
  #nodeIndex = 0;

  constructor(nodes: readonly SiteNode[], key: string) {
    this.#nodes = nodes;
    this.#key = key;
  }

  /** Repeats a trigger until it is accepted; returns null if that takes longer than any fault. */
  async triggerUntilAccepted(incidentKey: string, fields: Readonly<Record<string, unknown>>) {
    const deadlineAt = performance.now() + REPEAT_MAX_MS;
    while (performance.now() < deadlineAt) {
      const response = await this.send({ ...fields, incidentKey }).catch(() => null);
      if (response?.success === true) {
        this.acceptedKeys.add(incidentKey);
        return response;
      }
      await wait(REPEAT_AFTER_MS);
    }
    return null;
  }

  /** Sends once, to the next node that serves; returns null if none does. Rejects if the connection ends. */
  async send(body: Readonly<Record<string, unknown>>): Promise<IncidentResponse | null> {
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
    // The server documents this shape.
    const responseBody = (await response.json()) as IncidentResponse;
    if (![200, 202, 500, 503].includes(response.status))
      this.unexpectedResponses.push(`${response.status} ${responseBody.message}`);
    return responseBody;
  }

  #nextUrl(): string | null {
    for (let tries = 0; tries < this.#nodes.length; tries += 1) {
      const node = this.#nodes[(this.#nodeIndex += 1) % this.#nodes.length];
      if (node?.isServing === true) return node.url;
    }
    return null;
  }
}
