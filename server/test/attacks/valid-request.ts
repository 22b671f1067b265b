import { randomUUID } from "node:crypto";
import { ACCESS } from "../app-api/access-table.ts";
import type { Principal, AppFixture } from "../app-api/app-fixture.ts";
import type { Operation, Schema } from "../app-api/operations.ts";

/** A request that the operation accepts, or the closest that the OpenAPI document allows. */
export interface ValidRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if the operation has no body. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Creates the resources of a request to the operation; returns the request, from a permitted caller. */
export async function createValidRequest(
  fixture: AppFixture,
  operation: Operation,
): Promise<ValidRequest> {
  const { method, path } = operation;
  const entry = ACCESS.find(({ operation: id }) => id === operation.id);
  if (entry === undefined) return createRequestWithoutEntry(fixture, operation);
  const statuses = { ...entry.statuses, administrator: entry.administratorStatus ?? 403 };
  const candidates = ["owner", "other", "administrator"] as const satisfies readonly Principal[];
  const permittedCaller = candidates.find((name) => statuses[name] < 300) ?? "owner";
  const ids = [...((await entry.createIds?.(fixture)) ?? [])];
  return {
    method,
    path: path.replaceAll(/\{[^}]+\}/g, () => ids.shift() ?? "missing"),
    headers: fixture.credentials[permittedCaller],
    body:
      entry.createBody === undefined
        ? buildSampleBody(operation)
        : // A body of the access table is an object.
          { ...(entry.createBody(fixture) as object) },
  };
}

/** Returns a request to an operation without an access entry: sign-in and the key APIs. Its body has a sample of each required field. */
async function createRequestWithoutEntry(
  fixture: AppFixture,
  operation: Operation,
): Promise<ValidRequest> {
  const { owner } = fixture;
  const hasGroup = operation.path.includes("{groupId}");
  const { id = "" } = hasGroup
    ? await owner.client.groups.create({ name: "Desk", deviceIds: [] })
    : {};
  const path = operation.path.replace("{apiKey}", owner.key).replace("{groupId}", id);
  const teamKey = operation.path.startsWith("/api/management/")
    ? (await fixture.createTeam()).key
    : null;
  const fields = {
    ...buildSampleBody(operation),
    ...(teamKey === null ? {} : { team: teamKey, email: createEmail() }),
  };
  const body = operation.id === "signUp" ? { ...fields, ...createSignUpFields() } : fields;
  return { method: operation.method, path, headers: { "x-api-key": owner.key }, body };
}

const createEmail = () => `${randomUUID()}@example.org`;
const createSignUpFields = () => ({
  email: createEmail(),
  password: "password of a new person",
  name: "New person",
});

function buildSampleBody({
  body,
  method,
}: Operation): Readonly<Record<string, unknown>> | undefined {
  if (method === "GET") return undefined;
  // An object schema yields an object.
  return (body === null ? {} : buildSample(body)) as Readonly<Record<string, unknown>>;
}

function buildSample({
  type,
  properties,
  required = [],
  enum: values,
  const: value,
}: Schema): unknown {
  if (values !== undefined) return values[0];
  if (value !== undefined) return value;
  if (properties === undefined) return type === "array" ? [] : "a";
  const entries = required.map((name) => [name, buildSample(properties[name] ?? {})]);
  return Object.fromEntries(entries);
}
