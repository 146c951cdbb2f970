import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadNodeTypes } from '../../cli/node-types.ts';
import { putWorkflow } from '../../cli/put-workflow.ts';
import { readWorkflow } from '../../cli/read-workflow.ts';
import type { Target } from '../../cli/target.ts';
import { hashGenerated } from '../../lib/credentials/hash-secret.ts';
import { sampleWorkflowsFolder } from './state-folder.ts';

/** Checks a workflow file and stores it, as the command line does. @throws {Error} that lists its problems */
export const putSample = async (
  file: string,
  { workflows }: Pick<Target, 'workflows'>,
): Promise<{ readonly id: string; readonly version: number; readonly changed: boolean }> => {
  const noStdin = { readStdin: async () => '' };
  const definition = await readWorkflow(file, noStdin, await loadNodeTypes());
  return { id: definition.id, ...(await putWorkflow(definition, workflows)) };
};

/** Fills an empty store with the sample workflows and the credential that one of them asks for. Gives their ids. */
export const seedSamples = async (target: Target, ordersApiKey: string): Promise<string[]> => {
  const createdAt = new Date().toISOString();
  await target.credentials.put({
    id: 'orders-key',
    type: 'apiKey',
    username: null,
    secrets: [{ id: '1', createdAt, hash: hashGenerated(ordersApiKey) }],
    revision: 1,
  });
  const files = readdirSync(sampleWorkflowsFolder).filter((name) => name.endsWith('.json'));
  const samples = await Promise.all(
    files.map((name) => putSample(join(sampleWorkflowsFolder, name), target)),
  );
  return samples.map(({ id }) => id);
};
