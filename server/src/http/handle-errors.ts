import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { AppError, invalidField } from "#errors.ts";
import { noSuchField, shownName } from "./closed-schema.ts";
import { errorBody, statusOf, surfaceOf } from "./answer.ts";
import type { Server } from "./server.ts";

/** Turns every error of a route into the answer of its surface, and unknown paths into 404. */
export function handleErrors(server: Server): void {
  server.setErrorHandler(answerError);
  server.setNotFoundHandler(answerNotFound);
  // Runs before the body is read: an unknown path is a 404 whatever its body.
  server.addHook("onRequest", async (request, reply) =>
    request.is404 ? answerNotFound(request, reply) : undefined,
  );
}

function answerNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const message = "There is nothing at this path. The paths are listed at /docs.";
  const error = { code: "not_found", message, field: null, requestId: request.id } as const;
  return reply.code(404).send(errorBody(surfaceOf(request), error));
}

/** Answers one error; faults of the server are logged here, once. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const known = toAppError(error, request);
  const facts = { err: known.cause, route: request.routeOptions.url };
  if (known.code === "internal") request.log.error(facts, "request failed");
  if (known.code === "unavailable") request.log.warn(facts, "request refused for now");
  return answer(known, request, reply);
}

function answer(error: AppError, request: FastifyRequest, reply: FastifyReply) {
  const surface = surfaceOf(request);
  // Node reads and drops the rest of an unread body, so that its sender sees this answer.
  if (reply.hasHeader("connection")) reply.removeHeader("connection");
  if (error.retryAfterMs !== null) {
    reply.header("retry-after", String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000))));
  }
  const { code, message, field } = error;
  return reply
    .code(statusOf(surface, code))
    .send(errorBody(surface, { code, message, field, requestId: request.id }));
}

/** Returns the error for a body whose content type is not JSON. */
export function unsupportedContentType(): AppError {
  const message = "Send the body with Content-Type: application/json.";
  return new AppError("unsupported_content_type", message);
}

/** The `Retry-After` of an unavailable server. */
const RETRY_AFTER_MS = 5_000;

/** Maps an error of the framework to the caller's mistake, in our words; anything else is a fault of the server. */
function toAppError(error: FastifyError, { server, method }: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  if (error.validation !== undefined) return fromValidation(error);
  const known = FRAMEWORK_ERRORS[error.code];
  if (known !== undefined) return known();
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new AppError("invalid_request", "The request could not be read.", { cause: error });
  }
  if (server.isUnavailable(error)) {
    const isInDoubt = !READS.has(method) && server.isInDoubt(error);
    const message = isInDoubt ? MAYBE_DONE : NOT_NOW;
    return new AppError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS, cause: error });
  }
  return new AppError("internal", "Something went wrong on this server.", { cause: error });
}

/** Makes no claim about earlier steps: one of them may be stored. */
const NOT_NOW = "The server cannot reach or write its database now. Try again later.";
const MAYBE_DONE =
  "The database did not answer in time: this may have been done. Look before you repeat it.";

const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

const FRAMEWORK_ERRORS: Readonly<Record<string, () => AppError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedContentType,
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new AppError("body_too_large", "The body is larger than 256 KiB. Shorten it."),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new AppError("invalid_request", "The body is not as long as Content-Length says."),
};

/** Names the field of the first finding; `/` of a JSON pointer becomes a dot. */
function fromValidation(error: FastifyError): AppError {
  const [first] = error.validation ?? [];
  const missing = textOf(first?.params["missingProperty"]);
  const unknown = textOf(first?.params["additionalProperty"]);
  const path = (first?.instancePath ?? "").split("/").filter((part) => part !== "");
  const named = missing ?? unknown;
  const field = [...path, ...(named === undefined ? [] : [shownName(named)])].join(".");
  const where = field === "" ? (error.validationContext ?? "body") : field;
  if (missing !== undefined) return invalidField(where, `${where} is required.`);
  if (unknown !== undefined) return noSuchField(where);
  return invalidField(where, `${where} ${first?.message ?? "is not valid"}.`);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
