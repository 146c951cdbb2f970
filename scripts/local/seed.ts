import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { loadNodeTypes } from '../../cli/node-types.ts';
import { putWorkflow } from '../../cli/put-workflow.ts';
import { readWorkflow } from '../../cli/read-workflow.ts';
import type { Target } from '../../cli/target.ts';
import { hashGenerated } from '../../lib/credentials/hash-secret.ts';
import { resolveExecution } from '../../lib/workflows/resolve-execution.ts';
import { sampleWorkflowsFolder } from './state-folder.ts';

/** Checks a workflow file and stores it, as the command line does. @throws {Error} that lists its problems */
export const putSample = async (
  file: string,
  { workflows }: Pick<Target, 'workflows'>,
): Promise<{ readonly id: string; readonly version: number; readonly changed: boolean }> => {
  const noStdin = { readStdin: async () => '' };
  const findNodeType = await loadNodeTypes();
  const definition = await readWorkflow(file, noStdin, findNodeType);
  const execution = resolveExecution(definition, findNodeType);
  return { id: definition.id, ...(await putWorkflow(definition, workflows, execution)) };
};

/** What became of one sample. */
export interface SeededSample {
  readonly id: string;
  /** The store has it from before, and another version of it than the file: that one stays. */
  readonly isOther: boolean;
}

/** Puts the sample workflows, and the credential that one of them asks for, into a store that has none of them yet. */
export const seedSamples = async (target: Target, ordersApiKey: string): Promise<SeededSample[]> => {
  await seedCredential(target, ordersApiKey);
  const files = readdirSync(sampleWorkflowsFolder).filter((name) => name.endsWith('.json'));
  return Promise.all(files.map((name) => seedSample(join(sampleWorkflowsFolder, name), target)));
};

const seedSample = async (file: string, target: Target): Promise<SeededSample> => {
  const definition = await readWorkflow(file, { readStdin: async () => '' }, await loadNodeTypes());
  const known = await target.workflows.find(definition.id);
  if (known === null) await putSample(file, target);
  const isOther =
    known !== null && !isDeepStrictEqual(known.definition, JSON.parse(JSON.stringify(definition)));
  return { id: definition.id, isOther };
};

/** With the key of this folder, beside those that a kept store has from others. */
const seedCredential = async ({ credentials }: Target, ordersApiKey: string): Promise<void> => {
  const known = await credentials.find('orders-key');
  const hash = hashGenerated(ordersApiKey);
  if (known?.secrets.some((secret) => isDeepStrictEqual(secret.hash, hash))) return;
  const secrets = known?.secrets ?? [];
  await credentials.put({
    id: 'orders-key',
    type: 'apiKey',
    username: null,
    secrets: [...secrets, { id: String(secrets.length + 1), createdAt: new Date().toISOString(), hash }],
    revision: (known?.revision ?? 0) + 1,
  });
};
