import { Agent, type buildConnector } from "undici";
import type { Rule } from "./endpoint-policy.ts";

const KEEP_ALIVE_MS = 30_000;
const MAX_CONNECTIONS_PER_ORIGIN = 20;
/** The limit of origins with connections, per rule: the hosts of one rule cannot exhaust the connections of another. */
const MAX_ORIGINS = 1_000;

/** The connections to push services, separate for each rule that admits them. */
export class Agents {
  readonly #connect: buildConnector.connector;
  readonly #byRule = new Map<string, Agent>();
  #isDestroyed = false;

  constructor(connect: buildConnector.connector) {
    this.#connect = connect;
  }

  /** Returns the agent for the hosts of a rule; after `destroy`, its requests fail. */
  of({ name }: Rule): Agent {
    const known = this.#byRule.get(name);
    if (known !== undefined) return known;
    // An agent of our own reads no proxy from the environment and follows no redirect.
    const agent = new Agent({
      connect: this.#connect,
      allowH2: true,
      connections: MAX_CONNECTIONS_PER_ORIGIN,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxOrigins: MAX_ORIGINS,
    });
    this.#byRule.set(name, agent);
    if (this.#isDestroyed) void agent.destroy();
    return agent;
  }

  /** Closes every connection; requests under way fail. */
  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await Promise.all([...this.#byRule.values()].map((agent) => agent.destroy()));
  }
}
