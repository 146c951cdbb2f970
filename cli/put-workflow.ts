import type { FindNodeType } from '../lib/contract/node-type.ts';
import type { BackgroundMode, WorkflowDefinition } from '../lib/workflows/definition/definition.ts';
import { toPathConfigs } from '../lib/workflows/definition/to-path-configs.ts';
import type { WorkflowStore } from '../lib/workflows/definition/workflow-store.ts';
import { checkCredentials } from '../lib/workflows/validation/check-credentials.ts';
import { CommandError } from './command-error.ts';
import type { Target } from './target.ts';

/**
 * Makes a checked definition the current version.
 *
 * @param execution - the mode of its background runs: see `resolveExecution`
 * @param replaces - the version that it was made from; absent: any
 * @throws AppError `WORKFLOW_CHANGED` when another version than `replaces` is current
 * @throws AppError `WORKFLOW_TOO_LARGE` when it does not fit into an item of the store
 * @throws AppError `STORE_UNAVAILABLE` when the store does not answer or is throttling
 */
export const putWorkflow = (
  definition: WorkflowDefinition,
  store: WorkflowStore,
  execution: BackgroundMode,
  replaces?: number,
): Promise<{ readonly version: number; readonly changed: boolean }> =>
  store.put(definition, toPathConfigs(definition, execution), replaces);

/**
 * Checks the credentials of a definition against the store that it goes to.
 *
 * @throws CommandError with every problem on a line of its own
 */
export const refuseUnknownCredentials = async (
  definition: WorkflowDefinition,
  findNodeType: FindNodeType,
  { credentials, outbound }: Pick<Target, 'credentials' | 'outbound'>,
): Promise<void> => {
  const { store } = outbound;
  const problems = await checkCredentials(definition, findNodeType, {
    findType: async (id) => ((await credentials.find(id)) ?? (await store.find(id)))?.type ?? null,
    listIds: async () => [...(await credentials.list()), ...(await store.list())].map(({ id }) => id),
  });
  if (problems.length === 0) return;
  throw new CommandError(
    problems.map(({ path, message }) => `${definition.id}: ${path} ${message}`).join('\n'),
  );
};

/**
 * The methods and URLs of a workflow's webhooks.
 *
 * @param baseUrl - without a trailing slash; null: paths alone
 */
export const webhookUrls = (definition: WorkflowDefinition, baseUrl: string | null): string[] =>
  toPathConfigs(definition).map(
    ({ method, path }) =>
      `${method} ${baseUrl ?? ''}/api/webhook/${definition.id}${path === '/' ? '' : path}`,
  );
