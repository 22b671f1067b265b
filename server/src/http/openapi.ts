import swagger from "@fastify/swagger";
import type { FastifySchema } from "fastify";
import { sendLazyFile } from "./answer-file.ts";
import { cookieName } from "./cookies.ts";
import { surfaceOfPath, type Surface } from "./answer.ts";
import { makeFile } from "./page-files.ts";
import { registerReference } from "./reference.ts";
import { describeRefusals, refusalName, refusalsOf } from "./refusals.ts";
import { withStated } from "#schema/stated.ts";
import type { Server } from "./server.ts";

/** The version of the notification API that the specification describes. */
const API_VERSION = "1.0.11";

const PATH = "/openapi.json";

/** Registers `/openapi.json`, and `/docs` for people. Documents every route that is registered after it. */
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
          session: { type: "apiKey", in: "cookie", name: cookieName("session", baseUrl) },
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
  registerReference(server);
  const load = () => makeFile(PATH, Buffer.from(JSON.stringify(server.swagger())));
  const handler = sendLazyFile(load, { "cache-control": "no-cache" });
  server.get(PATH, { schema: { hide: true } }, handler);
}

/** Adds the parts that all routes of an API share to a schema: its security and its refusals. */
function completeSchema(
  { refusals = [], ...schema }: FastifySchema,
  { url, method }: { readonly url: string; readonly method: string },
): FastifySchema {
  const isSignIn = url.startsWith("/api/auth/");
  const { security = isSignIn ? [] : SECURITY[surfaceOfPath(url)] } = schema;
  const statuses = refusalsOf({ url, method, isSecured: security.length > 0, refusals });
  // Refusals are empty placeholders here; `completeDocument` replaces them with references.
  const placeholders = Object.fromEntries([...statuses].map((status) => [status, {}]));
  const { body, querystring, headers } = schema;
  return {
    ...schema,
    ...(body === undefined ? {} : { body: withStated(body) }),
    ...(querystring === undefined ? {} : { querystring: withStated(querystring) }),
    ...(headers === undefined ? {} : { headers: withStated(headers) }),
    security,
    response: { ...(schema.response as object), ...placeholders },
  };
}

const SECURITY: Readonly<Record<Surface, readonly Record<string, string[]>[]>> = {
  notification: [{ apiKey: [] }],
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

/** Describes each refusal once, makes operations refer to it, and marks optional bodies. */
function completeDocument(document: OpenApiDocument): object {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const { requestBody, responses } of Object.values(item)) {
      for (const status of Object.keys(responses).map(Number)) {
        if (status < 400) continue;
        const name = refusalName(surfaceOfPath(path), status);
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
  return { ...document, components: { ...document.components, responses: describeRefusals() } };
}
