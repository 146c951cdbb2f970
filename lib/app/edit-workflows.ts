import { type Clock, isPlainObject, type Logger } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { nudgeHeld } from '../executions/held/nudge-held.ts';
import type { Ports } from '../executions/ports.ts';
import { PROBE_PREFIX } from '../health/ping.ts';
import { answerRoute, defineRoute, type RouteCall } from '../http/api-route.ts';
import { type Call, readCaller, serveRoutes } from '../http/create-handler.ts';
import { checkPrecondition, withTag } from '../http/entity-tags.ts';
import type { Registry } from '../plugins/load-registry.ts';
import { answerJson } from '../shared/answer.ts';
import {
  PRECONDITION_FAILED,
  REGISTRATION_REFUSED,
  WORKFLOW_IN_USE,
  WORKFLOW_NOT_FOUND,
  WORKFLOWS_INVALID,
} from '../shared/error-catalogue.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import { messageText, optional, positive, word } from '../shared/query-fields.ts';
import { findTriggers } from '../triggers/list-workflows.ts';
import {
  putWorkflow,
  putWorkflows,
  removeWorkflow,
  type WorkflowPut,
} from '../triggers/registrations/put-workflow.ts';
import type { RegistrarParts } from '../triggers/registrations/registrar.ts';
import type { WorkflowDefinition } from '../workflows/definition/definition.ts';
import { findUsersOfWorkflow } from '../workflows/definition/find-users.ts';
import type { CheckedWorkflow, Problem } from '../workflows/definition/problem.ts';
import type { ListUsers } from '../workflows/definition/uses.ts';
import type { PublishedWorkflow, WorkflowStore } from '../workflows/definition/workflow-store.ts';
import { definition, described, describedData } from './answers.ts';
import { checkWorkflowId } from './calls.ts';
import { type ListeningParts, listeningRoutes } from './listening.ts';
import { findVersion, pointedText, toPointed, workflowLimits, workflowTrigger } from './workflows.ts';

const triggerTimes = v.object({ triggerNodeId: v.string(), times: v.array(v.string()) });

export const storedWorkflow = v.object({
  id: v.string(),
  version: v.number(),
  changed: described(v.boolean(), 'False if it equals the current version, which then stays current'),
  triggers: v.array(workflowTrigger),
  warnings: v.array(pointedText),
  times: v.array(triggerTimes),
  releasing: described(v.array(v.string()), 'Triggers whose held executions start to run'),
  file: v.optional(
    described(v.string(), 'The file to which the local service has saved what its console stored'),
  ),
});

export const checkedWorkflow = v.object({
  id: v.nullable(v.string()),
  valid: v.boolean(),
  errors: v.array(v.object({ ...pointedText.entries, workflowId: v.optional(v.string()) })),
  warnings: v.array(pointedText),
  times: v.array(triggerTimes),
  described: v.optional(describedData),
});

const MAX_WORKFLOWS = 100;

const note = v.object({
  message: optional(messageText, 'Kept with the version, as in a commit'),
});

const workflowsBody = v.strictObject({
  workflows: v.pipe(
    v.array(
      v.strictObject({
        definition,
        /** The version that the definition was made from, null if there must be none; absent to replace any. */
        replaces: v.optional(v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(1)))),
      }),
    ),
    v.minLength(1),
    v.maxLength(MAX_WORKFLOWS),
  ),
});

/** Problems of a change whose triggers are registered. */
const changeProblems = ['WORKFLOW_CHANGED', 'REGISTRATION_REFUSED'] as const;
const putProblems = [
  ...changeProblems,
  'WORKFLOWS_INVALID',
  'WORKFLOW_TOO_LARGE',
  'WORKFLOWS_LEFT_STORED',
] as const;

export const putWorkflowRoute = defineRoute({
  route: 'PUT /api/admin/workflows/{workflowId}',
  summary: 'stores a definition as a new version',
  query: note,
  headers: ['if-match', 'if-none-match'],
  body: definition,
  bodyLimits: workflowLimits,
  answers: { 200: storedWorkflow, 201: storedWorkflow },
  hasTag: true,
  problems: [...putProblems, 'WORKFLOW_NOT_FOUND'],
});

