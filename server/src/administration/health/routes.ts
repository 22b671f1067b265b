import type { FastifyRequest } from "fastify";
import { Type } from "#schema/json-schema.ts";
import type { Finding } from "#doctor/finding.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { Nullable, Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { FindingAnswer } from "../finding-answer.ts";
import { measureHealth, type HealthDeps } from "./health.ts";
import { troubleFindings, type TroublesDeps } from "../troubles/troubles.ts";
import type { Releases } from "./releases.ts";
import { checkArrival, type Arrival } from "./arrival.ts";

/** The dependencies of the health route. */
export interface HealthRouteDeps extends HealthDeps, Omit<TroublesDeps, "delivery"> {
  readonly delivery: HealthDeps["delivery"] & TroublesDeps["delivery"];
  readonly authenticateAdministrator: Authenticate;
  readonly address: Pick<Arrival, "baseUrl"> & { readonly trustProxy: boolean | string };
  /** Null if external servers must not be contacted. */
  readonly releases: Pick<Releases, "examine"> | null;
  /** Checks this machine as `tocsin doctor` does. Contacts no other server. */
  readonly examineMachine: () => Promise<readonly Finding[]>;
}

const Bytes = Type.Number({ description: "Bytes." });

const HealthAnswer = Type.Object({
  version: Type.String(),
  node: Type.String(),
  startedAt: Timestamp,
  now: Timestamp,
  database: Type.Object({
    engine: Type.String(),
    sizeBytes: Bytes,
    step: Type.String({ description: "The last migration." }),
  }),
  disk: Type.Object({ freeBytes: Bytes, totalBytes: Bytes }),
  queue: Type.Object({
    jobs: Type.Integer(),
    due: Type.Integer({ description: "Due, and not yet taken by a worker." }),
    oldestDueMs: Type.Number(),
  }),
  mail: Type.Object({
    isConfigured: Type.Boolean(),
    host: Nullable(Type.String()),
    from: Nullable(Type.String()),
    owed: Type.Integer(),
    oldestAt: Nullable(Timestamp),
    lastTakenAt: Nullable(Timestamp),
    lastFailure: Nullable(Type.Object({ reason: Type.String(), at: Timestamp })),
  }),
  loopDelayMs: Type.Integer({
    description: "The 99th percentile of the event loop's delay since the last request.",
  }),
  baseUrl: Type.String(),
  findings: Type.Array(FindingAnswer),
});

/** Registers the health report of the server. */
export function registerHealth(server: Server, deps: HealthRouteDeps): void {
  const schema = {
    operationId: "getHealth",
    tags: ["Administration"],
    summary: "Show the server's health, its problems and how to fix them",
    response: { 200: HealthAnswer },
  };
  server.get("/api/app/v1/admin/health", { schema }, async (request) => {
    await deps.authenticateAdministrator(request);
    const { baseUrl } = deps.address;
    const [health, findings, release] = await Promise.all([
      measureHealth(deps),
      deps.examineMachine(),
      deps.releases?.examine(),
    ]);
    const arrival = { subject: "address", ...checkArrival(toArrival(deps, request)) };
    return {
      ...health,
      baseUrl,
      findings: [
        arrival,
        ...troubleFindings(deps),
        ...findings,
        ...(release === undefined ? [] : [release]),
      ],
    };
  });
}

function toArrival({ address }: HealthRouteDeps, request: FastifyRequest): Arrival {
  const forwarded = request.headers["x-forwarded-proto"];
  return {
    baseUrl: address.baseUrl,
    protocol: request.protocol,
    host: request.host,
    isProxyTrusted: address.trustProxy !== false,
    forwardedProtocol: typeof forwarded === "string" ? forwarded : null,
  };
}
