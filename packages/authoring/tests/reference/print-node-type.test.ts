import { describe, expect, test } from '@jest/globals';
import type { NodeTypeDescription } from '../../../../lib/plugins/reference/describe-node-type.ts';
import { printNodeType } from '../../reference/print-node-type.ts';

const aDescription = (changes: Partial<NodeTypeDescription> = {}): NodeTypeDescription => ({
  nodeType: 'greet',
  name: 'Greet',
  description: 'Says hello',
  category: 'example',
  kind: 'action',
  firedBy: null,
  inputs: ['main'],
  outputs: ['main'],
  outputSchemas: {},
  outputsDependOnParameters: false,
  deliveryDependsOnParameters: false,
  endsBranch: false,
  credentialTypes: [],
  credentialRequired: false,
  pure: true,
  control: null,
  schema: { type: 'object', properties: { name: { type: 'string' } } },
  defaults: {},
  parametersWithOptions: [],
  literalParameters: [],
  example: null,
  ...changes,
});

test('a page has the description of the node type, its properties, parameters and example', () => {
  const example = { parameters: { name: 'Ada' }, input: { a: 1 }, output: { greeting: 'Hello, Ada' } };
  expect(printNodeType(aDescription({ example }))).toBe(`# greet

Says hello.

- Action, pure: computed again on a replay; no checkpoint, no retry
- Outputs: \`main\`

## Parameters

- \`name\` (string)

## Example

\`\`\`json
{ "id": "greet", "type": "greet", "parameters": { "name": "Ada" } }
\`\`\`

With the input

\`\`\`json
{ "a": 1 }
\`\`\`

it delivers

\`\`\`json
{ "greeting": "Hello, Ada" }
\`\`\``);
});

describe('a line says', () => {
  const steering = {
    pure: false,
    control: { suspends: false, bodyOutput: 'each' },
    outputs: ['each', 'main'],
  };
  test.each<[string, Partial<NodeTypeDescription>]>([
    ['Action with effects: a step, with a checkpoint and retries', { pure: false }],
    ['Action that controls the run', steering],
    ['Outputs: `each` (its body), `main`', steering],
    [
      'Action that controls the run and may wait longer than a process lives',
      { control: { suspends: true, bodyOutput: null } },
    ],
    ['Trigger, fired by an HTTP request', { kind: 'trigger', firedBy: 'request' }],
    [
      'Trigger, fired by a `subworkflow` node of another workflow, or by hand',
      { kind: 'trigger', firedBy: 'subworkflow' },
    ],
    ['Trigger, fired by events', { kind: 'trigger', firedBy: 'event' }],
    ['Trigger; nothing fires it', { kind: 'trigger' }],
    ['Inputs: `left`, `right`', { inputs: ['left', 'right'] }],
    ['Types of its credential: `httpBearer`, `oauth2`', { credentialTypes: ['httpBearer', 'oauth2'] }],
    ['It may deliver on no output, which ends the branch or loop', { endsBranch: true }],
    [
      'Outputs: depend on its parameters; in the example `a`, `b`',
      { outputs: ['a', 'b'], outputsDependOnParameters: true },
    ],
    ['Outputs: depend on its parameters', { outputs: null, outputsDependOnParameters: true }],
  ])('%s', (line, changes) => {
    expect(printNodeType(aDescription(changes)).split('\n')).toContain(`- ${line}`);
  });
});

test('a description is one line with one full stop', () => {
  const text = printNodeType(aDescription({ description: 'Says\n\u001b[31mhello.' }));
  expect(text.split('\n')[2]).toBe('Says [31mhello.');
});