export const putWorkflowsRoute = defineRoute({
  route: 'PUT /api/admin/workflows',
  summary: `stores up to ${MAX_WORKFLOWS} workflows, all or none`,
  query: note,
  body: workflowsBody,
  bodyLimits: workflowLimits,
  answers: { 200: v.object({ count: v.number(), workflows: v.array(storedWorkflow) }) },
  problems: putProblems,
});

export const putProbesRoute = defineRoute({
  route: 'PUT /api/admin/probes',
  summary:
    'stores probes of `hookloom doctor`, all or none: workflows whose ids begin with `hookloom-doctor-`',
  body: workflowsBody,
  bodyLimits: workflowLimits,
  answers: { 200: v.object({ count: v.number(), workflows: v.array(storedWorkflow) }) },
  problems: putProblems,
});

export const purgeProbeRoute = defineRoute({
  route: 'DELETE /api/admin/probes/{workflowId}',
  summary: 'deletes a probe with its versions and executions',
  answers: { 200: v.object({ id: v.string(), purged: v.literal(true), executions: v.number() }) },
  problems: ['WORKFLOW_NOT_FOUND'],
});

export const validateWorkflowsRoute = defineRoute({
  route: 'POST /api/admin/workflows/validate',
  summary: `checks up to ${MAX_WORKFLOWS} workflows, and stores nothing`,
  body: v.strictObject({
    ...workflowsBody.entries,
    describe: described(
      v.optional(v.boolean()),
      'Whether to describe what nodes deliver where that depends on the code of their types, or on other workflows',
    ),
  }),
  bodyLimits: workflowLimits,
  answers: { 200: v.object({ valid: v.boolean(), workflows: v.array(checkedWorkflow) }) },
});

const switchedWorkflow = v.object({
  id: v.string(),
  version: v.number(),
  changed: v.boolean(),
  enabled: v.boolean(),
  releasing: v.array(v.string()),
});

export const enableWorkflowRoute = defineRoute({
  route: 'POST /api/admin/workflows/{workflowId}/enable',
  summary: 'stores a version that differs only in `enabled`',
  query: note,
  headers: ['if-match', 'if-none-match'],
  answers: { 200: switchedWorkflow },
  hasTag: true,
  problems: [...changeProblems, 'WORKFLOW_NOT_FOUND', 'WORKFLOW_TOO_LARGE'],
});

export const disableWorkflowRoute = defineRoute({
  ...enableWorkflowRoute,
  route: 'POST /api/admin/workflows/{workflowId}/disable',
});

export const rollBackWorkflowRoute = defineRoute({
  route: 'POST /api/admin/workflows/{workflowId}/rollback',
  summary: 'stores an earlier version as a new one',
  options: v.object({ version: positive, ...note.entries }),
  headers: ['if-match', 'if-none-match'],
  answers: { 200: storedWorkflow, 201: storedWorkflow },
  hasTag: true,
  problems: [...putProblems, 'WORKFLOW_NOT_FOUND', 'VERSION_NOT_FOUND'],
});

export const removeWorkflowRoute = defineRoute({
  route: 'DELETE /api/admin/workflows/{workflowId}',
  summary: 'removes the workflow; its versions stay readable',
  query: v.object({
    force: optional(word(['true', 'false']), 'Whether to remove it although others use it'),
  }),
  headers: ['if-match', 'if-none-match'],
  answers: { 200: v.object({ id: v.string(), removed: v.literal(true), lastVersion: v.number() }) },
  problems: [...changeProblems, 'WORKFLOW_NOT_FOUND', 'WORKFLOW_IN_USE'],
});

interface CheckOptions {
  /** Whether they are probes of the doctor, which have ids of their own. */
  readonly isProbe?: boolean;
  readonly isDescribed?: boolean;
}

