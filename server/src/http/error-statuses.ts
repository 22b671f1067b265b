import { Type, type TSchema } from "#schema/json-schema.ts";
import { getApiNameOfPath, type ApiName } from "./error-response.ts";

/** The properties of a route that determine its error statuses. */
export interface DocumentedRoute {
  readonly url: string;
  readonly method: string;
  /** Whether the route requires an authenticated caller. */
  readonly isSecured: boolean;
  /** Whether a session cookie can authenticate the caller. */
  readonly acceptsSession: boolean;
  /** The error statuses that the schema of the route names. */
  readonly errorStatuses: readonly number[];
}

declare module "fastify" {
  interface FastifySchema {
    /**
     * The error statuses of this route, in addition to those that `getErrorStatuses` derives. Not for the notification
     * API.
     */
    readonly errorStatuses?: readonly number[];
  }
}

/**
 * Returns all error statuses of a route. All routes of the notification API have the same, and so have those of the
 * management API. In the other APIs, they depend on the route and include its `errorStatuses`.
 */
export function getErrorStatuses({
  url,
  method,
  isSecured,
  acceptsSession,
  errorStatuses,
}: DocumentedRoute): ReadonlySet<number> {
  const apiName = getApiNameOfPath(url);
  if (apiName === "management") return new Set([400, 401, 500]);
  if (apiName === "notification") return new Set([400, 401, 429, 500]);
  if (apiName === "receipts") return new Set([400, 401, 429, 500, ...errorStatuses]);
  // A browser adds the session cookie by itself, so such requests are refused if another site's page sent them.
  const refusesForeignPages = method !== "GET" && (acceptsSession || url.startsWith("/api/auth/"));
  const canBeForbidden = refusesForeignPages || url.startsWith("/api/app/v1/admin/");
  return new Set([
    400,
    500,
    ...(isSecured ? [401] : []),
    ...(canBeForbidden ? [403] : []),
    ...(url.includes(":") ? [404] : []),
    ...errorStatuses,
  ]);
}

/** Returns the name of an error response in the OpenAPI document. */
export function toErrorResponseName(apiName: ApiName, status: number): string {
  return `${apiName}-${status}`;
}

/** Returns the OpenAPI descriptions of all error responses, by name. */
export function describeErrorResponses() {
  const descriptions = API_NAMES.flatMap((apiName) =>
    Object.entries(STATUS_DESCRIPTIONS).map(([status, description]) => {
      const hasRetryAfter = status === "429" || status === "500";
      const response = {
        description,
        content: { "application/json": { schema: ERROR_SCHEMAS[apiName] } },
        ...(hasRetryAfter ? { headers: RETRY_AFTER_HEADER } : {}),
      };
      return [toErrorResponseName(apiName, Number(status)), response] as const;
    }),
  );
  return Object.fromEntries(descriptions);
}

const API_NAMES: readonly ApiName[] = ["notification", "receipts", "management", "app"];

const STATUS_DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: "The request is invalid.",
  401: "Authentication is missing or invalid.",
  403: "Not allowed for this caller, or sent from a page of another site.",
  404: "It does not exist, or it belongs to someone else.",
  409: "The request conflicts with the current state.",
  429: "Too many requests, or a limit is reached.",
  500: "`unavailable`: nothing was stored, unless the message says that it may have been; try again after `Retry-After`, and repeat a notification with the same Idempotency-Key. `internal`: an error in the server.",
};

const RETRY_AFTER_HEADER = {
  "retry-after": {
    description: "Seconds to wait before trying again.",
    schema: Type.String({ pattern: "^[1-9][0-9]*$" }),
  },
};

const ERROR_PROPERTIES = { success: Type.Literal(false), message: Type.String() };
const ERROR_DETAIL = Type.Object({
  code: Type.String(),
  field: Type.Optional(Type.String({ description: "The field to correct." })),
  requestId: Type.String(),
});
const ERROR_WITH_DETAIL = Type.Object({ ...ERROR_PROPERTIES, error: ERROR_DETAIL });

const ERROR_SCHEMAS: Readonly<Record<ApiName, TSchema>> = {
  notification: ERROR_WITH_DETAIL,
  management: Type.Object({ ...ERROR_PROPERTIES, error: Type.String() }),
  receipts: ERROR_WITH_DETAIL,
  app: ERROR_WITH_DETAIL,
};
