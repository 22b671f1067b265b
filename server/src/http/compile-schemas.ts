import createValidatorCompiler, { type ValidatorCompiler } from "@fastify/ajv-compiler";
import createSerializerCompiler from "@fastify/fast-json-stringify-compiler";
import type { FastifySchemaCompiler, FastifySchemaValidationError } from "fastify";
import type { Server } from "./server.ts";

/** Validates without changing the input: an invalid value is refused, not coerced. */
const VALIDATOR_OPTIONS = {
  coerceTypes: false,
  removeAdditional: false,
  allErrors: false,
} as const;

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
    let serialize: Serialize | null = null;
    return (data: unknown) =>
      (serialize ??= getSerializer({ schema, method, url, httpStatus }))(data);
  });
}

type Serialize = (data: unknown) => string;

/** Compiled serializers. A schema is a constant, which all servers of a process share. */
const serializersBySchema = new WeakMap<object, Serialize>();

function getSerializer(route: Parameters<typeof compileSerializer>[0]): Serialize {
  const { schema } = route;
  if (typeof schema !== "object" || schema === null) return compileSerializer(route);
  const serialize = serializersBySchema.get(schema) ?? compileSerializer(route);
  serializersBySchema.set(schema, serialize);
  return serialize;
}

/** All servers of a process share this compiler, because creating it compiles the meta-schema. */
const compileValidator = toValidatorCompiler(
  createValidatorCompiler()({}, { customOptions: VALIDATOR_OPTIONS }),
);
const compileSerializer = createSerializerCompiler()();

interface Validate {
  (data: unknown): boolean;
  errors?: FastifySchemaValidationError[] | null;
}

/**
 * Returns the compiler with its real type: it expects a part of a route, and its result is synchronous. Fastify's type
 * expects a schema and allows an asynchronous result.
 */
function toValidatorCompiler(compiler: ValidatorCompiler) {
  return compiler as unknown as (...route: Parameters<FastifySchemaCompiler<unknown>>) => Validate;
}
