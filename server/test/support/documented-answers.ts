import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { Readable } from "node:stream";
import createValidatorCompiler, { type ValidatorCompiler } from "@fastify/ajv-compiler";
import type { FastifyReply, FastifyRequest } from "fastify";
import { closedSchema } from "#http/closed-schema.ts";
import type { Server } from "#http/server.ts";

type Schema = Readonly<Record<string, unknown>>;

/** An OpenAPI document, as far as answers are concerned. */
export interface AnswersDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Answer>> };
}

interface Operation {
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
}

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** Returns how the document describes an answer; undefined where it does not. */
export function describedAnswer(
  { paths, components }: AnswersDocument,
  { method, path, status }: Pick<GivenAnswer, "method" | "path" | "status">,
): Answer | undefined {
  const answer = paths[path]?.[method.toLowerCase()]?.responses[status];
  if (answer === undefined || !("$ref" in answer)) return answer;
  return components.responses[answer.$ref.replace("#/components/responses/", "")];
}

/** An answer, as it goes over the line. */
export interface GivenAnswer {
  readonly method: string;
  /** As the OpenAPI document writes it. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | undefined;
  /** Null for what has no body. */
  readonly text: string | null;
}

/** Makes a test fail where an answer of its server is not as the server's own OpenAPI document says. */
export function watchAnswers(test: TestContext, server: Server): void {
  const faults = new Set<string>();
  server.addHook("onSend", async (request, reply, payload) => {
    const judge = (text: string | null) => {
      const answer = answerTo(request, reply, text);
      const fault = answer === null ? null : faultIn(documentFor(server, answer), answer);
      if (fault !== null) faults.add(fault);
    };
    if (payload instanceof Readable) return Readable.from(overheard(payload, judge));
    judge(typeof payload === "string" ? payload : null);
    return payload;
  });
  const judgeAll = () => assert.deepEqual([...faults], [], "answers are as they are documented");
  // The last hook of all: where one fails, those after it do not run, and what they would stop runs on.
  test.after(() => test.after(judgeAll));
}

/** Returns what is wrong with an answer; null where it is as the document says, with not one member more. */
export function faultIn(document: AnswersDocument, answer: GivenAnswer): string | null {
  const { method, path, status, contentType, text } = answer;
  const name = `${method} ${path}: ${status}`;
  const documented = describedAnswer(document, answer);
  if (documented === undefined) return `${name} is not documented`;
  const { content = {} } = documented;
  const [type] = contentType?.split(";") ?? [];
  if (type === undefined) return Object.keys(content).length === 0 ? null : `${name} has no type`;
  const schema = content[type]?.schema;
  if (schema === undefined) return `${name} is not documented as ${type}`;
  if (text === null || type !== "application/json") return null;
  const validate = validatorOf(name, schema);
  if (validate(JSON.parse(text))) return null;
  return `${name}: ${JSON.stringify(validate.errors)}`;
}

/** Yields what a stream does, and tells the whole at its end. */
async function* overheard(stream: Readable, publish: (text: string) => void) {
  const pieces: string[] = [];
  for await (const piece of stream) {
    pieces.push(String(piece));
    yield piece;
  }
  publish(pieces.join(""));
}

/** Null for what no document tells of. */
function answerTo(
  { method, routeOptions: { url, schema } }: FastifyRequest,
  reply: FastifyReply,
  text: string | null,
): GivenAnswer | null {
  if (url === undefined || schema === undefined || schema.hide === true) return null;
  // Fastify takes the type off an answer without a body, but later.
  const type = reply.statusCode === 204 ? undefined : reply.getHeader("content-type");
  return {
    method,
    path: url.replaceAll(/:(\w+)/g, "{$1}"),
    status: reply.statusCode,
    contentType: type === undefined ? undefined : String(type),
    text,
  };
}

/** Of all apps of a process: to make one takes a third of an app's start. */
const made: AnswersDocument[] = [];
const documents = new WeakMap<Server, AnswersDocument>();

/** Returns the document that describes an answer; that of its own server where none does. */
function documentFor(server: Server, answer: GivenAnswer): AnswersDocument {
  const describing = made.find((document) => describedAnswer(document, answer) !== undefined);
  return describing ?? documentOf(server);
}

function documentOf(server: Server): AnswersDocument {
  const known = documents.get(server);
  if (known !== undefined) return known;
  // The served document is JSON: a schema that several operations share must be read as each shows it.
  const document: AnswersDocument = JSON.parse(JSON.stringify(server.swagger()));
  documents.set(server, document);
  made.push(document);
  return document;
}

/** Of all apps of a process, whose documents differ in nothing that answers are judged by. */
const validators = new Map<string, Validate>();

interface Validate {
  (data: unknown): boolean;
  readonly errors?: readonly object[] | null;
}

const OPTIONS = { coerceTypes: false, removeAdditional: false, useDefaults: false } as const;
/** Its types say that it takes a route's schema and may be asynchronous; it takes a part of it, and is not. */
const compile = compilerOf(createValidatorCompiler()({}, { customOptions: OPTIONS }));

function compilerOf(compiler: ValidatorCompiler) {
  return compiler as unknown as (route: { readonly schema: unknown }) => Validate;
}

function validatorOf(name: string, schema: Schema): Validate {
  const known = validators.get(name);
  if (known !== undefined) return known;
  // Of a schema that is known already the compiler keeps what it made.
  const made = compile({ schema: closedSchema(schema) });
  validators.set(name, made);
  return made;
}
