/** In characters. */
export const MAX_SAMPLE = 1_000_000;

/** What a trigger accepts: docs/webhooks.md. */
const MAX_SCHEMA = 100_000;
const MAX_DEPTH = 50;

type Schema = Readonly<Record<string, unknown>>;

/**
 * Makes the schema of a sample: types, members, and which of them every object has. It guesses no formats; of `null` and
 * of empty lists it says nothing.
 *
 * @param text - the sample, as JSON
 * @throws Error with what keeps it from being read
 */
export const readBodySchema = (text: string): Schema => {
  if (text.length > MAX_SAMPLE) throw new Error(`The body is longer than ${MAX_SAMPLE} characters`);
  const schema = inferSchema([JSON.parse(text)], 0);
  if (JSON.stringify(schema).length > MAX_SCHEMA)
    throw new Error(`The schema would be longer than ${MAX_SCHEMA} characters: use a shorter sample`);
  return schema;
};

const jsonTypeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** The schema of values that stand in the same place. */
const inferSchema = (values: readonly unknown[], depth: number): Schema => {
  if (depth > MAX_DEPTH) throw new Error(`The body is nested deeper than ${MAX_DEPTH} levels`);
  const types = [...new Set(values.map(jsonTypeOf))];
  const known = types.filter((type) => type !== 'null');
  // A list of null alone, or nothing at all, says nothing.
  if (known.length === 0) return {};
  const schema: Record<string, unknown> = { type: types.length === 1 ? types[0] : types };
  const objects = values.filter((value): value is object => jsonTypeOf(value) === 'object');
  if (objects.length > 0) {
    const members = Map.groupBy(objects.flatMap(Object.entries), ([name]) => name);
    if (members.size > 0)
      schema.properties = Object.fromEntries(
        [...members].map(([name, entries]) => [
          name,
          inferSchema(
            entries.map(([, value]) => value),
            depth + 1,
          ),
        ]),
      );
    const required = [...members].filter(([, entries]) => entries.length === objects.length);
    if (required.length > 0) schema.required = required.map(([name]) => name);
  }
  const items = values.filter(Array.isArray).flat();
  if (items.length > 0) {
    const inner = inferSchema(items, depth + 1);
    if (Object.keys(inner).length > 0) schema.items = inner;
  }
  return schema;
};