interface EditWorkflowsParts
  extends Omit<RegistrarParts, 'findNodeType'>,
    Omit<ListeningParts, 'clock' | 'workflows' | 'baseUrl'>,
    Pick<Ports, 'queues' | 'nudgeQueue'> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly workflows: WorkflowStore;
  readonly loadRegistry: () => Promise<Registry>;
  /** Checks workflows that are to be stored together; in the same order. */
  readonly check: (
    values: readonly unknown[],
    registry: Registry,
    options?: CheckOptions,
  ) => Promise<readonly CheckedWorkflow[]>;
  readonly listUsers: ListUsers;
  /** Deletes a workflow with all that is stored of it. @returns the number of its executions */
  readonly purgeWorkflow: (workflowId: string) => Promise<number>;
  /** Where webhooks are reached, without a trailing slash. */
  readonly baseUrl: string;
}

/** How many problems, and how many warnings, an answer lists: shared by its workflows. */
const MAX_ERRORS = 500;

/**
 * What changes workflows: `PUT`, `DELETE`, `POST …/enable`, `…/disable` and `…/rollback` of one workflow, `PUT` of several
 * at once, their validation, and listening to their webhooks.
 */
export const createEditWorkflows = (parts: EditWorkflowsParts) => {
  const { workflows, clock } = parts;

  /** Stores workflows, all or none. @throws AppError `WORKFLOWS_INVALID` and those of `putWorkflows` */
  const put = async (
    { event, addLogFields }: Call,
    items: readonly Item[],
    message: string | null,
    isProbe = false,
  ) => {
    const registry = await parts.loadRegistry();
    const { findNodeType } = registry;
    const checked = await parts.check(
      items.map(({ content }) => content),
      registry,
      { isProbe },
    );
    const puts = requireValid(items, checked);
    const note = { author: readCaller(event), message };
    const stored = await withPlace(items, putWorkflows(puts, { ...parts, findNodeType }, note));
    const versions = puts.map(({ definition }, index) => `${definition.id}@${stored[index]?.version}`);
    addLogFields({ versions: versions.join(' '), changed: stored.filter(({ changed }) => changed).length });
    return Promise.all(
      puts.map(async ({ definition }, index) => ({
        id: definition.id,
        version: stored[index]?.version ?? 0,
        changed: stored[index]?.changed ?? false,
        triggers: findTriggers(definition, registry.findNodeType, parts.baseUrl),
        ...describeChecked(checked[index], items[index], items.length),
        releasing: await releaseHeld(definition, parts),
      })),
    );
  };

  /** Stores one workflow, unless the request's precondition fails. */
  const putOne = async (
    call: Call,
    { workflowId, ...item }: Pick<Item, 'content' | 'pointer'> & { readonly workflowId: string },
    message: string | null,
    current: PublishedWorkflow | null,
  ) => {
    const replaces = checkPrecondition(call.event, toReplaced(workflowId, current), clock.now());
    const [stored] = await orFailed(workflowId, replaces, put(call, [{ ...item, replaces }], message));
    const { version } = stored as NonNullable<typeof stored>;
    return withTag(answerJson(current === null ? 201 : 200, stored), version);
  };

  /** The precondition of a request fails as well if another one is faster. */
  const orFailed = async <Stored>(
    workflowId: string,
    replaces: number | null | undefined,
    stored: Promise<Stored>,
  ): Promise<Stored> => {
    try {
      return await stored;
    } catch (error) {
      if (replaces === undefined || !isAppError(error, 'WORKFLOW_CHANGED')) throw error;
      const replaced = toReplaced(workflowId, await workflows.find(workflowId));
      throw new AppError(PRECONDITION_FAILED, replaced, error);
    }
  };

  const requireCurrent = async (workflowId: string): Promise<PublishedWorkflow> => {
    const current = await workflows.find(workflowId);
    if (current === null) throw new AppError(WORKFLOW_NOT_FOUND, { workflowId });
    return current;
  };

  const switchTo = (enabled: boolean) => async (call: RouteCall<typeof enableWorkflowRoute>) => {
    const { message } = call.query;
    const workflowId = checkWorkflowId(call.params.workflowId);
    const current = await requireCurrent(workflowId);
    // Not checked: an emergency must not fail because a credential is missing.
    const { findNodeType } = await parts.loadRegistry();
    const replaces = checkPrecondition(call.event, toReplaced(workflowId, current), clock.now());
    const definition = { ...current.definition, enabled };
    const put = putWorkflow(
      definition,
      { ...parts, findNodeType },
      {
        replaces: current.version,
        author: readCaller(call.event),
        message: message ?? (enabled ? 'Enabled' : 'Disabled'),
      },
    );
    const { version, changed } = await orFailed(workflowId, replaces, put);
    call.addLogFields({ versions: `${workflowId}@${version}`, changed: changed ? 1 : 0 });
    const releasing = await releaseHeld(definition, parts);
    return withTag(answerJson(200, { id: workflowId, version, changed, enabled, releasing }), version);
  };

  return serveRoutes(parts, [
    answerRoute(putWorkflowsRoute, async (call) => {
      const stored = await put(call, toItems(call.body), call.query.message);
      return answerJson(200, { count: stored.length, workflows: stored });
    }),

    answerRoute(putProbesRoute, async (call) => {
      const stored = await put(call, toItems(call.body), null, true);
      return answerJson(200, { count: stored.length, workflows: stored });
    }),

    answerRoute(purgeProbeRoute, async ({ params, addLogFields }) => {
      const workflowId = checkWorkflowId(params.workflowId);
      if (!workflowId.startsWith(PROBE_PREFIX)) throw new AppError(WORKFLOW_NOT_FOUND, { workflowId });
      addLogFields({ workflowId });
      const executions = await parts.purgeWorkflow(workflowId);
      return answerJson(200, { id: workflowId, purged: true, executions });
    }),

    answerRoute(putWorkflowRoute, async (call) => {
      const { body: content } = call;
      const workflowId = checkWorkflowId(call.params.workflowId);
      if (isPlainObject(content) && content.id !== undefined && content.id !== workflowId) {
        const detail = `must be ${JSON.stringify(workflowId)}, as in the address`;
        throw new AppError(WORKFLOWS_INVALID, { count: 1, errors: [{ pointer: '#/id', detail }] });
      }
      const current = await workflows.find(workflowId);
      return putOne(call, { workflowId, content, pointer: '#' }, call.query.message, current);
    }),

    answerRoute(enableWorkflowRoute, switchTo(true)),
    answerRoute(disableWorkflowRoute, switchTo(false)),

    answerRoute(rollBackWorkflowRoute, async (call) => {
      const { version, message } = call.options;
      const workflowId = checkWorkflowId(call.params.workflowId);
      const { definition } = await findVersion(workflowId, version, workflows);
      const current = await workflows.find(workflowId);
      const item = { workflowId, content: definition, pointer: '#' };
      return putOne(call, item, message ?? `Rolls back to version ${version}`, current);
    }),

    answerRoute(removeWorkflowRoute, async ({ event, params, query, addLogFields }) => {
      const workflowId = checkWorkflowId(params.workflowId);
      const current = await requireCurrent(workflowId);
      const replaces = checkPrecondition(event, toReplaced(workflowId, current), clock.now()) ?? undefined;
      if (query.force !== 'true') {
        const definitions = await parts.listUsers({ kind: 'workflows', names: [workflowId] });
        const users = findUsersOfWorkflow(workflowId, definitions);
        if (users.length > 0) throw new AppError(WORKFLOW_IN_USE, { workflowId, users });
      }
      const { findNodeType } = await parts.loadRegistry();
      addLogFields({ versions: `${workflowId}@${current.version}` });
      const removed = removeWorkflow(workflowId, { ...parts, findNodeType }, replaces);
      if (!(await orFailed(workflowId, replaces, removed)))
        throw new AppError(WORKFLOW_NOT_FOUND, { workflowId });
      return answerJson(200, { id: workflowId, removed: true, lastVersion: current.version });
    }),

    answerRoute(validateWorkflowsRoute, async ({ body }) => {
      const items = toItems(body);
      const values = items.map(({ content }) => content);
      const checked = await parts.check(values, await parts.loadRegistry(), {
        isDescribed: body.describe === true,
      });
      const described = checked.map((one, index) => ({
        id: idOf(values[index]),
        valid: one.problems.length === 0,
        errors: toErrors(one.problems, items[index]).slice(0, MAX_ERRORS / items.length),
        ...describeChecked(one, items[index], items.length),
        ...(one.described && { described: one.described }),
      }));
      return answerJson(200, { valid: described.every(({ valid }) => valid), workflows: described });
    }),

    ...listeningRoutes(parts),
  ]);
};

