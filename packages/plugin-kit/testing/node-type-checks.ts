import { isPlainObject, type JsonObject, type JsonValue, jsonEquals } from '../contract/json.ts';
import { ERROR_OUTPUT, MAIN_OUTPUT, RESPONSE_OUTPUT } from '../contract/node.ts';
import { isPure } from '../contract/node-type.ts';
import { namesOfOutputs } from '../contract/outputs.ts';
import type { PluginHandle } from '../contract/plugin.ts';
import { createReader, type Rule, typesOf } from '../declare/read-parameters.ts';
import { checkDelivered } from './check-outputs.ts';
import { type NodeTest, runNode } from './run-node.ts';

/** One rule of the contract of node types. */
export interface Check {
  readonly name: string;
  /** @throws Error with the reason if the node type breaks the rule */
  run(): Promise<void>;
}

/**
 * The contract of every node type, as checks for any test framework: `for (const { name, run } of …) test(name, run)`.
 * @param example - a run that succeeds; by default the handle's own example, unless that has expressions. Without an
 * example, the node type is not executed
 */
export const nodeTypeChecks = (handle: PluginHandle, example = exampleOf(handle)): readonly Check[] => [
  { name: 'describes itself', run: async () => checkTexts(handle) },
  { name: 'has a schema that allows no other parameters', run: async () => checkSchema(handle) },
  { name: 'describes each of its parameters', run: async () => checkDescriptions(handle) },
  { name: 'has defaults that its schema accepts', run: async () => checkDefaults(handle) },
  ...(handle.example?.output === undefined
    ? []
    : [
        {
          name: 'has an example whose output is what it declares',
          run: async () => checkExampleOutput(handle),
        },
      ]),
  ...(example === null ? [] : exampleChecks(handle, example)),
];

const exampleChecks = (handle: PluginHandle, example: NodeTest): Check[] => [
  { name: 'has an example with valid parameters', run: async () => checkExample(handle, example) },
  {
    name: 'delivers JSON on declared outputs, and leaves its input unchanged',
    run: () => checkOutputs(handle, example),
  },
  {
    name: 'refuses a parameter of the wrong type by name, without quoting its value',
    run: () => checkWrongParameters(handle, example),
  },
  { name: 'shows no secret of its credential', run: () => checkSecrets(handle, example) },
  ...(handle.pure !== undefined && isPure({ pure: handle.pure }, example.parameters ?? {})
    ? [{ name: 'gives the same output for the same input', run: () => checkPure(handle, example) }]
    : []),
];

/** Whether any string in it is an expression, which only a workflow resolves. */
const hasExpression = (value: JsonObject): boolean => JSON.stringify(value).includes('{{');

const exampleOf = ({ example }: PluginHandle): NodeTest | null => {
  if (example === undefined || hasExpression(example.parameters)) return null;
  const { parameters, input = {} } = example;
  return { parameters, input };
};

const failCheck = (reason: string): never => {
  throw new Error(reason);
};

const checkTexts = ({ id, name, description }: PluginHandle): void => {
  for (const [field, text] of Object.entries({ id, name, description })) {
    if (typeof text !== 'string' || text.trim() === '') failCheck(`its ${field} is empty`);
  }
};

const checkSchema = ({ schema }: PluginHandle): void => {
  if (schema.type !== 'object') failCheck('its schema must have the type "object"');
  if (schema.additionalProperties !== false)
    failCheck('its schema must have "additionalProperties": false, so that misspelt parameters are found');
  const { allOf = [], ...rules } = schema;
  if (!asksForPresence(allOf))
    failCheck('its schema/allOf may only say which parameters must be present: with required');
  checkKeywords(rules, 'its schema');
};

/**
 * Keywords that say which parameters must be present together. The node checks this again, since an expression may
 * leave one out.
 */
const ofPresence: ReadonlySet<string> = new Set(['required', 'anyOf', 'oneOf', 'if', 'then']);

const asksForPresence = (conditions: JsonValue): boolean =>
  Array.isArray(conditions) &&
  conditions.every(
    (condition) => isPlainObject(condition) && Object.keys(condition).every((name) => ofPresence.has(name)),
  );

/** The keywords of {@link Rule}, and those that say nothing about a value. */
const keywords: ReadonlySet<string> = new Set(
  (
    'type enum const anyOf oneOf not minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems ' +
    'pattern items properties required additionalProperties default description title examples format readOnly writeOnly ' +
    'deprecated withoutResult holes constant $comment $id $schema'
  ).split(' '),
);

