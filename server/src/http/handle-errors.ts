import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { AppError, invalidField } from "#errors.ts";
import { createUnknownFieldError, shortenFieldName } from "./closed-schema.ts";
import { toErrorBody, toErrorStatus, getApiName } from "./error-response.ts";
import type { Server } from "./server.ts";

/** Turns every error of a route into the error response of its API, and unknown paths into 404. */
export function handleErrors(server: Server): void {
  server.setErrorHandler(sendError);
  server.setNotFoundHandler(sendNotFound);
  // Runs before the body is read: an unknown path is a 404 whatever its body.
  server.addHook("onRequest", (request, reply, done) => {
    if (request.is404) sendNotFound(request, reply);
    else done();
  });
}

function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const message = "There is nothing at this path. The paths are listed at /docs.";
  const error = { code: "not_found", message, field: null, requestId: request.id } as const;
  return reply.code(404).send(toErrorBody(getApiName(request), error));
}

/** Sends the response to an error. */
export function sendError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const { code, message, field } = prepareErrorResponse(error, request, reply);
  const apiName = getApiName(request);
  return reply
    .code(toErrorStatus(apiName, code))
    .send(toErrorBody(apiName, { code, message, field, requestId: request.id }));
}

/**
 * Returns what an error means to the caller, and sets the headers that its response has in every API. Server errors are
 * logged here, once.
 */
export function prepareErrorResponse(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): AppError {
  const appError = toAppError(error, request);
  const logFields = { reqId: request.id, err: appError.cause, route: request.routeOptions.url };
  if (appError.code === "internal") request.log.error(logFields, "request failed");
  if (appError.code === "unavailable") request.log.warn(logFields, "request refused for now");
  // The connection stays open: Node reads and discards the rest of the body, so that the client receives this response.
  if (reply.hasHeader("connection")) reply.removeHeader("connection");
  if (appError.retryAfterMs !== null) {
    reply.header("retry-after", String(Math.max(1, Math.ceil(appError.retryAfterMs / 1_000))));
  }
  return appError;
}

/** Returns the error for a body with a content type other than JSON. */
export function createUnsupportedContentTypeError(): AppError {
  const message = "Send the body with Content-Type: application/json.";
  return new AppError("unsupported_content_type", message);
}

/** The `Retry-After` of an unavailable server. */
const RETRY_AFTER_MS = 5_000;

/** Maps an error of a route or of the framework to an `AppError`; any unknown error is a server error. */
function toAppError(error: FastifyError, { server, method }: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  if (error.validation !== undefined) return fromValidationError(error);
  const createError = FRAMEWORK_ERRORS[error.code];
  if (createError !== undefined) return createError();
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new AppError("invalid_request", "The request could not be read.", { cause: error });
  }
  if (server.isUnavailable(error)) {
    const isInDoubt = !READ_METHODS.has(method) && server.isInDoubt(error);
    const message = isInDoubt ? IN_DOUBT_MESSAGE : UNAVAILABLE_MESSAGE;
    return new AppError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS, cause: error });
  }
  return new AppError("internal", "Something went wrong on this server.", { cause: error });
}

/** The message does not claim that nothing was stored, because earlier steps of the request may have stored data. */
const UNAVAILABLE_MESSAGE = "The server cannot reach or write its database now. Try again later.";
const IN_DOUBT_MESSAGE =
  "The database did not answer in time: this may have been done. Look before you repeat it.";

const READ_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

const FRAMEWORK_ERRORS: Readonly<Record<string, () => AppError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: createUnsupportedContentTypeError,
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new AppError("body_too_large", "The body is larger than 256 KiB. Shorten it."),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new AppError("invalid_request", "The length of the body differs from Content-Length."),
};

/** Returns the error for the first invalid field; each `/` of its JSON pointer becomes a dot. */
function fromValidationError(error: FastifyError): AppError {
  const [problem] = error.validation ?? [];
  const missingName = toOptionalString(problem?.params["missingProperty"]);
  const unknownName = toOptionalString(problem?.params["additionalProperty"]);
  const pathSegments = (problem?.instancePath ?? "").split("/").filter((part) => part !== "");
  const name = missingName ?? unknownName;
  const field = [...pathSegments, ...(name === undefined ? [] : [shortenFieldName(name)])].join(
    ".",
  );
  const target = field === "" ? (error.validationContext ?? "body") : field;
  if (missingName !== undefined) return invalidField(target, `${target} is required.`);
  if (unknownName !== undefined) return createUnknownFieldError(target);
  return invalidField(target, `${target} ${problem?.message ?? "is not valid"}.`);
}

function toOptionalString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
