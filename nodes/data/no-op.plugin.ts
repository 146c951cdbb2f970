import type { ActionProvider } from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';

/** An action of the legacy API: one provider, one node type. */
const noOp: ActionProvider = {
  nodeType: 'noOp',
  displayName: 'No operation',
  description:
    'Passes its input on unchanged: a place where branches meet, or a placeholder for another node',
  category: 'data',
  version: '1.0.0',
  pure: true,
  properties: [],
  outputs: { main: Given.input },
  example: { parameters: {}, input: { id: 1 }, output: { id: 1 } },
  getExecutor: () => ({ getNodeType: () => 'noOp', execute: (_node, input) => input }),
};

export default noOp;
