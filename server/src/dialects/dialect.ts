import type { FastifyRequest } from "fastify";
import type { Dialect as DialectName } from "@tocsin/sdk";
import type { AppError } from "#errors.ts";
import type { RequestPrincipal } from "#http/authenticate.ts";
import type { Server } from "#http/server.ts";
import type { AcceptSendDeps } from "#notifications/routes.ts";

/** An API of another service: its routes, and its form of errors. */
export interface Dialect {
  /** Registers the routes, with `FOREIGN_ROUTE`. Bodies arrive as bytes, whatever their content type. */
  readonly register: (server: Server, deps: DialectDeps) => void;
  /** Returns the response to an error in the words of the API. */
  readonly describeError: (error: AppError, request: FastifyRequest) => ForeignError;
}

/** The response to an error, in the form of another service's API. */
export interface ForeignError {
  readonly status: number;
  readonly body: object;
}

/** The dependencies of the routes of a dialect. */
export interface DialectDeps extends AcceptSendDeps {
  /** Returns the sender of a valid key of this dialect, or of a UUID key; null for any other string. */
  readonly findSender: (key: string, dialect: DialectName) => Promise<DialectSender | null>;
  /** Counts a wrong key for the network of an address; throws `rate_limited` beyond the limit. */
  readonly countWrongKey: (ip: string) => Promise<void>;
}

/** An API key, with what it says about sends in an API that does not say it itself. */
export interface DialectSender {
  readonly principal: RequestPrincipal;
  readonly label: string | null;
  /** The channel of sends that name none; null for the default one. */
  readonly channel: string | null;
}

/** The options of every route of a dialect: it is outside of our own API and of its documents. */
export const FOREIGN_ROUTE = { schema: { hide: true }, config: { isForeign: true } };
