import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { set } from '../../support/a-project-file.ts';
import type { RunningProject } from '../../support/a-running-project.ts';

/** Nodes of the samples and others, tried by the command line. */
export const describeTrials = (project: RunningProject): void => {
  /** Tries a node of a file. @returns its outputs */
  const tryNode = async (file: string, nodeId: string, outputs: object): Promise<JsonObject> => {
    project.write('outputs.json', JSON.stringify(outputs));
    const { code, stdout, stderr } = await project.cli(
      `workflow try ${file} --node ${nodeId} --outputs outputs.json`,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/: succeeded, 1 attempt, /) });
    return JSON.parse(stdout);
  };

  /** Writes a sample to a file, with the port of the stand-in. */
  const writeStored = async (id: string): Promise<void> =>
    project.write(`${id}.json`, (await project.cli(`workflow get ${id}`)).stdout);

  describe('a trial', () => {
    test('calls an API with a credential, and runs what repeats in a loop', async () => {
      await writeStored('sync-people');
      const people = await tryNode('sync-people.json', 'people', { request: { main: {} } });
      expect(people).toMatchObject({ main: { pages: 3, items: expect.any(Array) } });
      const each = await tryNode('sync-people.json', 'each', { people });
      expect((each.main as JsonObject).results).toHaveLength(7);
    });

    test('saves a file, and reads it', async () => {
      const { nodes } = JSON.parse(
        readFileSync(join(project.folder, 'workflows/import-orders.json'), 'utf8'),
      );
      const nodeOf = (nodeId: string) => nodes.find(({ id }: { readonly id: string }) => id === nodeId);
      const each = { id: 'each', type: 'forEach', parameters: { items: '{{ body.files }}' } };
      const reading = {
        id: 'tried-files',
        name: 'Files',
        enabled: true,
        nodes: [nodeOf('request'), each, nodeOf('object'), nodeOf('rows')],
        connections: [
          { sourceNodeId: 'request', targetNodeId: 'each' },
          { sourceNodeId: 'each', sourceOutput: 'each', targetNodeId: 'object' },
          { sourceNodeId: 'object', targetNodeId: 'rows' },
        ],
      };
      project.write('tried-files.json', JSON.stringify(reading));
      const outputs = await tryNode('tried-files.json', 'each', {
        request: { main: { body: { files: [1] } } },
      });
      const [read] = (outputs.main as { results: JsonObject[] }).results;
      expect(read?.items).toHaveLength(250);
    });

    test('reads variables, and runs a stored workflow', async () => {
      const { cli, storeWorkflow, write } = project;
      expect((await cli('variable set tried here')).code).toBe(0);
      const called = {
        id: 'tried-called',
        name: 'Called',
        enabled: true,
        nodes: [
          { id: 'in', type: 'manualTrigger', parameters: {} },
          { id: 'out', ...set({ said: '{{ place }}' }) },
        ],
        connections: [{ sourceNodeId: 'in', targetNodeId: 'out' }],
      };
      await storeWorkflow(called);
      const parameters = { workflowId: 'tried-called', input: { place: '{{ $vars.tried }}' } };
      const calling = {
        ...called,
        id: 'tried-calling',
        nodes: [called.nodes[0], { id: 'call', type: 'subworkflow', parameters }],
        connections: [{ sourceNodeId: 'in', targetNodeId: 'call' }],
      };
      write('tried-calling.json', JSON.stringify(calling));
      const outputs = await tryNode('tried-calling.json', 'call', { in: { main: {} } });
      expect(outputs).toMatchObject({ main: { said: 'here' } });
      expect((await cli('workflow get tried-calling')).code).toBe(1);
    });

    test('is listed as such', async () => {
      const { body } = await project.get<{ executions: JsonObject[] }>(
        '/api/admin/executions?workflowId=sync-people&trial=true',
      );
      expect(body.executions).toMatchObject([{ trial: true }, { trial: true }]);
    });
  });
};
