import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./files.ts";

/** The parts of the server's OpenAPI document that are read. */
export interface SendDocument {
  readonly components: { readonly securitySchemes: { readonly apiKey: { readonly name: string } } };
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: Body } };
  };
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly description?: string;
}

interface Body {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, Property>>;
}

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly maxLength?: number;
  readonly format?: string;
  readonly default?: string | boolean;
}

const TEMPLATE = "scripts/python-example/tocsin.template.py";
/** The ids of the operations that a sender needs. */
const OPERATIONS = ["notify", "notifyAsync", "notifyGroup"];

/** Returns the Python example, generated from the committed OpenAPI document. */
export async function pythonExample(): Promise<string> {
  const document = JSON.parse(await read("server/openapi.json")) as SendDocument; // The server's own format.
  return renderPython(document, await read(TEMPLATE));
}

function read(path: string): Promise<string> {
  return readFile(join(ROOT, path), "utf8");
}

/** Returns the template filled in from the document; throws if the document lacks an operation. */
export function renderPython(document: SendDocument, template: string): string {
  const operations = OPERATIONS.map((id) => findOperation(document, id));
  const [first] = operations;
  const { sound } = bodyOf(first?.operation).properties;
  const idempotency = headersOf(first?.operation).find(({ name }) =>
    name.startsWith("idempotency"),
  );
  return template
    .replace("@@SOUNDS@@", () => formatTuple(sound?.enum ?? []))
    .replace("@@METHODS@@\n", () => operations.map(renderMethod).join("\n"))
    .replace("@@IDEMPOTENCY_HEADER@@", () => idempotency?.name ?? "")
    .replace("@@KEY_HEADER@@", () => document.components.securitySchemes.apiKey.name);
}

interface LocatedOperation {
  readonly path: string;
  readonly operation: Operation;
}

function findOperation({ paths }: SendDocument, id: string): LocatedOperation {
  for (const [path, { post }] of Object.entries(paths)) {
    if (post?.operationId === id) return { path, operation: post };
  }
  throw new Error(`The OpenAPI document has no operation ${id}.`);
}

function renderMethod({ path, operation }: LocatedOperation): string {
  const { required, properties } = bodyOf(operation);
  const headers = headersOf(operation);
  const fields = Object.entries(properties).map(([name, property]) => ({
    name,
    python: toSnakeCase(name),
    isRequired: required.includes(name),
    type: property.type === "boolean" ? "bool" : "str",
    meaning: describeProperty(property),
  }));
  const requiredFields = fields.filter(({ isRequired }) => isRequired);
  const optional = [...fields.filter(({ isRequired }) => !isRequired), ...headers];
  return `    def ${toSnakeCase(operation.operationId)}(
        self,
${lines([...pathParameters(operation), ...requiredFields], ({ python }) => `        ${python}: str,`)}
        *,
${lines(optional, ({ python, type }) => `        ${python}: ${type} | None = None,`)}
    ) -> Result:
        """${operation.summary}.

${lines([...requiredFields, ...optional], ({ python, meaning }) => `        ${python}: ${meaning}`)}
        """
        fields = {
${lines(fields, ({ name, python }) => `            "${name}": ${python},`)}
        }
        headers = {
${lines(headers, ({ name, python }) => `            "${name}": ${python},`)}
        }
        return self._send(${pathExpression(path)}, fields, headers)
`;
}

function lines<T>(items: readonly T[], line: (item: T) => string): string {
  return items.map(line).join("\n");
}

function pathParameters({ parameters = [] }: Operation) {
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  return inPath.map(({ name }) => ({ python: toSnakeCase(name) }));
}

function pathExpression(path: string): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_part, name: string) => {
    return `{urllib.parse.quote(${toSnakeCase(name)}, safe='')}`;
  });
  return address === path ? `"${path}"` : `f"${address}"`;
}

function bodyOf(operation: Operation | undefined): Body {
  const schema = operation?.requestBody?.content["application/json"].schema;
  if (schema === undefined) throw new Error(`${operation?.operationId} has no body in JSON.`);
  return schema;
}

/** A duration is a number of seconds. Argument names omit the `x-` prefix of non-standard headers. */
function headersOf(operation: Operation | undefined) {
  const headers = (operation?.parameters ?? []).filter((parameter) => parameter.in === "header");
  return headers.map(({ name, description = "" }) => ({
    name,
    meaning: description,
    python: toSnakeCase(name.replace(/^x-/, "")),
    type: /^seconds\b/i.test(description) ? "int" : "str",
  }));
}

function describeProperty({
  type,
  enum: values,
  maxLength,
  format,
  default: defaultValue,
}: Property): string {
  const parts = [
    ...(values === undefined ? [] : ["One of SOUNDS"]),
    ...(format === "uri" ? ["An absolute URL"] : []),
    ...(maxLength === undefined ? [] : [`At most ${maxLength} characters`]),
    ...(type === "boolean" ? ["True or False"] : []),
    ...(defaultValue === undefined ? [] : [`${toLiteral(defaultValue)} when not given`]),
  ];
  return `${parts.join(". ")}.`;
}

function toLiteral(value: string | boolean): string {
  if (typeof value === "string") return `"${value}"`;
  return value ? "True" : "False";
}

function toSnakeCase(name: string): string {
  return name.replaceAll("-", "_").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function formatTuple(values: readonly string[]): string {
  return values.map((value) => `    "${value}",`).join("\n");
}
