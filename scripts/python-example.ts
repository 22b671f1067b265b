import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./files.ts";

/** The parts of the OpenAPI document that this script reads. */
export interface OpenApiDocument {
  readonly components: { readonly securitySchemes: { readonly apiKey: { readonly name: string } } };
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: RequestBody } };
  };
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly description?: string;
}

interface RequestBody {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, BodyProperty>>;
}

interface BodyProperty {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly maxLength?: number;
  readonly format?: string;
  readonly default?: string | boolean;
}

/** The Python types of JSON types. All other fields are strings. */
const PYTHON_TYPES: Readonly<Record<string, string>> = { boolean: "bool", integer: "int" };

const TEMPLATE_PATH = "scripts/python-example/tocsin.template.py";
/** The ids of the operations that a sender needs. */
const OPERATION_IDS = ["notify", "notifyAsync", "notifyGroup"];

/** Returns the Python example, generated from the committed OpenAPI document. */
export async function renderPythonExample(): Promise<string> {
  // The server writes this file in this format.
  const document = JSON.parse(await readText("server/openapi.json")) as OpenApiDocument;
  return fillInTemplate(document, await readText(TEMPLATE_PATH));
}

function readText(path: string): Promise<string> {
  return readFile(join(ROOT, path), "utf8");
}

/** Returns the template filled in from the document; throws if the document lacks an operation. */
export function fillInTemplate(document: OpenApiDocument, template: string): string {
  const operations = OPERATION_IDS.map((id) => findOperation(document, id));
  const [first] = operations;
  const { sound } = getBody(first?.operation).properties;
  const idempotency = listHeaders(first?.operation).find(({ name }) =>
    name.startsWith("idempotency"),
  );
  return template
    .replace("@@SOUNDS@@", () => formatTupleItems(sound?.enum ?? []))
    .replace("@@METHODS@@\n", () => operations.map(renderMethod).join("\n"))
    .replace("@@IDEMPOTENCY_HEADER@@", () => idempotency?.name ?? "")
    .replace("@@KEY_HEADER@@", () => document.components.securitySchemes.apiKey.name);
}

interface LocatedOperation {
  readonly path: string;
  readonly operation: Operation;
}

function findOperation({ paths }: OpenApiDocument, id: string): LocatedOperation {
  for (const [path, { post }] of Object.entries(paths)) {
    if (post?.operationId === id) return { path, operation: post };
  }
  throw new Error(`The OpenAPI document has no operation ${id}.`);
}

function renderMethod({ path, operation }: LocatedOperation): string {
  const { required, properties } = getBody(operation);
  const headers = listHeaders(operation);
  const fields = Object.entries(properties).map(([name, property]) => ({
    name,
    pythonName: toSnakeCase(name),
    isRequired: required.includes(name),
    type: PYTHON_TYPES[property.type ?? "string"] ?? "str",
    description: describeProperty(property),
  }));
  const requiredFields = fields.filter(({ isRequired }) => isRequired);
  const optional = [...fields.filter(({ isRequired }) => !isRequired), ...headers];
  return `    def ${toSnakeCase(operation.operationId)}(
        self,
${joinLines([...listPathParameters(operation), ...requiredFields], ({ pythonName }) => `        ${pythonName}: str,`)}
        *,
${joinLines(optional, ({ pythonName, type }) => `        ${pythonName}: ${type} | None = None,`)}
    ) -> Result:
        """${operation.summary}.

${joinLines([...requiredFields, ...optional], ({ pythonName, description }) => `        ${pythonName}: ${description}`)}
        """
        fields = {
${joinLines(fields, ({ name, pythonName }) => `            "${name}": ${pythonName},`)}
        }
        headers = {
${joinLines(headers, ({ name, pythonName }) => `            "${name}": ${pythonName},`)}
        }
        return self._send(${formatPathExpression(path)}, fields, headers)
`;
}

function joinLines<T>(items: readonly T[], formatLine: (item: T) => string): string {
  return items.map(formatLine).join("\n");
}

function listPathParameters({ parameters = [] }: Operation) {
  const pathParameters = parameters.filter((parameter) => parameter.in === "path");
  return pathParameters.map(({ name }) => ({ pythonName: toSnakeCase(name) }));
}

function formatPathExpression(path: string): string {
  const expression = path.replaceAll(/\{(\w+)\}/g, (_part, name: string) => {
    return `{urllib.parse.quote(${toSnakeCase(name)}, safe='')}`;
  });
  return expression === path ? `"${path}"` : `f"${expression}"`;
}

function getBody(operation: Operation | undefined): RequestBody {
  const schema = operation?.requestBody?.content["application/json"].schema;
  if (schema === undefined) throw new Error(`${operation?.operationId} has no JSON body.`);
  return schema;
}

/**
 * Returns the headers that an operation takes. Headers whose description starts with "seconds" are integers. Argument
 * names omit the `x-` prefix of non-standard headers.
 */
function listHeaders(operation: Operation | undefined) {
  const headers = (operation?.parameters ?? []).filter((parameter) => parameter.in === "header");
  return headers.map(({ name, description = "" }) => ({
    name,
    description,
    pythonName: toSnakeCase(name.replace(/^x-/, "")),
    type: /^seconds\b/i.test(description) ? "int" : "str",
  }));
}

/** Returns the rules of a property in words; the document's description if there are no rules. */
function describeProperty({
  type,
  description = "",
  enum: values,
  maxLength,
  format,
  default: defaultValue,
}: BodyProperty): string {
  const parts = [
    ...(values === undefined ? [] : [describeValues(values)]),
    ...(format === "uri" ? ["An absolute URL"] : []),
    ...(maxLength === undefined ? [] : [`At most ${maxLength} characters`]),
    ...(type === "boolean" ? ["True or False"] : []),
    ...(defaultValue === undefined ? [] : [`${toPythonLiteral(defaultValue)} when not given`]),
  ];
  return parts.length === 0 ? description : `${parts.join(". ")}.`;
}

/** The longest list of values that fits into a line of a docstring. Only the list of sounds is longer. */
const LISTED_VALUES_MAX = 6;

function describeValues(values: readonly string[]): string {
  if (values.length > LISTED_VALUES_MAX) return "One of SOUNDS";
  return `One of ${values.map(toPythonLiteral).join(", ")}`;
}

function toPythonLiteral(value: string | boolean): string {
  if (typeof value === "string") return `"${value}"`;
  return value ? "True" : "False";
}

function toSnakeCase(name: string): string {
  return name.replaceAll("-", "_").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function formatTupleItems(values: readonly string[]): string {
  return values.map((value) => `    "${value}",`).join("\n");
}
