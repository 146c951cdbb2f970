import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { findMissingSubworkflows } from '../../cli/find-missing-subworkflows.ts';
import { loadNodeTypes } from '../../cli/node-types.ts';
import { sampleWorkflowsFolder } from '../../cli/project-folder.ts';
import { putWorkflow } from '../../cli/put-workflow.ts';
import { readWorkflow } from '../../cli/read-workflow.ts';
import type { Target } from '../../cli/target.ts';
import type { FindNodeType } from '../../lib/contract/node-type.ts';
import { hashGenerated } from '../../lib/credentials/hash-secret.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { resolveExecution } from '../../lib/workflows/definition/resolve-execution.ts';

const noStdin = { readStdin: async () => '' };

/** A workflow file that was stored. */
export interface StoredSample {
  readonly id: string;
  readonly version: number;
  /** False when the store had this very definition already. */
  readonly changed: boolean;
  /** What it refers to and the store lacks, one sentence each. */
  readonly warnings: readonly string[];
}

/** Checks a workflow file and stores it, as the command line does. @throws {Error} that lists its problems */
export const putSample = async (
  file: string,
  { workflows }: Pick<Target, 'workflows'>,
  nodeTypes: Promise<FindNodeType> = loadNodeTypes(),
): Promise<StoredSample> => {
  const findNodeType = await nodeTypes;
  const definition = await readWorkflow(file, noStdin, findNodeType);
  const { version, changed } = await put(definition, { workflows }, findNodeType);
  const warnings = await findMissingSubworkflows(definition, workflows);
  return { id: definition.id, version, changed, warnings };
};

const put = (
  definition: WorkflowDefinition,
  { workflows }: Pick<Target, 'workflows'>,
  findNodeType: FindNodeType,
) => putWorkflow(definition, workflows, resolveExecution(definition, findNodeType));

/** What became of one sample. */
export type SeededSample =
  | {
      /** The file, without its folder. */
      readonly name: string;
      readonly id: string;
      /** The store has it from before, and another version of it than the file: that one stays. */
      readonly isOther: boolean;
      /** What it refers to and the store lacks, one sentence each. */
      readonly warnings: readonly string[];
    }
  | { readonly name: string; readonly problem: string };

/**
 * Puts the sample workflows, and the credential that one of them asks for, into a store that has none of them yet. A
 * file that can't be stored keeps back no other.
 */
export const seedSamples = async (
  target: Target,
  ordersApiKey: string,
  folder: string = sampleWorkflowsFolder(),
): Promise<SeededSample[]> => {
  const [findNodeType] = await Promise.all([loadNodeTypes(), seedCredential(target, ordersApiKey)]);
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const samples = await Promise.all(
    names.map(async (name) => {
      try {
        return { name, stored: await seedSample(join(folder, name), target, findNodeType) };
      } catch (error) {
        return { name, problem: (error as Error).message };
      }
    }),
  );
  // Only now: a file may refer to another one.
  return Promise.all(
    samples.map(async (sample) => {
      if (sample.stored === undefined) return sample;
      const { definition, isOther } = sample.stored;
      const warnings = await findMissingSubworkflows(definition, target.workflows);
      return { name: sample.name, id: definition.id, isOther, warnings };
    }),
  );
};

const seedSample = async (file: string, target: Target, findNodeType: FindNodeType) => {
  const definition = await readWorkflow(file, noStdin, findNodeType);
  const known = await target.workflows.find(definition.id);
  if (known === null) await put(definition, target, findNodeType);
  const isOther =
    known !== null && !isDeepStrictEqual(known.definition, JSON.parse(JSON.stringify(definition)));
  return { definition, isOther };
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
