import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { hashGenerated } from '../../../lib/credentials/hash-secret.ts';
import { putWorkflow } from '../../../lib/triggers/registrations/put-workflow.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { findCredentialProblems } from '../../authoring/stage/find-store-problems.ts';
import { findMissingSubworkflows, findUrlWarnings } from '../../authoring/stage/find-warnings.ts';
import { workflowsFolder } from '../../cli/local/project-folder.ts';
import { loadNodeTypes } from '../../cli/plugins/node-types.ts';
import { isWorkflowFile, readWorkflow } from '../../cli/read-file.ts';
import { sampleCredentials } from './sample-credentials.ts';
import type { SampleStores } from './sample-stores.ts';

const noStdin = { readStdin: async () => '' };

/** The result of storing a workflow file. */
export interface StoredSample {
  readonly id: string;
  readonly version: number;
  /** Whether the definition was stored; false when the store already had the same one. */
  readonly changed: boolean;
  /** One line for each likely mistake and each missing workflow that it refers to. */
  readonly warnings: readonly string[];
}

/** A file with the same id as another one: it is unclear which is intended. */
export interface IdConflict {
  readonly problem: string;
  /** The id that both files have. */
  readonly id: string;
}

/** The names of the workflow files by the ids in them. */
export type FilesById = Readonly<Record<string, string>>;

/**
 * Validates a workflow file and stores it, like the command line. A file with the same id as another one is not stored.
 *
 * @param others - the files that are stored
 * @throws Error that lists the problems of the file
 */
export const putSample = async (
  file: string,
  target: SampleStores,
  nodeTypes: Promise<FindNodeType> = loadNodeTypes(),
  others: FilesById = {},
): Promise<StoredSample | IdConflict> => {
  const findNodeType = await nodeTypes;
  const { definition, warnings } = await readWorkflow(file, noStdin, findNodeType);
  const { id } = definition;
  const other = Object.hasOwn(others, id) ? others[id] : undefined;
  if (other !== undefined) return { id, problem: describeConflict(id, [other]) };
  const { version, changed } = await storeSample(definition, target, findNodeType);
  const missing = await findMissingSubworkflows(definition, target.workflows);
  const urls = await findUrlWarnings(definition, findNodeType, target.outbound);
  return { id, version, changed, warnings: [...warnings, ...toLines([...missing, ...urls])] };
};

const toLines = (found: readonly Problem[]): string[] =>
  found.map(({ path, message }) => `${path} ${message}`);

const describeConflict = (id: string, others: readonly string[]): string =>
  `its id "${id}" is also the id in ${others.join(', ')}: change or remove one of them`;

const storeSample = async (
  definition: WorkflowDefinition,
  target: SampleStores,
  findNodeType: FindNodeType,
) => {
  const problems = await findCredentialProblems(definition, findNodeType, target);
  if (problems.length > 0)
    throw new Error(problems.map(({ path, message }) => `${definition.id}: ${path} ${message}`).join('\n'));
  return putWorkflow(definition, { ...target, findNodeType });
};

/** The result of seeding one sample; its name is the file's. */
export type SeededSample =
  | {
      readonly name: string;
      readonly id: string;
      /** Whether the store has another definition of the workflow, which stays. */
      readonly isOther: boolean;
      /** One line for each likely mistake and each missing workflow that it refers to. */
      readonly warnings: readonly string[];
    }
  | { readonly name: string; readonly problem: string }
  | ({ readonly name: string } & IdConflict);

/**
 * Stores the sample workflows missing from the store, and the credentials that they use. A file that can't be stored does
 * not affect the others.
 *
 * @param ordersApiKey - null in a user's folder, which needs no credentials of samples
 */
export const seedSamples = async (
  target: SampleStores,
  ordersApiKey: string | null,
  folder: string = workflowsFolder(),
): Promise<SeededSample[]> => {
  const [findNodeType] = await Promise.all([
    loadNodeTypes(),
    ...(ordersApiKey === null
      ? []
      : [seedCallerCredential(target, ordersApiKey), seedOutboundCredentials(target)]),
  ]);
  const names = existsSync(folder) ? readdirSync(folder).filter(isWorkflowFile) : [];
  const files = await Promise.all(names.map((name) => readSample(name, folder, findNodeType)));
  const namesOf = Map.groupBy(files, (file) => ('definition' in file ? file.definition.id : null));
  const samples = await Promise.all(
    files.map(async (file) => {
      if (!('definition' in file)) return file;
      const { name, definition, warnings } = file;
      const { id } = definition;
      const others = (namesOf.get(id) ?? []).filter((other) => other !== file);
      if (others.length > 0) return { name, id, problem: describeConflict(id, toNames(others)) };
      try {
        const isOther = await seedSample(definition, target, findNodeType);
        return { name, stored: { definition, warnings, isOther } };
      } catch (error) {
        return { name, problem: (error as Error).message };
      }
    }),
  );
  // After storing all files, since one may refer to another.
  return Promise.all(
    samples.map(async (sample) => {
      if (!('stored' in sample)) return sample;
      const { definition, warnings, isOther } = sample.stored;
      const missing = await findMissingSubworkflows(definition, target.workflows);
      return { name: sample.name, id: definition.id, isOther, warnings: [...warnings, ...toLines(missing)] };
    }),
  );
};

const toNames = (files: readonly { readonly name: string }[]): string[] =>
  files.map(({ name }) => `workflows/${name}`);

const readSample = async (name: string, folder: string, findNodeType: FindNodeType) => {
  try {
    return { name, ...(await readWorkflow(join(folder, name), noStdin, findNodeType)) };
  } catch (error) {
    return { name, problem: (error as Error).message };
  }
};

/** @returns whether the store has another definition, which stays */
const seedSample = async (
  definition: WorkflowDefinition,
  target: SampleStores,
  findNodeType: FindNodeType,
): Promise<boolean> => {
  const known = await target.workflows.find(definition.id);
  if (known === null) await storeSample(definition, target, findNodeType);
  return known !== null && !isDeepStrictEqual(known.definition, JSON.parse(JSON.stringify(definition)));
};

/** Adds this folder's API key to those in a persistent store. */
const seedCallerCredential = async ({ credentials }: SampleStores, ordersApiKey: string): Promise<void> => {
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

/** Creates the credentials for the stand-in; existing ones stay. */
const seedOutboundCredentials = async ({ outbound: { store, secrets } }: SampleStores): Promise<void> => {
  for (const { id, type, fields, hosts, secrets: secret } of sampleCredentials) {
    if ((await store.find(id)) !== null) continue;
    const reference = await secrets.put(id, JSON.stringify(secret));
    await store.put({ id, type, fields, hosts, reference, revision: 1 });
  }
};
