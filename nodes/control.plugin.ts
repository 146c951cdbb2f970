import { definePlugin } from '@hookloom/plugin-kit';
import { approval } from './approval.ts';
import { forEach } from './for-each.ts';
import { subworkflow } from './subworkflow.ts';
import { wait } from './wait.ts';

/** Nodes with `control`, which steer their run. */
export default definePlugin({
  id: 'control',
  name: 'Control',
  version: '1.0.0',
  description: 'Waits, asks for approval, runs nodes for each item, runs other workflows',
  category: 'control',
  handles: [wait, approval, forEach, subworkflow],
});
