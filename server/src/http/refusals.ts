import { Type, type TSchema } from "#schema/json-schema.ts";
import { surfaceOfPath, type Surface } from "./answer.ts";

/** The properties of a route that decide its refusals. */
export interface RefusingRoute {
  readonly url: string;
  readonly method: string;
  /** True if its security requires a known caller. */
  readonly isSecured: boolean;
  /** The statuses named by its schema. */
  readonly refusals: readonly number[];
}

declare module "fastify" {
  interface FastifySchema {
    /** The refusal statuses of this route, in addition to the usual ones. */
    readonly refusals?: readonly number[];
  }
}

/** Returns all refusal statuses of a route: its own and the usual ones. */
export function refusalsOf({
  url,
  method,
  isSecured,
  refusals,
}: RefusingRoute): ReadonlySet<number> {
  const surface = surfaceOfPath(url);
  if (surface === "management") return new Set([400, 401, 500]);
  if (surface === "notification") return new Set([400, 401, 429, 500]);
  // A browser also sends the session cookie with requests from other sites' pages.
  const isGuarded = method !== "GET" && (isSecured || url.startsWith("/api/auth/"));
  const isRestricted = isGuarded || url.startsWith("/api/app/v1/admin/");
  return new Set([
    400,
    500,
    ...(isSecured ? [401] : []),
    ...(isRestricted ? [403] : []),
    ...(url.includes(":") ? [404] : []),
    ...refusals,
  ]);
}

/** Returns the name of a refusal in the OpenAPI document. */
export function refusalName(surface: Surface, status: number): string {
  return `${surface}-${status}`;
}

/** Returns the OpenAPI descriptions of all refusals, by name. */
export function describeRefusals() {
  const descriptions = SURFACES.flatMap((surface) =>
    Object.entries(REASONS).map(([status, description]) => {
      const hasHeader = status === "429" || status === "500";
      const response = {
        description,
        content: { "application/json": { schema: ERRORS[surface] } },
        ...(hasHeader ? { headers: RETRY_AFTER } : {}),
      };
      return [refusalName(surface, Number(status)), response] as const;
    }),
  );
  return Object.fromEntries(descriptions);
}

const SURFACES: readonly Surface[] = ["notification", "management", "app"];

const REASONS: Readonly<Record<number, string>> = {
  400: "The request is invalid.",
  401: "Authentication is missing or invalid.",
  403: "Not allowed for this caller, or sent from a page of another site.",
  404: "It does not exist, or it belongs to someone else.",
  409: "The request conflicts with the current state.",
  429: "Too many requests, or a limit is reached.",
  500: "`unavailable`: nothing was stored, unless the message says that it may have been; try again after `Retry-After`, and repeat a notification with the same Idempotency-Key. `internal`: a fault of the server.",
};

const RETRY_AFTER = {
  "retry-after": {
    description: "Seconds to wait before trying again.",
    schema: Type.String({ pattern: "^[1-9][0-9]*$" }),
  },
};

const REFUSED = { success: Type.Literal(false), message: Type.String() };
const DETAIL = Type.Object({
  code: Type.String(),
  field: Type.Optional(Type.String({ description: "The field to correct." })),
  requestId: Type.String(),
});
const WITH_DETAIL = Type.Object({ ...REFUSED, error: DETAIL });

const ERRORS: Readonly<Record<Surface, TSchema>> = {
  notification: WITH_DETAIL,
  management: Type.Object({ ...REFUSED, error: Type.String() }),
  app: WITH_DETAIL,
};
