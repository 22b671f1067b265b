import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { Readable } from "node:stream";
import createValidatorCompiler, { type ValidatorCompiler } from "@fastify/ajv-compiler";
import type { FastifyReply, FastifyRequest } from "fastify";
import { closeSchema } from "#http/closed-schema.ts";
import type { Server } from "#http/server.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The parts of an OpenAPI document that describe responses. */
export interface ResponsesDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, DocumentedResponse>> };
}

interface Operation {
  readonly responses: Readonly<Record<string, DocumentedResponse | { readonly $ref: string }>>;
}

interface DocumentedResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** Returns the documented response; undefined if there is none. */
export function findDocumentedResponse(
  { paths, components }: ResponsesDocument,
  { method, path, status }: Pick<SentResponse, "method" | "path" | "status">,
): DocumentedResponse | undefined {
  const response = paths[path]?.[method.toLowerCase()]?.responses[status];
  if (response === undefined || !("$ref" in response)) return response;
  return components.responses[response.$ref.replace("#/components/responses/", "")];
}

/** A response as sent. */
export interface SentResponse {
  readonly method: string;
  /** In the notation of the OpenAPI document. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | undefined;
  /** Null if the response has no body. */
  readonly text: string | null;
}

/** Fails the test if a response of the server does not match the OpenAPI document. */
export function validateResponses(test: TestContext, server: Server): void {
  const mismatches = new Set<string>();
  server.addHook("onSend", async (request, reply, payload) => {
    const check = (text: string | null) => {
      const response = readResponse(request, reply, text);
      const mismatch =
        response === null ? null : findMismatch(findDocumentFor(server, response), response);
      if (mismatch !== null) mismatches.add(mismatch);
    };
    if (payload instanceof Readable) return Readable.from(passThrough(payload, check));
    check(typeof payload === "string" ? payload : null);
    return payload;
  });
  const assertNoMismatch = () =>
    assert.deepEqual([...mismatches], [], "responses match their documentation");
  // Registered last, because hooks after a failed one do not run and would leave resources open.
  test.after(() => test.after(assertNoMismatch));
}

/**
 * Returns the error of a response; null if it matches the document, without additional members. Checks the body of JSON
 * only.
 */
export function findMismatch(document: ResponsesDocument, response: SentResponse): string | null {
  const { method, path, status, contentType, text } = response;
  const name = `${method} ${path}: ${status}`;
  const documented = findDocumentedResponse(document, response);
  if (documented === undefined) return `${name} is not documented`;
  const { content = {} } = documented;
  const [type] = contentType?.split(";") ?? [];
  if (type === undefined) return Object.keys(content).length === 0 ? null : `${name} has no type`;
  const schema = content[type]?.schema;
  if (schema === undefined) return `${name} is not documented as ${type}`;
  if (text === null || type !== "application/json") return null;
  const validate = getValidator(name, schema);
  if (validate(JSON.parse(text))) return null;
  return `${name}: ${JSON.stringify(validate.errors)}`;
}

/** Passes a stream through, and calls `onEnd` with its complete text. */
async function* passThrough(stream: Readable, onEnd: (text: string) => void) {
  const chunks: string[] = [];
  for await (const chunk of stream) {
    chunks.push(String(chunk));
    yield chunk;
  }
  onEnd(chunks.join(""));
}

/** Returns the response to a request; null if its route is not documented. */
function readResponse(
  { method, routeOptions: { url, schema } }: FastifyRequest,
  reply: FastifyReply,
  text: string | null,
): SentResponse | null {
  if (url === undefined || schema === undefined || schema.hide === true) return null;
  // Fastify removes the type of a response without a body, but only later.
  const type = reply.statusCode === 204 ? undefined : reply.getHeader("content-type");
  return {
    method,
    path: url.replaceAll(/:(\w+)/g, "{$1}"),
    status: reply.statusCode,
    contentType: type === undefined ? undefined : String(type),
    text,
  };
}

/** Documents of all apps of the process, because creating one takes a third of an app's start. */
const createdDocuments: ResponsesDocument[] = [];
const documents = new WeakMap<Server, ResponsesDocument>();

/** Returns a document that describes the response, or else the document of its own server. */
function findDocumentFor(server: Server, response: SentResponse): ResponsesDocument {
  const matchingDocument = createdDocuments.find(
    (document) => findDocumentedResponse(document, response) !== undefined,
  );
  return matchingDocument ?? getDocument(server);
}

function getDocument(server: Server): ResponsesDocument {
  const cached = documents.get(server);
  if (cached !== undefined) return cached;
  // Serialised like the served document, so that schemas shared by several operations are separate objects.
  const document: ResponsesDocument = JSON.parse(JSON.stringify(server.swagger()));
  documents.set(server, document);
  createdDocuments.push(document);
  return document;
}

/** Validators for all apps of the process, whose documents describe responses identically. */
const validators = new Map<string, Validator>();

interface Validator {
  (data: unknown): boolean;
  readonly errors?: readonly object[] | null;
}

const VALIDATOR_OPTIONS = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
} as const;
/** The declared types need a whole route schema and allow promises. In fact, the compiler needs only a part and is synchronous. */
const compile = toRouteCompiler(
  createValidatorCompiler()({}, { customOptions: VALIDATOR_OPTIONS }),
);

function toRouteCompiler(compiler: ValidatorCompiler) {
  return compiler as unknown as (route: { readonly schema: unknown }) => Validator;
}

function getValidator(name: string, schema: Schema): Validator {
  const cached = validators.get(name);
  if (cached !== undefined) return cached;
  // The compiler itself caches by schema object, and each call passes a new one.
  const validator = compile({ schema: closeSchema(schema) });
  validators.set(name, validator);
  return validator;
}
