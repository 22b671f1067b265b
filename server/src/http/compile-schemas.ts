import createValidatorCompiler, { type ValidatorCompiler } from "@fastify/ajv-compiler";
import createSerializerCompiler from "@fastify/fast-json-stringify-compiler";
import type { FastifySchemaCompiler, FastifySchemaValidationError } from "fastify";
import type { Server } from "./server.ts";

/** Validates without changing the input: an invalid value is refused, not coerced. */
const OPTIONS = { coerceTypes: false, removeAdditional: false, allErrors: false } as const;

/**
 * Compiles the schemas of a route on its first request. Compiling all of them would take a third of the start-up
 * time, and a process never calls most routes.
 */
export function compileOnFirstUse(server: Server): void {
  server.setValidatorCompiler((route) => {
    let validate: Validate | null = null;
    const validateLazily: Validate = (data: unknown) => {
      validate ??= compileValidator(route);
      const isValid = validate(data);
      // Ajv leaves the errors on the function, and Fastify reads them there.
      validateLazily.errors = validate.errors ?? null;
      return isValid;
    };
    return validateLazily;
  });
  server.setSerializerCompiler(({ schema, method, url, httpStatus = "" }) => {
    let serialize: ((data: unknown) => string) | null = null;
    return (data: unknown) =>
      (serialize ??= compileSerializer({ schema, method, url, httpStatus }))(data);
  });
}

/** Shared by all servers of a process, because creating it compiles the meta-schema. */
const compileValidator = toValidatorCompiler(
  createValidatorCompiler()({}, { customOptions: OPTIONS }),
);
const compileSerializer = createSerializerCompiler()();

interface Validate {
  (data: unknown): boolean;
  errors?: FastifySchemaValidationError[] | null;
}

/**
 * Fastify's type expects a schema and allows an asynchronous result. The compiler expects a part of a route, and
 * ours is synchronous.
 */
function toValidatorCompiler(compiler: ValidatorCompiler) {
  return compiler as unknown as (...route: Parameters<FastifySchemaCompiler<unknown>>) => Validate;
}