const toReplaced = (workflowId: string, current: PublishedWorkflow | null) => ({
  resource: `workflow ${workflowId}`,
  currentVersion: current?.version ?? null,
});

/** A workflow in the body of a request. */
interface Item extends Pick<WorkflowPut, 'replaces'> {
  readonly content: unknown;
  /** Its place in the body: a JSON pointer as a URI fragment (RFC 6901 §6). */
  readonly pointer: string;
}

const toItems = ({ workflows }: RouteCall<typeof putWorkflowsRoute>['body']): readonly Item[] =>
  workflows.map(({ definition, replaces }, index) => ({
    content: definition,
    replaces,
    pointer: `#/workflows/${index}/definition`,
  }));

/** @throws AppError `WORKFLOWS_INVALID` with the problems of all workflows */
const requireValid = (
  items: readonly Item[],
  checked: readonly CheckedWorkflow[],
): readonly WorkflowPut[] => {
  const errors = checked.flatMap(({ problems }, index) => toErrors(problems, items[index]));
  if (errors.length > 0)
    throw new AppError(WORKFLOWS_INVALID, { count: errors.length, errors: errors.slice(0, MAX_ERRORS) });
  return checked.flatMap(({ definition }, index) =>
    definition === null ? [] : [{ definition, replaces: items[index]?.replaces }],
  );
};

