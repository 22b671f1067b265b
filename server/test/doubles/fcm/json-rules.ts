import type { FieldViolation } from "./google-errors.ts";

/** Values allowed in one field of a message (proto3's JSON mapping). */
export type Rule =
  | Scalar
  | { readonly kind: "duration" | "map" }
  | { readonly kind: "list"; readonly of: Rule }
  | { readonly kind: "message"; readonly type: string; readonly fields: Fields };

type Scalar =
  | { readonly kind: "string" | "bool" | "int32" | "float" | "timestamp" | "struct" }
  | { readonly kind: "enum"; readonly type: string; readonly values: readonly string[] };

/** By the camel-case names; the snake-case ones of the .proto file mean the same. */
export type Fields = Readonly<Record<string, Rule>>;

/**
 * Returns all that is wrong with a value in the words of Google's JSON front end, an empty list where it fits. Null is a
 * field that is not set.
 */
export function checkJson(value: unknown, rule: Rule, path: string): readonly FieldViolation[] {
  if (value === null) return [];
  switch (rule.kind) {
    case "message":
      return isObject(value)
        ? checkFields(value, rule.fields, path)
        : [mistyped(value, rule, path)];
    case "map":
      return isObject(value) ? checkEntries(value, path) : [mistyped(value, rule, path)];
    case "list":
      return Array.isArray(value)
        ? value.flatMap((item, at) => checkJson(item, rule.of, `${path}[${at}]`))
        : [mistyped(value, rule.of, path)];
    case "duration":
      return checkDuration(value, path);
    case "string":
    case "bool":
    case "int32":
    case "float":
    case "timestamp":
    case "struct":
    case "enum":
      return fits(value, rule) ? [] : [mistyped(value, rule, path)];
  }
}

/** Returns the same value under camel-case names, so that whoever reads it looks in one place; maps are left alone. */
export function toCamelCase(value: unknown, rule: Rule): unknown {
  if (rule.kind === "list" && Array.isArray(value)) {
    return value.map((item) => toCamelCase(item, rule.of));
  }
  if (rule.kind !== "message" || !isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => {
    const field = fieldOf(rule.fields, name);
    return [camelCase(name), field === undefined ? inner : toCamelCase(inner, field)] as const;
  });
  return Object.fromEntries(entries);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkFields(
  value: Readonly<Record<string, unknown>>,
  fields: Fields,
  path: string,
): readonly FieldViolation[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const rule = fieldOf(fields, name);
    if (rule !== undefined) return checkJson(inner, rule, join(path, snakeCase(name)));
    const where = path === "" ? "" : ` at '${path}'`;
    const description = `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`;
    return [{ field: path, description }];
  });
}

/** `map<string, string>`: entries are counted, so the violation does not name the key. */
function checkEntries(
  value: Readonly<Record<string, unknown>>,
  path: string,
): readonly FieldViolation[] {
  return Object.values(value).flatMap((inner, at) =>
    typeof inner === "string" ? [] : [mistyped(inner, { kind: "string" }, `${path}[${at}].value`)],
  );
}

/** Seconds with at most nine decimals and an `s` (google.protobuf.Duration). */
function checkDuration(value: unknown, path: string): readonly FieldViolation[] {
  if (typeof value === "string" && /^-?\d{1,12}(?:\.\d{1,9})?s$/u.test(value)) return [];
  const name = path.split(".").at(-1) ?? path;
  const why =
    typeof value === "string" && !value.endsWith("s")
      ? `Field '${name}', Illegal duration format; duration must end with 's'`
      : `Field '${name}', Invalid duration format, failed to parse seconds`;
  const type = "type.googleapis.com/google.protobuf.Duration";
  return [{ field: path, description: `Invalid value at '${path}' (${type}), ${why}` }];
}

/** Not what every object has: "constructor" is an unknown name like another. */
function fieldOf(fields: Fields, name: string): Rule | undefined {
  const known = camelCase(name);
  return Object.hasOwn(fields, known) ? fields[known] : undefined;
}

function fits(value: unknown, rule: Scalar): boolean {
  switch (rule.kind) {
    case "string":
      return typeof value === "string";
    case "bool":
      return typeof value === "boolean";
    case "int32":
      return typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 2 ** 31;
    case "float":
      return typeof value === "number";
    case "timestamp":
      return typeof value === "string" && !Number.isNaN(Date.parse(value));
    case "enum":
      // The front end takes any case, and numbers; firebase-admin writes "high".
      return typeof value === "string"
        ? rule.values.includes(value.toUpperCase())
        : typeof value === "number" && rule.values[value] !== undefined;
    case "struct":
      return isObject(value);
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "TYPE_STRING",
  bool: "TYPE_BOOL",
  int32: "TYPE_INT32",
  float: "TYPE_FLOAT",
  timestamp: "type.googleapis.com/google.protobuf.Timestamp",
  struct: "type.googleapis.com/google.protobuf.Struct",
  map: "Map",
};

function mistyped(value: unknown, rule: Rule, path: string): FieldViolation {
  const type = "type" in rule ? `type.googleapis.com/${rule.type}` : TYPES[rule.kind];
  return {
    field: path,
    description: `Invalid value at '${path}' (${type}), ${JSON.stringify(value)}`,
  };
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function camelCase(name: string): string {
  return name.replaceAll(/_(?<letter>[a-z])/gu, (_match, letter: string) => letter.toUpperCase());
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}
