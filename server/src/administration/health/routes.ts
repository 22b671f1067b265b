import type { FastifyRequest } from "fastify";
import { Type } from "#schema/json-schema.ts";
import type { Finding } from "#doctor/finding.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { Nullable, Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { FindingSchema } from "../finding-schema.ts";
import { measureHealth, type HealthDeps } from "./health.ts";
import { createTroubleFindings, type TroublesDeps } from "../troubles/troubles.ts";
import type { ReleaseChecker } from "./release-checker.ts";
import { checkRequestUrl, type RequestUrlFacts } from "./check-request-url.ts";

/** The dependencies of the health route. */
export interface HealthRouteDeps extends HealthDeps, Omit<TroublesDeps, "delivery"> {
  readonly delivery: HealthDeps["delivery"] & TroublesDeps["delivery"];
  readonly authenticateAdministrator: Authenticate;
  readonly publicUrl: Pick<RequestUrlFacts, "baseUrl"> & { readonly trustProxy: boolean | string };
  /** Null if external servers must not be contacted. */
  readonly releaseChecker: Pick<ReleaseChecker, "examine"> | null;
  /** Checks this machine as `tocsin doctor` does. Contacts no other server. */
  readonly examineMachine: () => Promise<readonly Finding[]>;
}

const BytesSchema = Type.Number({ description: "In bytes." });

const HealthSchema = Type.Object({
  version: Type.String(),
  node: Type.String(),
  startedAt: Timestamp,
  now: Timestamp,
  database: Type.Object({
    engine: Type.String(),
    sizeBytes: BytesSchema,
    step: Type.String({ description: "The last migration." }),
  }),
  disk: Type.Object({ freeBytes: BytesSchema, totalBytes: BytesSchema }),
  queue: Type.Object({
    jobs: Type.Integer(),
    due: Type.Integer({ description: "Due, and not yet claimed by a worker." }),
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
  findings: Type.Array(FindingSchema),
});

/** Registers the route of the server's health report. */
export function registerHealthRoutes(server: Server, deps: HealthRouteDeps): void {
  const schema = {
    operationId: "getHealth",
    tags: ["Administration"],
    summary: "Show the server's health, its problems and how to fix them",
    response: { 200: HealthSchema },
  };
  server.get("/api/app/v1/admin/health", { schema }, async (request) => {
    await deps.authenticateAdministrator(request);
    const { baseUrl } = deps.publicUrl;
    const [health, machineFindings, releaseFinding] = await Promise.all([
      measureHealth(deps),
      deps.examineMachine(),
      deps.releaseChecker?.examine(),
    ]);
    const urlFinding = {
      subject: "address",
      ...checkRequestUrl(toRequestUrlFacts(deps, request)),
    };
    return {
      ...health,
      baseUrl,
      findings: [
        urlFinding,
        ...createTroubleFindings(deps),
        ...machineFindings,
        ...(releaseFinding === undefined ? [] : [releaseFinding]),
      ],
    };
  });
}

function toRequestUrlFacts(
  { publicUrl }: HealthRouteDeps,
  request: FastifyRequest,
): RequestUrlFacts {
  const forwardedProtocol = request.headers["x-forwarded-proto"];
  return {
    baseUrl: publicUrl.baseUrl,
    protocol: request.protocol,
    host: request.host,
    isProxyTrusted: publicUrl.trustProxy !== false,
    forwardedProtocol: typeof forwardedProtocol === "string" ? forwardedProtocol : null,
  };
}