/** Adds to the refusal of a trigger where it is in the request. */
const withPlace = async <Stored>(items: readonly Item[], stored: Promise<Stored>): Promise<Stored> => {
  try {
    return await stored;
  } catch (error) {
    if (!isAppError(error, 'REGISTRATION_REFUSED')) throw error;
    const { workflowId, triggerNodeId, path, reason } = error.parameters;
    const item = items.find(({ content }) => idOf(content) === workflowId);
    const nodes = isPlainObject(item?.content) && Array.isArray(item.content.nodes) ? item.content.nodes : [];
    const at = nodes.findIndex((node) => isPlainObject(node) && node.id === triggerNodeId);
    if (at < 0) throw error;
    const message = `trigger ${triggerNodeId} can't be registered: ${reason}`;
    const problem = { path: `/nodes/${at}${path === null ? '' : `/parameters${path}`}`, message };
    const errors = toErrors([problem], item);
    throw new AppError(REGISTRATION_REFUSED, { ...error.parameters, errors }, error.cause);
  }
};

const toErrors = (problems: readonly Problem[], { content, pointer }: Item = NO_ITEM) => {
  const workflowId = idOf(content);
  return problems.map((problem) => ({
    ...(workflowId === null ? {} : { workflowId }),
    ...toPointed(problem, pointer),
  }));
};

const NO_ITEM: Item = { content: null, pointer: '#' };

const idOf = (content: unknown): string | null =>
  isPlainObject(content) && typeof content.id === 'string' ? content.id.slice(0, 64) : null;

const describeChecked = (
  { warnings, times }: Pick<CheckedWorkflow, 'warnings' | 'times'> = NOTHING,
  item: Item | undefined,
  /** The number of workflows in the answer. */
  count: number,
) => ({
  warnings: warnings.slice(0, MAX_ERRORS / count).map((warning) => toPointed(warning, item?.pointer ?? '#')),
  times,
});

const NOTHING = { warnings: [], times: [] };

/**
 * Releases the held executions of a workflow. A service that can't is no error, since its schedule releases them later.
 *
 * @returns the triggers that have any
 */
const releaseHeld = async (
  definition: WorkflowDefinition,
  parts: Pick<EditWorkflowsParts, 'queues' | 'nudgeQueue' | 'logger'>,
): Promise<readonly string[]> => {
  try {
    return await nudgeHeld(definition, parts);
  } catch (cause) {
    parts.logger.warn('Held executions are released by the next sweep.', {
      workflowId: definition.id,
      cause,
    });
    return [];
  }
};
