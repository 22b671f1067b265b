import swagger from "@fastify/swagger";
import type { FastifySchema } from "fastify";
import { createLazyFileHandler } from "./send-file.ts";
import { getCookieName } from "./cookies.ts";
import { getApiNameOfPath, type ApiName } from "./error-response.ts";
import { createStaticFile } from "./static-files.ts";
import { registerApiReference } from "./api-reference.ts";
import { describeErrorResponses, toErrorResponseName, getErrorStatuses } from "./error-statuses.ts";
import { showDocumentedKeywords } from "#schema/documented-keywords.ts";
import type { Server } from "./server.ts";

/** The version of the notification API, which is also that of the OpenAPI document. */
const API_VERSION = "1.0.11";

const OPENAPI_PATH = "/openapi.json";

/** Registers `/openapi.json` and the page `/docs`. Documents every route that is registered after this call. */
export async function registerOpenApi(server: Server, baseUrl: string): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Tocsin",
        version: API_VERSION,
        description:
          "One call with an API key sends a push to every device of an account, of a team's members or of a device group, and returns a result per device. The version is that of the notification API.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
          accessToken: { type: "http", scheme: "bearer" },
          session: { type: "apiKey", in: "cookie", name: getCookieName("session", baseUrl) },
          deviceKey: {
            type: "apiKey",
            in: "header",
            name: "authorization",
            description: "`Device <deviceId>.<actionKey>`",
          },
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      // Routes of several methods serve pages and are hidden.
      schema: completeSchema(schema, { url, method: String(route.method) }),
      url,
    }),
    // The options above select OpenAPI, and path items contain only operations.
    transformObject: (document) =>
      completeDocument(
        ("openapiObject" in document ? document.openapiObject : {}) as OpenApiDocument,
      ),
  });
  registerApiReference(server);
  const load = () => createStaticFile(OPENAPI_PATH, Buffer.from(JSON.stringify(server.swagger())));
  const handler = createLazyFileHandler(load, { "cache-control": "no-cache" });
  server.get(OPENAPI_PATH, { schema: { hide: true } }, handler);
}

/** Adds to a schema what all routes of an API share: their security and their error responses. */
function completeSchema(
  { errorStatuses = [], ...schema }: FastifySchema,
  { url, method }: { readonly url: string; readonly method: string },
): FastifySchema {
  const isSignIn = url.startsWith("/api/auth/");
  const { security = isSignIn ? [] : SECURITY_BY_API[getApiNameOfPath(url)] } = schema;
  const statuses = getErrorStatuses({
    url,
    method,
    isSecured: security.length > 0,
    acceptsSession: security.some((scheme) => "session" in scheme),
    errorStatuses,
  });
  // Error responses are empty placeholders here; `completeDocument` replaces them with references.
  const placeholders = Object.fromEntries([...statuses].map((status) => [status, {}]));
  const { body, querystring, headers } = schema;
  return {
    ...schema,
    ...(body === undefined ? {} : { body: showDocumentedKeywords(body) }),
    ...(querystring === undefined ? {} : { querystring: showDocumentedKeywords(querystring) }),
    ...(headers === undefined ? {} : { headers: showDocumentedKeywords(headers) }),
    security,
    response: { ...(schema.response as object), ...placeholders },
  };
}

const SECURITY_BY_API: Readonly<Record<ApiName, readonly Record<string, string[]>[]>> = {
  notification: [{ apiKey: [] }],
  receipts: [{ apiKey: [] }],
  management: [{ apiKey: [] }],
  app: [{ accessToken: [] }, { session: [] }],
};

/** The part of the OpenAPI document that is completed here. */
interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: object;
}

interface OpenApiOperation {
  readonly requestBody?: {
    required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: BodySchema }>>;
  };
  readonly responses: Record<string, object>;
}

interface BodySchema {
  readonly anyOf?: readonly { readonly type?: string }[];
}

/** Describes each error response once, makes operations refer to it, and marks optional bodies. */
function completeDocument(document: OpenApiDocument): object {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const { requestBody, responses } of Object.values(item)) {
      for (const status of Object.keys(responses).map(Number)) {
        if (status < 400) continue;
        const name = toErrorResponseName(getApiNameOfPath(path), status);
        responses[status] = { $ref: `#/components/responses/${name}` };
      }
      if (requestBody === undefined) continue;
      const schemas = Object.values(requestBody.content).map(({ schema }) => schema);
      // A request without a body is read as null.
      requestBody.required = !schemas.some(({ anyOf }) =>
        anyOf?.some(({ type }) => type === "null"),
      );
    }
  }
  return {
    ...document,
    components: { ...document.components, responses: describeErrorResponses() },
  };
}
