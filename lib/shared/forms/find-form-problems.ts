import { compileJsonSchema, isMap, type JsonMap } from '@hookloom/bounded-schema';
import { kindOf, propertiesOf } from './form-fields.ts';

interface FormProblem {
  /** JSON Pointer within the schema. */
  readonly path: string;
  readonly message: string;
}

const MAX_FIELDS = 50;

/**
 * Finds why no form can be made from a JSON Schema: it must be one of an object, whose properties are texts, numbers, booleans and
 * choices.
 *
 * @param reserved - names that no field can have
 */
export const findFormProblems = (
  schema: JsonMap,
  reserved: readonly string[] = [],
): readonly FormProblem[] => {
  if (schema.type !== 'object') return [{ path: '', message: 'must have "type": "object", for a form' }];
  const properties = Object.entries(propertiesOf(schema));
  if (properties.length === 0 || properties.length > MAX_FIELDS)
    return [{ path: '/properties', message: `must be 1 to ${MAX_FIELDS} fields of a form` }];
  const problems = properties.flatMap(([name, property]): FormProblem[] => {
    const path = `/properties/${escapePointer(name)}`;
    if (reserved.includes(name)) return [{ path, message: `must have another name than ${name}` }];
    return isMap(property) && kindOf(property) !== null ? [] : [{ path, message: NO_FIELD }];
  });
  return problems.length > 0 ? problems : (findRequired(schema) ?? findUnusable(schema));
};

const NO_FIELD =
  'is nothing that a form can ask for: give it the type string, number, integer or boolean, or an enum of such values';

/** A required property that no field asks for: nothing could ever be sent. */
const findRequired = (schema: JsonMap): FormProblem[] | null => {
  const { required = [] } = schema;
  const properties = propertiesOf(schema);
  const missing = Array.isArray(required) ? required.find((name) => !Object.hasOwn(properties, name)) : null;
  return missing === undefined
    ? null
    : [{ path: '/required', message: 'must be a list of names of properties' }];
};

/** Compiles the schema, and tries it: a reference that leads nowhere shows with a value. */
const findUnusable = (schema: JsonMap): FormProblem[] => {
  try {
    compileJsonSchema(schema)({});
    return [];
  } catch (error) {
    return [{ path: '', message: error instanceof Error ? error.message : String(error) }];
  }
};

/** RFC 6901 §3. */
const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
