import type { FastifyRequest } from "fastify";
import type { Dialect as DialectName, Platform } from "@tocsin/sdk";
import type { AppStreams } from "#apps/app-streams.ts";
import type { AddAppInput, AppSignIn } from "#apps/sign-in.ts";
import type { AppError } from "#errors.ts";
import type { RequestPrincipal } from "#http/authenticate.ts";
import type { Server } from "#http/server.ts";
import type { AcceptSendDeps } from "#notifications/routes.ts";

/** The API of another service: its routes, and the format of its errors. */
export interface Dialect {
  /** Registers the routes, with `FOREIGN_ROUTE`. Bodies arrive as bytes, whatever their content type. */
  readonly register: (server: Server, deps: DialectDeps) => void;
  /** Returns the response to an error, in the format of the API. */
  readonly describeError: (error: AppError, request: FastifyRequest) => ForeignError;
}

/** The response to an error, in the format of another service's API. */
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
  /** Returns the devices of an account. */
  readonly listOwnDevices: (accountId: string) => Promise<readonly OwnDevice[]>;
  readonly appSignIn: AppSignIn;
  readonly appStreams: AppStreams;
  /** Returns the owner of an app. */
  readonly findAppOwner: (accountId: string) => Promise<AppOwner>;
  /** The URL of the server, without a slash at its end. */
  readonly baseUrl: string;
  readonly appPairing: AppPairing;
  /** Runs a function once after a duration in milliseconds. Returns a function that cancels it. */
  readonly schedule: (ms: number, run: () => void) => () => void;
}

/** A device of the account whose key a request has. */
export interface OwnDevice {
  readonly id: string;
  readonly name: string;
  readonly platform: Platform;
}

/** The sign-in of an app by the code with which people add a phone. */
export interface AppPairing {
  /** Returns the owner of a valid code, which stays valid. Throws `expired` for any other, and `rate_limited` after many. */
  check(proof: AppPairingProof): Promise<AppPairingOwner>;
  /** Uses up a valid code, and returns its owner. Throws like `check`. */
  use(proof: AppPairingProof): Promise<AppPairingOwner>;
}

/** The email address and the code that a person typed into an app. */
export interface AppPairingProof {
  readonly email: string;
  readonly code: string;
  readonly caller: FastifyRequest;
}

/** The account of a code, and the actor of its events. */
export type AppPairingOwner = Pick<AddAppInput, "accountId" | "actor">;

/** The owner of an app, as the app may show them. */
export interface AppOwner {
  readonly email: string;
  /** Number of notifications to the account since midnight (UTC). */
  readonly sentTodayCount: number;
}

/** An API key, with the values that it sets for sends, because the other API has no fields for them. */
export interface DialectSender {
  readonly principal: RequestPrincipal;
  readonly label: string | null;
  /** The channel of sends that do not name one; null for the default channel. */
  readonly channel: string | null;
}

/** The options of every route of a dialect: such a route is not part of our own API or its OpenAPI document. */
export const FOREIGN_ROUTE = { schema: { hide: true }, config: { isForeign: true } };
