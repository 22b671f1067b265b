import type { FieldViolation } from "./google-errors.ts";

/** The allowed values of a field (proto3's JSON mapping). */
export type Rule =
  | Scalar
  | { readonly kind: "duration" | "map" }
  | { readonly kind: "list"; readonly item: Rule }
  | { readonly kind: "message"; readonly type: string; readonly fields: Fields };

type Scalar =
  | { readonly kind: "string" | "bool" | "int32" | "float" | "timestamp" | "struct" }
  | { readonly kind: "enum"; readonly type: string; readonly values: readonly string[] };

/** Rules by camel-case name. The snake-case names of the .proto file are equivalent. */
export type Fields = Readonly<Record<string, Rule>>;

/**
 * Returns the errors of a value with the messages of Google's JSON front end, or an empty list. Null means that the
 * field is not set.
 */
export function checkJson(value: unknown, rule: Rule, path: string): readonly FieldViolation[] {
  if (value === null) return [];
  switch (rule.kind) {
    case "message":
      return isObject(value)
        ? checkFields(value, rule.fields, path)
        : [createTypeViolation(value, rule, path)];
    case "map":
      return isObject(value) ? checkEntries(value, path) : [createTypeViolation(value, rule, path)];
    case "list":
      return Array.isArray(value)
        ? value.flatMap((item, index) => checkJson(item, rule.item, `${path}[${index}]`))
        : [createTypeViolation(value, rule.item, path)];
    case "duration":
      return checkDuration(value, path);
    case "string":
    case "bool":
    case "int32":
    case "float":
    case "timestamp":
    case "struct":
    case "enum":
      return hasScalarType(value, rule) ? [] : [createTypeViolation(value, rule, path)];
  }
}

/** Converts field names to camel case, so that each field has only one name. Maps stay unchanged. */
export function toCamelCase(value: unknown, rule: Rule): unknown {
  if (rule.kind === "list" && Array.isArray(value)) {
    return value.map((item) => toCamelCase(item, rule.item));
  }
  if (rule.kind !== "message" || !isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => {
    const field = findRule(rule.fields, name);
    return [
      toCamelCaseName(name),
      field === undefined ? inner : toCamelCase(inner, field),
    ] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns whether a value is a JSON object, and not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkFields(
  value: Readonly<Record<string, unknown>>,
  fields: Fields,
  path: string,
): readonly FieldViolation[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const rule = findRule(fields, name);
    if (rule !== undefined) return checkJson(inner, rule, joinPath(path, toSnakeCaseName(name)));
    const location = path === "" ? "" : ` at '${path}'`;
    const description = `Invalid JSON payload received. Unknown name "${name}"${location}: Cannot find field.`;
    return [{ field: path, description }];
  });
}

/** Checks a `map<string, string>`. Violations have the entry's number instead of its key. */
function checkEntries(
  value: Readonly<Record<string, unknown>>,
  path: string,
): readonly FieldViolation[] {
  return Object.values(value).flatMap((inner, index) =>
    typeof inner === "string"
      ? []
      : [createTypeViolation(inner, { kind: "string" }, `${path}[${index}].value`)],
  );
}

/** Checks for seconds with at most nine decimals and an `s` (google.protobuf.Duration). */
function checkDuration(value: unknown, path: string): readonly FieldViolation[] {
  if (typeof value === "string" && /^-?\d{1,12}(?:\.\d{1,9})?s$/u.test(value)) return [];
  const name = path.split(".").at(-1) ?? path;
  const reason =
    typeof value === "string" && !value.endsWith("s")
      ? `Field '${name}', Illegal duration format; duration must end with 's'`
      : `Field '${name}', Invalid duration format, failed to parse seconds`;
  const type = "type.googleapis.com/google.protobuf.Duration";
  return [{ field: path, description: `Invalid value at '${path}' (${type}), ${reason}` }];
}

/** Ignores inherited properties: "constructor" is an unknown name. */
function findRule(fields: Fields, name: string): Rule | undefined {
  const camelCaseName = toCamelCaseName(name);
  return Object.hasOwn(fields, camelCaseName) ? fields[camelCaseName] : undefined;
}

function hasScalarType(value: unknown, rule: Scalar): boolean {
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
      // The front end accepts any case, and numbers; firebase-admin writes "high".
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

function createTypeViolation(value: unknown, rule: Rule, path: string): FieldViolation {
  const type = "type" in rule ? `type.googleapis.com/${rule.type}` : TYPES[rule.kind];
  return {
    field: path,
    description: `Invalid value at '${path}' (${type}), ${JSON.stringify(value)}`,
  };
}

function joinPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function toCamelCaseName(name: string): string {
  return name.replaceAll(/_(?<letter>[a-z])/gu, (_match, letter: string) => letter.toUpperCase());
}

function toSnakeCaseName(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}