/** Any other keyword would be checked when a workflow is stored, but not during a run. */
const checkKeywords = (schema: JsonValue | undefined, place: string): void => {
  if (!isPlainObject(schema))
    failCheck(`${place} must be an object: true and false are not checked during a run`);
  for (const [keyword, value] of Object.entries(schema as JsonObject)) {
    const at = `${place}/${keyword}`;
    if (!keywords.has(keyword)) failCheck(`${at} is not checked during a run: use only what Type offers`);
    if (keyword === 'properties') {
      for (const [name, inner] of Object.entries(value as JsonObject)) checkKeywords(inner, `${at}/${name}`);
    } else if (keyword === 'anyOf' || keyword === 'oneOf') {
      for (const inner of value as readonly JsonValue[]) checkKeywords(inner, at);
    } else if (
      keyword === 'items' ||
      keyword === 'not' ||
      (keyword === 'additionalProperties' && typeof value !== 'boolean')
    ) {
      checkKeywords(value, at);
    }
  }
};

const propertiesOf = ({ schema }: PluginHandle): [string, Rule][] =>
  isPlainObject(schema.properties) ? (Object.entries(schema.properties) as [string, Rule][]) : [];

const checkDescriptions = (handle: PluginHandle): void => {
  const missing = propertiesOf(handle).filter(([, { description = '' }]) => description.trim() === '');
  if (missing.length > 0)
    failCheck(`without a description: ${missing.map(([name]) => `"${name}"`).join(', ')}`);
};

const checkDefaults = (handle: PluginHandle): void => {
  for (const [name, rule] of propertiesOf(handle)) {
    if (rule.default !== undefined) createReader({ properties: { [name]: rule } })({ [name]: rule.default });
  }
};

const checkExample = ({ schema }: PluginHandle, { parameters = {} }: NodeTest): void => {
  createReader(schema)(parameters);
  const known = new Set(Object.keys((schema.properties ?? {}) as JsonObject));
  for (const name of Object.keys(parameters)) {
    if (!known.has(name))
      failCheck(`its example has the parameter "${name}", which its schema does not have`);
  }
};

/** The example's output is that of any of its outputs. */
const checkExampleOutput = (handle: PluginHandle): void => {
  const { parameters = {}, input = {}, output = {} } = handle.example ?? {};
  const inputs = [
    { sourceNodeId: 'before', sourceOutput: MAIN_OUTPUT, targetInput: MAIN_OUTPUT, data: input },
  ];
  const failures = namesOfOutputs(handle.outputs ?? [MAIN_OUTPUT], parameters).map((name) => {
    try {
      checkDelivered(handle, { parameters, input, inputs, outputs: { [name]: output } });
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  });
  if (!failures.includes(null)) failCheck(failures[0] ?? 'it has no output');
};

const checkOutputs = async (handle: PluginHandle, example: NodeTest): Promise<void> => {
  const names = namesOfOutputs(handle.outputs ?? [MAIN_OUTPUT], example.parameters ?? {});
  const { outputs } = await runNode(handle, example);
  for (const output of Object.keys(outputs)) {
    if (![...names, ERROR_OUTPUT, RESPONSE_OUTPUT].includes(output))
      failCheck(`it delivers on "${output}", but declares ${names.join(', ')}`);
  }
};

/** A value that no error message may quote. */
const PROBE = 'a value that no message may quote';

/** A value that a rule refuses, containing the probe; null if the rule accepts any value. */
const findWrong = (rule: Rule): JsonValue => {
  const types = rule.enum === undefined ? typesOf(rule) : [];
  if (types === null) return null;
  if (!types.includes('string')) return PROBE;
  if (!types.includes('object')) return { probe: PROBE };
  return types.includes('array') ? null : [PROBE];
};

const checkWrongParameters = async (handle: PluginHandle, example: NodeTest): Promise<void> => {
  if (handle.kind === 'trigger') return;
  for (const [name, rule] of propertiesOf(handle)) {
    const wrong = findWrong(rule);
    if (wrong === null) continue;
    const parameters = { ...example.parameters, [name]: wrong };
    const error = await runNode(handle, { ...example, parameters }).then(
      () => failCheck(`it accepts any value for the parameter "${name}"`),
      (error: unknown) => error,
    );
    const message = error instanceof Error ? error.message : String(error);
    if (!message.includes(name)) failCheck(`its error does not name the parameter "${name}": ${message}`);
    if (message.includes(PROBE)) failCheck(`its error quotes the value of the parameter "${name}"`);
  }
};

const checkSecrets = async (handle: PluginHandle, example: NodeTest): Promise<void> => {
  const { credential } = example;
  if (credential === undefined) return;
  const { outputs, log } = await runNode(handle, example);
  const shown = JSON.stringify([outputs, log]);
  const { type, fields } = credential;
  for (const name of Object.keys(fields)) {
    const isSecret = typeof type === 'string' || type.secretFields.includes(name);
    if (isSecret && shown.includes(JSON.stringify(fields[name]).slice(1, -1)))
      failCheck(`its output or its log contains the field "${name}" of its credential`);
  }
};

const checkPure = async (handle: PluginHandle, example: NodeTest): Promise<void> => {
  const first = await runNode(handle, example);
  const second = await runNode(handle, example);
  if (!jsonEquals(first.outputs, second.outputs))
    failCheck('it is pure, but a second run has a different output');
};
