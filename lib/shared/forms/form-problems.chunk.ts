import { compileJsonSchema, isMap, type JsonMap } from '@hookloom/bounded-schema';
import { toPointerKey } from '../describe.ts';
import { kindOf, propertiesOf } from './form-fields.ts';

interface FormProblem {
  /** JSON Pointer to the problem, within the schema. */
  readonly path: string;
  readonly message: string;
}

const MAX_FIELDS = 50;

/**
 * Finds out why a JSON Schema can't be shown as a form: it must describe an object whose properties are strings,
 * numbers, booleans and choices.
 *
 * @param reserved - names that no field can have
 */
export const findFormProblems = (
  schema: JsonMap,
  reserved: readonly string[] = [],
): readonly FormProblem[] => {
  if (schema.type !== 'object') return [{ path: '', message: 'must have "type": "object" to be a form' }];
  const properties = Object.entries(propertiesOf(schema));
  if (properties.length === 0 || properties.length > MAX_FIELDS)
    return [{ path: '/properties', message: `must have 1 to ${MAX_FIELDS} form fields` }];
  const problems = properties.flatMap(([name, property]): FormProblem[] => {
    const path = `/properties/${toPointerKey(name)}`;
    if (reserved.includes(name)) return [{ path, message: `must have a name other than ${name}` }];
    return isMap(property) && kindOf(property) !== null ? [] : [{ path, message: NO_FIELD }];
  });
  return problems.length > 0 ? problems : (findRequired(schema) ?? findUnusable(schema));
};

const NO_FIELD =
  'cannot be a form field: give it the type string, number, integer or boolean, or an enum of such values';

/** A required property without a field: the form could never be submitted. */
const findRequired = (schema: JsonMap): FormProblem[] | null => {
  const { required = [] } = schema;
  const properties = propertiesOf(schema);
  const missing = Array.isArray(required) ? required.find((name) => !Object.hasOwn(properties, name)) : null;
  return missing === undefined ? null : [{ path: '/required', message: 'must be a list of property names' }];
};

/** Compiles the schema and tries it: a dangling reference only shows with a value. */
const findUnusable = (schema: JsonMap): FormProblem[] => {
  try {
    compileJsonSchema(schema)({});
    return [];
  } catch (error) {
    return [{ path: '', message: error instanceof Error ? error.message : String(error) }];
  }
};
