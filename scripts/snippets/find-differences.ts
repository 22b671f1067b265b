const WHOLE_RESPONSE = "the response";

/** Returns one line per difference between a response in a document and the real one. */
export function findDifferences(
  expected: unknown,
  actual: unknown,
  location = WHOLE_RESPONSE,
): readonly string[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) {
      return [`${location} has ${actual.length} elements, not ${expected.length}`];
    }
    return expected.flatMap((element, index) =>
      findDifferences(element, actual[index], `${location}[${index}]`),
    );
  }
  if (isRecord(expected) && isRecord(actual)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...names].flatMap((name) => {
      const memberPath = location === WHOLE_RESPONSE ? name : `${location}.${name}`;
      if (!(name in expected)) return [`${memberPath} is only in the real response`];
      if (!(name in actual)) return [`${memberPath} is only in the document`];
      return findDifferences(expected[name], actual[name], memberPath);
    });
  }
  if (expected === actual || isEquivalent(expected, actual)) return [];
  return [`${location} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`];
}

/** Returns whether two strings may differ: `<id>` stands for any string, and ids and times are new each time. */
function isEquivalent(expected: unknown, actual: unknown): boolean {
  if (typeof expected !== "string" || typeof actual !== "string") return false;
  return (
    /^<[^>]+>$/u.test(expected) ||
    VARYING_FORMATS.some((form) => form.test(expected) && form.test(actual))
  );
}

const VARYING_FORMATS = [
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu,
  /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u,
];

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
