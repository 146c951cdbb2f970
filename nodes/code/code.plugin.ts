import { definePlugin } from '@hookloom/plugin-kit';
import { code } from './code-node.ts';

/** Nodes that run code of a workflow. */
const provider = definePlugin({
  id: 'code',
  name: 'Code',
  version: '1.0.0',
  description: 'Runs JavaScript of a workflow in a sandbox',
  category: 'code',
  handles: [code],
});

export default provider;
