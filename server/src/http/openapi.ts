import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifySchema } from "fastify";
import { Type } from "#json-schema.ts";
import { surfaceOfPath, type Surface } from "./answer.ts";
import type { Server } from "./server.ts";

/** The version of the notification API that the specification describes. */
const API_VERSION = "1.0.11";

/** What the page for people is made of lies beside it; it asks this server alone, and draws signs that its style sheet holds. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "object-src 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Documents every route registered after it: `/openapi.json`, and `/docs` for people. */
export async function registerOpenApi(server: Server, baseUrl: string): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Tocsin",
        version: API_VERSION,
        description:
          "One call with an API key, and every device of an account, of a team's members or of a device group gets the push, with a result per device. The version is that of the notification API.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
          accessToken: { type: "http", scheme: "bearer" },
          session: { type: "apiKey", in: "cookie", name: "session" },
        },
      },
    },
    transform: ({ schema, url }) => ({ schema: complete(schema, url), url }),
  });
  await server.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title: "Tocsin API" },
    // The bar above would name another product, and ask for another document.
    uiConfig: { deepLinking: true, displayRequestDuration: true, layout: "BaseLayout" },
  });
  server.get("/openapi.json", { schema: { hide: true } }, async () => server.swagger());
}

/** Adds to the document what is the same for all routes of a surface: who may ask, and how errors look. */
function complete(schema: FastifySchema, url: string): FastifySchema {
  const surface = surfaceOfPath(url);
  const isSignIn = url.startsWith("/api/auth/");
  const security = isSignIn ? [] : SECURITY[surface];
  // A route's own answers are schemas by status.
  const response = { ...(schema.response as object), default: ERRORS[surface] };
  return { security, ...schema, response };
}

const SECURITY: Readonly<Record<Surface, readonly Record<string, string[]>[]>> = {
  notification: [{ apiKey: [] }],
  management: [{ apiKey: [] }],
  app: [{ accessToken: [] }, { session: [] }],
};

const REFUSED = { success: Type.Literal(false), message: Type.String() };
const DETAIL = Type.Object({
  code: Type.String(),
  field: Type.Optional(Type.String()),
  requestId: Type.String(),
});
const WITH_DETAIL = Type.Object({ ...REFUSED, error: DETAIL }, { description: "Refused." });
const WITH_CODE = Type.Object({ ...REFUSED, error: Type.String() }, { description: "Refused." });

const ERRORS: Readonly<Record<Surface, object>> = {
  notification: WITH_DETAIL,
  management: WITH_CODE,
  app: WITH_DETAIL,
};
