import { type JsonValue, MAIN_OUTPUT } from '@hookloom/plugin-kit';
import type { NodeTypeDescription } from '../../lib/plugins/reference/describe-node-type.ts';
import { toCode, toCodes, toSentence } from './markdown.ts';
import { printParameters } from './print-parameters.ts';

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
    ...printExample(description),
  ].join('\n\n');

const printTraits = (description: NodeTypeDescription): string[] => {
  const { inputs, endsBranch, credentialTypes } = description;
  const isOnlyMain = inputs.length === 1 && inputs[0] === MAIN_OUTPUT;
  return [
    printKind(description),
    ...(isOnlyMain ? [] : [`Inputs: ${toCodes(inputs)}`]),
    `Outputs: ${printOutputs(description)}`,
    ...(endsBranch ? ['It may deliver on no output, which ends a branch or a loop'] : []),
    ...(credentialTypes.length === 0 ? [] : [`Types of its credential: ${toCodes(credentialTypes)}`]),
  ];
};

const triggerSources: Readonly<Record<NonNullable<NodeTypeDescription['firedBy']>, string>> = {
  request: 'an HTTP request',
  subworkflow: 'a `subworkflow` node of another workflow, or by hand',
  event: 'events',
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
