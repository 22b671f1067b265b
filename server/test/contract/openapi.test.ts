import assert from "node:assert/strict";
import test from "node:test";
import { CONTENT_FIELDS, SOUNDS } from "@tocsin/sdk";
import { INTERACTION_FIELD_NAMES } from "#notifications/interaction-fields.ts";
import { startApp, type TestApp } from "../support/app.ts";
import { findDocumentedResponse, type ResponsesDocument } from "../support/documented-responses.ts";
import { requestJson, parseErrorCode, send } from "./http-requests.ts";
import { DOCUMENTED_ROUTES } from "./documented-routes.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: unknown }>>;
  };
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly responses: ResponsesDocument["paths"][string][string]["responses"];
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: ResponsesDocument["components"] & {
    readonly securitySchemes: Readonly<Record<string, { readonly name?: string }>>;
  };
}

async function readDocument({ url }: TestApp): Promise<Document> {
  return JSON.parse((await requestJson(url, { path: "/openapi.json" })).text);
}

function listOperations({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
}

test("/openapi.json is OpenAPI 3.1 with the version of the specification", async (t) => {
  const app = await startApp(t, { environment: { TOCSIN_BASE_URL: "https://push.example.org" } });
  const document = await readDocument(app);
  assert.equal(document.openapi, "3.1.0");
  assert.equal(document.info.version, "1.0.11");
  assert.deepEqual(document.servers, [{ url: "https://push.example.org" }]);
  // Callers with a cookie must know its name, which differs over HTTPS.
  assert.equal(document.components.securitySchemes["session"]?.name, "__Host-tocsin_session");
  const refs = JSON.stringify(document).match(/"\$ref":"[^"]*"/g) ?? [];
  assert.deepEqual(
    refs.filter((ref) => !ref.startsWith('"$ref":"#/components/responses/')),
    [],
  );
});

test("the document lists exactly the routes of the APIs", async (t) => {
  const document = await readDocument(await startApp(t));
  const listedRoutes = listOperations(document).map(
    ({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`,
  );
  assert.deepEqual(listedRoutes.toSorted(), DOCUMENTED_ROUTES.toSorted());
});

test("every operation has a unique id, a summary, path parameters and responses", async (t) => {
  const document = await readDocument(await startApp(t));
  const ids = new Set<string>();
  for (const { path, method, operation } of listOperations(document)) {
    const name = `${method} ${path}`;
    const { operationId, summary, tags, parameters = [], responses } = operation;
    assert.ok(operationId && summary && tags.length > 0, name);
    assert.ok(!ids.has(operationId), operationId);
    ids.add(operationId);
    const pathParameters = parameters.filter((parameter) => parameter.in === "path");
    const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, parameter]) => String(parameter));
    assert.deepEqual(
      pathParameters.map((parameter) => parameter.name).toSorted(),
      names.toSorted(),
      name,
    );
    assert.ok(
      pathParameters.every(({ required }) => required),
      name,
    );
    assert.ok(
      Object.keys(responses).some((status) => /^2\d\d$/.test(status)),
      name,
    );
    for (const status of Object.keys(responses)) {
      const response = findDocumentedResponse(document, { method, path, status: Number(status) });
      const { description, content = {} } = response ?? assert.fail(`${name}: ${status}`);
      assert.ok(description.length > 0, `${name}: ${status}`);
      const isStream = path === "/api/app/v1/live" && status === "200";
      const types = isStream ? ["text/event-stream"] : ["application/json"];
      assert.deepEqual(Object.keys(content), status === "204" ? [] : types, `${name}: ${status}`);
      for (const { schema } of Object.values(content)) {
        assert.ok("type" in schema || "anyOf" in schema, `${name}: ${status}`);
      }
    }
  }
});

test("every documented operation answers an anonymous caller with 200, 400 or 401", async (t) => {
  const app = await startApp(t);
  for (const { path, method, operation } of listOperations(await readDocument(app))) {
    const body = operation.requestBody === undefined ? undefined : {};
    const request = { method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, "x"), body };
    const { status, text } = await send(app.url, request);
    assert.ok([200, 400, 401].includes(status), `${method} ${path}: ${status} ${text}`);
  }
});

test("the notification schemas match the specification", async (t) => {
  const { paths } = await readDocument(await startApp(t));
  const { requestBody } = paths["/api/v1/notify"]?.["post"] ?? {};
  const bodySchema = requestBody?.content["application/json"]?.schema;
  // The schema is plain JSON.
  const { required, properties } = bodySchema as {
    required: string[];
    properties: Record<string, Record<string, unknown>>;
  };
  assert.deepEqual(required, ["title", "body"]);
  const specifiedFields = ["title", "body", "sound", "channel", "link", "image", "timeSensitive"];
  const fields = Object.keys(CONTENT_FIELDS);
  assert.deepEqual(
    fields.filter((name) => specifiedFields.includes(name)),
    specifiedFields,
  );
  const allFields = [...fields, ...INTERACTION_FIELD_NAMES];
  assert.deepEqual(Object.keys(properties).toSorted(), allFields.toSorted());
  assert.equal(properties["title"]?.["maxLength"], 1_024);
  assert.equal(properties["body"]?.["maxLength"], 32_768);
  assert.deepEqual(properties["sound"]?.["enum"], SOUNDS);
  const parameters = paths["/api/v1/notify/{apiKey}"]?.["get"]?.parameters ?? [];
  const queryParameters = parameters.filter((parameter) => parameter.in === "query");
  assert.deepEqual(queryParameters.map(({ name }) => name).toSorted(), allFields.toSorted());
});

const PUBLIC_PATHS: ReadonlySet<string> = new Set([
  // A browser may subscribe with this key before sign-in.
  "/api/app/v1/webpush/key",
  // The holder of a link may preview its invitation.
  "/api/app/v1/invitations/look",
  // The recipient of an alarm email acts with the link in it.
  "/api/app/v1/acts/by-link",
  "/api/app/v1/acts/by-link/look",
  // Refusing invitation emails, and allowing them again, needs no account.
  "/api/app/v1/invitations/refuse-mails",
  "/api/app/v1/invitations/allow-mails",
]);

/** The only operation that a device calls with its action key. */
const DEVICE_PATH = "/api/app/v1/acts";

test("every operation documents its credentials and errors", async (t) => {
  const document = await readDocument(await startApp(t));
  for (const { path, method, operation } of listOperations(document)) {
    const { security = [], responses } = operation;
    const schemes = security.flatMap((scheme) => Object.keys(scheme));
    const isManagement = path.startsWith("/api/management/");
    const isPublic = PUBLIC_PATHS.has(path);
    const expectedSchemes = path.startsWith("/api/app/")
      ? isPublic
        ? []
        : path === DEVICE_PATH
          ? ["deviceKey"]
          : ["accessToken", "session"]
      : isManagement || (path.startsWith("/api/v1/") && !path.includes("{apiKey}"))
        ? ["apiKey"]
        : path === "/api/auth/change-password"
          ? ["session"]
          : [];
    assert.deepEqual(schemes, expectedSchemes, `${method} ${path}`);
    const statuses = Object.keys(responses).filter((status) => Number(status) >= 400);
    for (const status of listGenericErrorStatuses({ path, method, schemes }))
      assert.ok(statuses.includes(String(status)), `${method} ${path}: ${status}`);
    for (const status of statuses) {
      const shape = JSON.stringify(
        findDocumentedResponse(document, { method, path, status: Number(status) }),
      );
      assert.ok(shape.includes(isManagement ? '"error":{"type":"string"' : '"requestId"'), path);
    }
    assert.equal(responses["default"], undefined, path);
  }
});

/**
 * Returns the error statuses that any operation may return: from the parser, the guards, the rate limit and the
 * database.
 */
function listGenericErrorStatuses({ path, method, schemes }: OperationTraits): readonly number[] {
  if (path.startsWith("/api/management/")) return [400, 401, 500];
  if (path.startsWith("/api/v1/")) return [400, 401, 429, 500];
  const acceptsSession = schemes.includes("session") || path.startsWith("/api/auth/");
  const refusesForeignPages = method !== "get" && acceptsSession;
  return [
    400,
    500,
    ...(schemes.length > 0 ? [401] : []),
    ...(refusesForeignPages || path.includes("/admin/") ? [403] : []),
    ...(path.includes("{") ? [404] : []),
  ];
}

interface OperationTraits {
  readonly path: string;
  readonly method: string;
  readonly schemes: readonly string[];
}

test("/docs is an HTML page with a strict content security policy, and /openapi.json refuses POST", async (t) => {
  const { url } = await startApp(t);
  const page = await send(url, { path: "/docs/" });
  assert.equal(page.status, 200);
  assert.match(String(page.headers["content-type"]), /^text\/html/);
  const policy = String(page.headers["content-security-policy"]);
  assert.match(policy, /^default-src 'none'; .*frame-ancestors 'none'$/);
  // The page must also load from a server without a certificate.
  assert.doesNotMatch(policy, /https|unsafe|upgrade/);
  assert.equal(
    parseErrorCode(await requestJson(url, { method: "POST", path: "/openapi.json" })),
    "method_not_allowed",
  );
});

test("the document and its page are compressed if the caller accepts it, and cached", async (t) => {
  const { url } = await startApp(t);
  const page = (await send(url, { path: "/docs" })).text;
  const resources = Array.from(page.matchAll(/(?:href|src)="([^"]+)"/g), ([, path = ""]) => path);
  assert.ok(resources.length > 4);
  for (const path of ["/openapi.json", "/docs", ...resources]) {
    const uncompressed = await send(url, { path });
    assert.equal(uncompressed.status, 200, path);
    assert.equal(uncompressed.headers["content-encoding"], undefined, path);
    const compressed = await fetch(url + path, { headers: { "accept-encoding": "gzip" } });
    assert.equal(await compressed.text(), uncompressed.text, path);
    // PNG images are already compressed.
    const expectedEncoding = path.endsWith(".png") ? null : "gzip";
    assert.equal(compressed.headers.get("content-encoding"), expectedEncoding, path);
    const headers = { "if-none-match": uncompressed.headers.etag };
    assert.equal((await send(url, { path, headers })).status, 304, path);
  }
});
