import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { Server } from "./server.ts";

/** The version of the notification API that the specification describes. */
const API_VERSION = "1.0.11";

/** Documents every route registered after it: `/openapi.json`, and `/docs` for people. */
export async function registerOpenApi(server: Server, baseUrl: string): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Tocsin",
        version: API_VERSION,
        description:
          "One call with an API key, and every device of an account, of a team's members or of a device group gets the push, with a result per device.",
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
  });
  await server.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: true,
    uiConfig: { deepLinking: true, displayRequestDuration: true },
  });
  server.get("/openapi.json", { schema: { hide: true } }, async () => server.swagger());
}
