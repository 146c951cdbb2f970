import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { pages, readSample, sampleNames, workflowsOf } from '../../../../tests/support/shown-workflows.ts';
import { loadNodeTypes, loadPlugins } from '../../../cli/plugins/node-types.ts';
import { validateWorkflow } from '../../validation/validate.ts';

// What is written with care is reported nowhere: samples, and what docs show.

let findNodeType: FindNodeType;
beforeAll(async () => {
  findNodeType = await loadNodeTypes();
});

const warningsOf = async (file: unknown) => (await validateWorkflow(file, findNodeType)).warnings;

test.each(sampleNames)('the sample %s has no warning', async (name) => {
  expect(await warningsOf(readSample(name))).toEqual([]);
});

describe.each(pages)('%s', (page) => {
  test('shows nothing that has a warning', async () => {
    for (const file of workflowsOf(page)) expect(await warningsOf(file)).toEqual([]);
  });
});

test('the examples of node types have no mistakes', async () => {
  const plugins = await loadPlugins();
  for (const { plugin } of plugins) {
    const nodeTypes = plugin?.nodeTypes ?? [];
    for (const { nodeType, kind, example, credentialTypes } of nodeTypes) {
      if (example === null || example === undefined) continue;
      const needsCredential = findNodeType(nodeType)?.credentialRequired === true;
      const it = {
        id: 'it',
        type: nodeType,
        parameters: example.parameters ?? {},
        ...(credentialTypes.length > 0 && (kind === 'action' || needsCredential)
          ? { credentialId: 'key' }
          : {}),
      };
      const start = { id: 'start', type: 'manualTrigger', parameters: {} };
      const [nodes, connections] =
        kind === 'trigger' ? [[it], []] : [[start, it], [{ sourceNodeId: 'start', targetNodeId: 'it' }]];
      const { problems, warnings } = await validateWorkflow(
        { id: 'docs', name: 'Docs', nodes, connections },
        findNodeType,
      );
      // Alone, it has no body and no caller.
      const mistakes = problems.filter(
        ({ message }) => !/^nothing is connected|^answers no caller/.test(message),
      );
      expect({ nodeType, mistakes, warnings }).toEqual({ nodeType, mistakes: [], warnings: [] });
    }
  }
});
