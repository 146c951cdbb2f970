import { isPlainObject, type JsonObject, type JsonValue, MAIN_OUTPUT } from '@hookloom/plugin-kit';
import type { NodeTypeDescription } from '../../../lib/plugins/reference/describe-node-type.ts';

/** A node type's page in Markdown, also readable in a terminal. */
export const printNodeType = (description: NodeTypeDescription): string =>
  [
    `# ${description.nodeType}`,
    toSentence(description.description),
    printTraits(description)
      .map((trait) => `- ${trait}`)
      .join('\n'),
    '## Parameters',
    printParameters(description.schema),
    ...printDelivered(description),
    ...printExample(description),
  ].join('\n\n');

const printTraits = (description: NodeTypeDescription): string[] => {
  const { inputs, endsBranch, credentialTypes } = description;
  const isOnlyMain = inputs.length === 1 && inputs[0] === MAIN_OUTPUT;
  return [
    printKind(description),
    ...(isOnlyMain ? [] : [`Inputs: ${toCodes(inputs)}`]),
    `Outputs: ${printOutputs(description)}`,
    ...(endsBranch ? ['It may deliver on no output, which ends the branch or loop'] : []),
    ...(credentialTypes.length === 0 ? [] : [`Types of its credential: ${toCodes(credentialTypes)}`]),
    ...description.parametersWithOptions.map(
      (name) =>
        `Values of ${toCode(name)}: \`hookloom node-type options ${description.nodeType} ${name} --credential ID\``,
    ),
  ];
};

const triggerSources: Readonly<Record<NonNullable<NodeTypeDescription['firedBy']>, string>> = {
  request: 'an HTTP request',
  subworkflow: 'a `subworkflow` node of another workflow, or by hand',
  event: 'events',
  poll: 'what is new when it polls, on a schedule',
};

const printKind = ({ kind, firedBy, pure, control }: NodeTypeDescription): string => {
  if (kind === 'trigger')
    return firedBy === null ? 'Trigger; nothing fires it' : `Trigger, fired by ${triggerSources[firedBy]}`;
  if (control?.suspends === true)
    return 'Action that controls the run and may wait longer than a process lives';
  if (control !== null) return 'Action that controls the run';
  if (pure === 'byParameters')
    return 'Action, pure or with effects depending on its parameters: with effects it is a step, with a checkpoint and retries';
  return pure
    ? 'Action, pure: computed again on a replay; no checkpoint, no retry'
    : 'Action with effects: a step, with a checkpoint and retries';
};

export const printOutputs = ({
  outputs,
  outputsDependOnParameters,
  control,
}: Pick<NodeTypeDescription, 'outputs' | 'outputsDependOnParameters' | 'control'>): string => {
  const names = outputs?.map((name) =>
    name === control?.bodyOutput ? `${toCode(name)} (its body)` : toCode(name),
  );
  if (!outputsDependOnParameters) return names?.join(', ') || 'none';
  return names === undefined || names.length === 0
    ? 'depend on its parameters'
    : `depend on its parameters; in the example ${names.join(', ')}`;
};

/** What the outputs deliver, as far as that is declared. */
const printDelivered = ({ outputSchemas, deliveryDependsOnParameters }: NodeTypeDescription): string[] => {
  if (Object.keys(outputSchemas).length === 0) return [];
  const heading = deliveryDependsOnParameters
    ? '## Delivers, with the parameters of the example'
    : '## Delivers';
  return [
    heading,
    printKeys(toShown({ properties: outputSchemas, required: Object.keys(outputSchemas) }), '').join('\n'),
  ];
};

/** A schema of an output in which fields are said to be optional, since most are not. */
const toShown = ({ required: needed, ...schema }: JsonObject): JsonObject => {
  const names = Array.isArray(needed) ? needed : [];
  const { properties, items, anyOf, merged, cases } = schema;
  const fields = Object.entries(isPlainObject(properties) ? (properties as JsonObject) : {}).map(
    ([name, field]) => {
      const shown = isPlainObject(field) ? toShown(field as JsonObject) : field;
      return [
        name,
        names.includes(name) ? shown : { ...(shown as JsonObject), description: 'may be absent' },
      ];
    },
  );
  const showAll = (schemas: readonly JsonValue[]) =>
    schemas.map((one) => (isPlainObject(one) ? toShown(one as JsonObject) : one));
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(fields) }),
    ...(isPlainObject(items) ? { items: toShown(items as JsonObject) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: showAll(anyOf) } : {}),
    ...(Array.isArray(merged) ? { merged: showAll(merged) } : {}),
    ...(isPlainObject(cases)
      ? {
          cases: Object.fromEntries(
            Object.entries(cases as JsonObject).map(([name, one]) => [name, toShown(one as JsonObject)]),
          ),
        }
      : {}),
  };
};

