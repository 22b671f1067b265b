import createValidatorCompiler, { type ValidatorCompiler } from "@fastify/ajv-compiler";
import createSerializerCompiler from "@fastify/fast-json-stringify-compiler";
import type { FastifySchemaCompiler, FastifySchemaValidationError } from "fastify";
import type { Server } from "./server.ts";

/** Nothing is changed in what a caller sent: what does not fit is refused. */
const OPTIONS = { coerceTypes: false, removeAdditional: false, allErrors: false } as const;

/**
 * Compiles the schemas of a route when a request first needs them. To compile all of them would be a third of what a start
 * costs, and most routes are not asked for in the life of a process.
 */
export function compileOnFirstUse(server: Server): void {
  server.setValidatorCompiler((route) => {
    let validate: Validate | null = null;
    const later: Validate = (data: unknown) => {
      validate ??= compileValidator(route);
      const isValid = validate(data);
      // Where Ajv puts them, and Fastify looks for them.
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

/** For all servers of a process: to begin with, it compiles the schema that schemas must fit. */
const compileValidator = validatorsOf(createValidatorCompiler()({}, { customOptions: OPTIONS }));
const compileSerializer = createSerializerCompiler()();

interface Validate {
  (data: unknown): boolean;
  errors?: FastifySchemaValidationError[] | null;
}

/** Its types say that it takes a schema and may be asynchronous; it takes a route's part, and ours are not. */
function validatorsOf(compiler: ValidatorCompiler) {
  return compiler as unknown as (...route: Parameters<FastifySchemaCompiler<unknown>>) => Validate;
}
