import createValidatorCompiler, { type ValidatorCompiler } from "@fastify/ajv-compiler";
import createSerializerCompiler from "@fastify/fast-json-stringify-compiler";
import type { FastifySchemaCompiler, FastifySchemaValidationError } from "fastify";
import type { Server } from "./server.ts";

/** Validates without changing the input: a value that does not fit is refused. */
const OPTIONS = { coerceTypes: false, removeAdditional: false, allErrors: false } as const;

/**
 * Compiles the schemas of a route on its first request. Compiling all of them would take a third of the start, and most
 * routes are never called in the life of a process.
 */
export function compileOnFirstUse(server: Server): void {
  server.setValidatorCompiler((route) => {
    let validate: Validate | null = null;
    const later: Validate = (data: unknown) => {
      validate ??= compileValidator(route);
      const isValid = validate(data);
      // Ajv leaves the errors on the function, and Fastify reads them there.
      later.errors = validate.errors ?? null;
      return isValid;
    };
    return later;
  });
  server.setSerializerCompiler(({ schema, method, url, httpStatus = "" }) => {
    let serialize: ((data: unknown) => string) | null = null;
    return (data: unknown) =>
      (serialize ??= compileSerializer({ schema, method, url, httpStatus }))(data);
  });
}

/** Shared by all servers of a process, because creating it compiles the meta-schema. */
const compileValidator = validatorsOf(createValidatorCompiler()({}, { customOptions: OPTIONS }));
const compileSerializer = createSerializerCompiler()();

interface Validate {
  (data: unknown): boolean;
  errors?: FastifySchemaValidationError[] | null;
}

/** Fastify's type takes a schema and may be asynchronous; the compiler takes a part of a route, and ours is synchronous. */
function validatorsOf(compiler: ValidatorCompiler) {
  return compiler as unknown as (...route: Parameters<FastifySchemaCompiler<unknown>>) => Validate;
}