/** In words, what a reference in the schema of an output is to. */
const printReference = ($ref: string): string => {
  const [root = '', , name = '', ...keys] = $ref.slice(1).split('/');
  if (root === 'input')
    return name === ''
      ? 'its input'
      : `the input's ${toCode([name, ...keys].filter((key) => key !== 'properties').join('.'))}`;
  if (root === 'inputs')
    return $ref.includes('/')
      ? 'what a connected node delivers'
      : 'what each connected node delivers, by its id';
  if (root === 'body') return 'what its body delivers';
  const inner = keys.filter((key) => key !== 'properties' && key !== 'items').join('.');
  if (keys.length === 0) return `the value of ${toCode(name)}`;
  return `${inner === '' ? 'an item' : `${toCode(inner)} of an item`} of ${toCode(name)}`;
};

const printExample = ({ nodeType, example }: NodeTypeDescription): string[] => {
  if (example === null) return [];
  const { parameters, input, output } = example;
  return [
    '## Example',
    printBlock({ id: nodeType, type: nodeType, parameters }),
    ...(input === undefined ? [] : ['With the input', printBlock(input)]),
    ...(output === undefined
      ? []
      : [input === undefined ? 'It delivers' : 'it delivers', printBlock(output)]),
  ];
};

/** Uses `JSON.stringify`, since a plugin's example may contain values that only become JSON through it. */
const printBlock = (value: unknown): string =>
  `\`\`\`json\n${printJson(JSON.parse(JSON.stringify(value)))}\n\`\`\``;

const MAX_WIDTH = 110;

