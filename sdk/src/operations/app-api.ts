import type { Answers } from "../answers.ts";
import { askFor, askToDo } from "../http.ts";
import type { Call, CallOptions } from "../request.ts";
import type { Server } from "../server.ts";

/** One request to the app API. */
export interface AppCall<Operation extends string> extends CallOptions {
  readonly operation: Operation;
  /** The segments below `/api/app/v1`. */
  readonly path: readonly string[];
  readonly query?: object;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The app API of one server; `tell` and `remove` have no answer to read. */
export interface AppApi {
  get<Name extends keyof Answers>(call: AppCall<Name>): Promise<Answers[Name]>;
  post<Name extends keyof Answers>(call: AppCall<Name>): Promise<Answers[Name]>;
  patch<Name extends keyof Answers>(call: AppCall<Name>): Promise<Answers[Name]>;
  tell(call: AppCall<string>): Promise<void>;
  remove(call: AppCall<string>): Promise<void>;
}

/** Returns the app API of a server. */
export function appApiOf(server: Server): AppApi {
  return {
    get: (call) => ask(server, "GET", call),
    // A body, even an empty one, prevents a foreign page's form from sending the request.
    post: (call) => ask(server, "POST", { body: {}, ...call }),
    patch: (call) => ask(server, "PATCH", call),
    tell: (call) => askToDo(server, atApp("POST", { body: {}, ...call })),
    remove: (call) => askToDo(server, atApp("DELETE", call)),
  };
}

async function ask<Name extends keyof Answers>(
  server: Server,
  method: Call["method"],
  call: AppCall<Name>,
): Promise<Answers[Name]> {
  const { body } = await askFor(server, atApp(method, call));
  return body;
}

function atApp<Name extends string>(method: Call["method"], call: AppCall<Name>): Call<Name> {
  return { ...call, method, path: ["api", "app", "v1", ...call.path], auth: "account" };
}
