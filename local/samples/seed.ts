import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { sampleWorkflowsFolder } from '../../cli/local/project-folder.ts';
import { loadNodeTypes } from '../../cli/node-types.ts';
import { readWorkflow } from '../../cli/read-file.ts';
import type { Target } from '../../cli/target.ts';
import { findCredentialProblems } from '../../cli/workflows/find-credential-problems.ts';
import { findMissingSubworkflows } from '../../cli/workflows/find-missing-subworkflows.ts';
import type { FindNodeType } from '../../lib/contract/node-type.ts';
import { hashGenerated } from '../../lib/credentials/hash-secret.ts';
import { putWorkflow } from '../../lib/registrations/put-workflow.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { sampleCredentials } from './sample-credentials.ts';

const noStdin = { readStdin: async () => '' };

type SampleTarget = Pick<Target, 'workflows' | 'credentials' | 'outbound' | 'registrar'>;

/** The result of storing a workflow file. */
export interface StoredSample {
  readonly id: string;
  readonly version: number;
  /** False when the store had the same definition. */
  readonly changed: boolean;
  /** One sentence for each missing workflow that it refers to. */
  readonly warnings: readonly string[];
}

/**
 * Validates a workflow file and stores it, like the command line.
 * @throws Error that lists the problems of the file
 */
export const putSample = async (
  file: string,
  target: SampleTarget,
  nodeTypes: Promise<FindNodeType> = loadNodeTypes(),
): Promise<StoredSample> => {
  const findNodeType = await nodeTypes;
  const definition = await readWorkflow(file, noStdin, findNodeType);
  const { version, changed } = await put(definition, target, findNodeType);
  const warnings = await findMissingSubworkflows(definition, target.workflows);
  return { id: definition.id, version, changed, warnings };
};

const put = async (definition: WorkflowDefinition, target: SampleTarget, findNodeType: FindNodeType) => {
  const problems = await findCredentialProblems(definition, findNodeType, target);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return putWorkflow(definition, findNodeType, { ...target.registrar, workflows: target.workflows });
};

/** The result of seeding one sample; its name is that of the file. */
export type SeededSample =
  | {
      readonly name: string;
      readonly id: string;
      /** The store has another definition of the workflow, which stays. */
      readonly isOther: boolean;
      /** One sentence for each missing workflow that it refers to. */
      readonly warnings: readonly string[];
    }
  | { readonly name: string; readonly problem: string };

/**
 * Stores the sample workflows that the store lacks, and the credentials that they name. A file that cannot be stored
 * does not affect the others.
 */
export const seedSamples = async (
  target: Target,
  ordersApiKey: string,
  folder: string = sampleWorkflowsFolder(),
): Promise<SeededSample[]> => {
  const [findNodeType] = await Promise.all([
    loadNodeTypes(),
    seedCallerCredential(target, ordersApiKey),
    seedOutboundCredentials(target),
  ]);
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
  // After all files are stored: one may refer to another.
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

/** Adds the API key of this folder to those that a kept store has. */
const seedCallerCredential = async ({ credentials }: Target, ordersApiKey: string): Promise<void> => {
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

/** Creates the credentials for the stand-in; those of a kept store stay. */
const seedOutboundCredentials = async ({ outbound: { store, secrets } }: Target): Promise<void> => {
  for (const { id, type, fields, secrets: secret } of sampleCredentials) {
    if ((await store.find(id)) !== null) continue;
    const reference = await secrets.put(id, JSON.stringify(secret));
    await store.put({ id, type, fields, reference, revision: 1 });
  }
};