/** Readable JSON: a list or an object is on one line if it fits. */
export const printJson = (value: JsonValue, indent = ''): string => {
  const inner = `${indent}  `;
  const line = printLine(value);
  if (indent.length + line.length <= MAX_WIDTH || typeof value !== 'object' || value === null) return line;
  const isList = Array.isArray(value);
  const lines = isList
    ? value.map((item: JsonValue) => `${inner}${printJson(item, inner)}`)
    : Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${printJson(item, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
};

const printLine = (value: JsonValue): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(printLine).join(', ')}]`;
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${printLine(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
};

type Schema = Readonly<Record<string, unknown>>;

/**
 * The parameters of a node type as a list in Markdown; keys of objects and of list items are nested lists.
 * @internal
 */
export const printParameters = (schema: JsonObject): string => {
  const lines = printKeys(schema, '');
  return (lines.length === 0 ? ['None.'] : [...lines, ...printAlternatives(schema)]).join('\n');
};

const printKeys = (schema: Schema, indent: string): string[] => {
  if (isPlainObject(schema.cases)) return printCases(schema, indent);
  if (Array.isArray(schema.merged)) return schema.merged.flatMap((part) => printKeys(part, indent));
  const shapes = findShapes(schema);
  if (shapes.length === 1) return shapes.flatMap((shape) => printShape(shape, indent));
  return shapes.flatMap((shape) => [`${indent}- either`, ...printShape(shape, `${indent}  `)]);
};

const printCases = (schema: Schema, indent: string): string[] =>
  casesOf(schema).flatMap(({ when, schema: own }) => [
    `${indent}- ${when} (${toLine(printType(own))})`,
    ...printKeys(own, `${indent}  `),
  ]);

/** What is delivered by the value of a parameter, or by whether it is given. Values with the same result are one case. */
export const casesOf = ({
  by,
  ifGiven,
  cases,
}: Schema): { readonly when: string; readonly schema: Schema }[] => {
  const groups = Map.groupBy(Object.entries(cases as Readonly<Record<string, Schema>>), ([, schema]) =>
    JSON.stringify(schema),
  );
  return [...groups.values()].map((group) => {
    const [, schema] = group[0] as [string, Schema];
    const names = group.map(([name]) => name);
    const when =
      by === undefined
        ? `${names[0] === 'given' ? 'with' : 'without'} ${toCode(String(ifGiven))}`
        : `${toCode(String(by))} ${toCodes(names)}`;
    return { when, schema };
  });
};

/** The objects with named keys that a value, the items of a list or the values of a map may be. */
const findShapes = (schema: Schema): Schema[] => {
  if (isPlainObject(schema.properties)) return Object.keys(schema.properties).length === 0 ? [] : [schema];
  return [schema.items, ...branchesOf(schema), ...otherValues(schema)]
    .filter(isPlainObject)
    .flatMap(findShapes);
};

const branchesOf = ({ oneOf, anyOf }: Schema): unknown[] =>
  [oneOf, anyOf].flatMap((branches) => (Array.isArray(branches) ? branches : []));

const printShape = ({ properties, required }: Schema, indent: string): string[] => {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties as Schema).flatMap(([name, value]) => {
    const schema = isPlainObject(value) ? value : {};
    const { default: initial, description } = schema;
    const traits = [
      printType(schema),
      ...printBounds(schema),
      ...(initial === undefined ? [] : [`default ${toCode(JSON.stringify(initial))}`]),
      ...(initial === undefined && names.includes(name) ? ['required'] : []),
    ];
    const text = typeof description === 'string' ? `: ${toLine(description)}` : '';
    return [
      `${indent}- ${toCode(name)} (${toLine(traits.join(', '))})${text}`,
      ...printKeys(schema, `${indent}  `),
    ];
  });
};

/** A type in a few words, with what is between backticks as code. */
export const printType = (schema: Schema): string => {
  const { type, items, $ref, merged, cases, by, ifGiven, schemaIn } = schema;
  if (isPlainObject(cases)) return `depends on ${toCode(String(by ?? ifGiven))}`;
  if (typeof schemaIn === 'string') return `what ${toCode(schemaIn)} allows`;
  if (typeof $ref === 'string' && /^#[a-z]/.test($ref)) return printReference($ref);
  if (Array.isArray(merged))
    return merged
      .filter(isPlainObject)
      .map((part) => (part.properties === undefined ? printType(part) : 'these fields'))
      .join(' and ');
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : null;
  if (values !== null) return toCodes(values.map(printValue));
  const branches = branchesOf(schema).filter(isPlainObject);
  if (type === undefined && branches.length > 0)
    return [...new Set(branches.map(printType))].join(branches.every(isConst) ? ', ' : ' or ');
  if (Array.isArray(type)) return type.map(printValue).join(' or ');
  if (type === 'array' && isPlainObject(items))
    return isPlainObject(items.cases)
      ? `array whose items depend on ${toCode(String(items.by ?? items.ifGiven))}`
      : `array of ${printType(items)}`;
  const [value] = type === 'object' ? otherValues(schema) : [];
  if (value !== undefined) return `object of ${printType(value)}`;
  return [type, $ref].find((name) => typeof name === 'string') ?? 'any JSON';
};

/** Schemas of values whose keys the schema does not name. */
const otherValues = ({ additionalProperties, patternProperties }: Schema): Schema[] =>
  [additionalProperties, ...Object.values(isPlainObject(patternProperties) ? patternProperties : {})].filter(
    isPlainObject,
  );

const isConst = (schema: Schema): boolean => 'const' in schema;

const printValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Keywords of JSON Schema that bound a value. */
const bounds: Readonly<Record<string, (value: string) => string>> = {
  minimum: (value) => `at least ${value}`,
  exclusiveMinimum: (value) => `above ${value}`,
  maximum: (value) => `at most ${value}`,
  exclusiveMaximum: (value) => `below ${value}`,
  minLength: (value) => (value === '1' ? 'not empty' : `at least ${value} characters`),
  maxLength: (value) => `at most ${value} characters`,
  minItems: (value) => (value === '1' ? 'not empty' : `at least ${value} items`),
  maxItems: (value) => `at most ${value} items`,
  pattern: (value) => `matches ${toCode(value)}`,
  format: (value) => `a ${String(value).replaceAll('-', ' ')}`,
  holes: () => 'an address',
};

const printBounds = (schema: Schema): string[] =>
  Object.entries(bounds).flatMap(([keyword, print]) => {
    const value = schema[keyword];
    return typeof value === 'string' || typeof value === 'number' ? [print(String(value))] : [];
  });

/** Alternatives at the top that only require keys, such as `seconds` or `until`. */
const printAlternatives = (schema: JsonObject): string[] => {
  const choices = branchesOf(schema).flatMap((branch) =>
    isPlainObject(branch) && Array.isArray(branch.required) ? [toCodes(branch.required.map(printValue))] : [],
  );
  if (choices.length === 0) return [];
  return ['', `${'oneOf' in schema ? 'Exactly' : 'At least'} one is required: ${choices.join(' or ')}.`];
};

/** A plugin's text on one line, without control characters; inline Markdown is kept. */
export const toLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();

/** Puts a text on one line and adds a full stop unless it already ends with one. */
const toSentence = (text: string): string => {
  const line = toLine(text);
  return line === '' || /[.!?]$/.test(line) ? line : `${line}.`;
};

export const toCode = (text: string): string =>
  text.includes('`') ? `\`\` ${toLine(text)} \`\`` : `\`${toLine(text)}\``;

const toCodes = (texts: readonly string[]): string => texts.map(toCode).join(', ');
