import { Agent, type buildConnector } from "undici";
import type { HostRule } from "./endpoint-policy.ts";

const KEEP_ALIVE_MS = 30_000;
const CONNECTIONS_PER_ORIGIN_MAX = 20;
/**
 * The maximum number of connected origins per rule, so that the hosts of one rule cannot exhaust the connections of
 * another.
 */
const ORIGINS_PER_RULE_MAX = 1_000;

/** The connections to push services, with one pool for each rule that admits hosts. */
export class PushAgents {
  readonly #connect: buildConnector.connector;
  readonly #byRule = new Map<string, Agent>();
  #isDestroyed = false;

  constructor(connect: buildConnector.connector) {
    this.#connect = connect;
  }

  /** Returns the agent for the hosts of a rule; after `destroy`, its requests fail. */
  get({ name }: HostRule): Agent {
    const existing = this.#byRule.get(name);
    if (existing !== undefined) return existing;
    // Unlike undici's EnvHttpProxyAgent, this agent ignores the proxies in the environment. It follows no redirects.
    const agent = new Agent({
      connect: this.#connect,
      allowH2: true,
      connections: CONNECTIONS_PER_ORIGIN_MAX,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxOrigins: ORIGINS_PER_RULE_MAX,
    });
    this.#byRule.set(name, agent);
    if (this.#isDestroyed) void agent.destroy();
    return agent;
  }

  /** Closes all connections; open requests fail. */
  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await Promise.all([...this.#byRule.values()].map((agent) => agent.destroy()));
  }
}
