import { type Clock, isPlainObject, type JsonValue, type Logger } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { findTriggers } from '../admin/list-workflows.ts';
import type { HeldQueues, NudgeQueue } from '../executions/held/held-queues.ts';
import { nudgeHeld } from '../executions/held/nudge-held.ts';
import { type Handle, readCaller, serveRoutes } from '../http/create-handler.ts';
import { readJsonBody, readOptions } from '../http/read-json-body.ts';
import { parseQuery } from '../http/read-parameters.ts';
import { limitBody, readWebhookEvent } from '../http/read-webhook-event.ts';
import type { Registry } from '../plugins/load-registry.ts';
import {
  putWorkflow,
  putWorkflows,
  removeWorkflow,
  type WorkflowPut,
} from '../registrations/put-workflow.ts';
import type { RegistrarParts } from '../registrations/registrar.ts';
import { type Answer, answerJson } from '../shared/answer.ts';
import {
  BODY_INVALID,
  PRECONDITION_FAILED,
  REQUEST_INVALID,
  WORKFLOW_IN_USE,
  WORKFLOW_NOT_FOUND,
  WORKFLOWS_INVALID,
} from '../shared/error-catalogue.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import { parseFields, text, word } from '../shared/query-fields.ts';
import type { WorkflowDefinition } from '../workflows/definition/definition.ts';
import { findUsersOfWorkflow } from '../workflows/definition/find-users.ts';
import type { CheckedWorkflow, Problem } from '../workflows/definition/problem.ts';
import type { PublishedWorkflow, WorkflowStore } from '../workflows/definition/workflow-store.ts';
import { findVersion, readWorkflowId, withTag } from './workflows-handlers.ts';

interface EditWorkflowsParts extends RegistrarParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly workflows: WorkflowStore;
  readonly loadRegistry: () => Promise<Registry>;
  /** Checks workflows that are to be stored together; in the same order. */
  readonly check: (values: readonly unknown[], registry: Registry) => Promise<readonly CheckedWorkflow[]>;
  /** The current versions of all workflows. */
  readonly listDefinitions: () => Promise<{ readonly definitions: readonly WorkflowDefinition[] }>;
  readonly queues: Pick<HeldQueues, 'find'>;
  readonly nudgeQueue: NudgeQueue;
  /** Where webhooks are reached, without a trailing slash. */
  readonly baseUrl: string;
}

/** Below the six megabytes of an event of Lambda, in which quotes of the body are escaped. */
const MAX_BODY_BYTES = 4_000_000;
/** Nodes may have parameters of any depth; the check of a workflow has its own limit, with a better message. */
const MAX_BODY_DEPTH = 200;
const MAX_WORKFLOWS = 100;
const MAX_MESSAGE_LENGTH = 500;
/** How many problems, and how many warnings, an answer lists: shared by its workflows. */
const MAX_ERRORS = 500;

/**
 * What changes workflows: `PUT`, `DELETE`, `POST …/enable`, `…/disable` and `…/rollback` of one workflow, `PUT` of several
 * at once, and their validation.
 */
export const createEditWorkflows = (parts: EditWorkflowsParts) => {
  const { workflows, clock } = parts;

  /** Stores workflows, all or none. @throws AppError `WORKFLOWS_INVALID` and those of `putWorkflows` */
  const put = async (
    { event, addLogFields }: Parameters<Handle>[0],
    items: readonly Item[],
    message: string | null,
  ) => {
    const registry = await parts.loadRegistry();
    const checked = await parts.check(
      items.map(({ content }) => content),
      registry,
    );
    const puts = requireValid(items, checked);
    const note = { author: readCaller(event), message };
    const stored = await putWorkflows(puts, registry.findNodeType, parts, note);
    const versions = puts.map(({ definition }, index) => `${definition.id}@${stored[index]?.version}`);
    addLogFields({ versions: versions.join(' '), changed: stored.filter(({ changed }) => changed).length });
    return Promise.all(
      puts.map(async ({ definition }, index) => ({
        id: definition.id,
        version: stored[index]?.version ?? 0,
        changed: stored[index]?.changed ?? false,
        triggers: findTriggers(definition, registry.findNodeType, parts.baseUrl),
        ...describe(checked[index], items[index], items.length),
        releasing: await release(definition, parts),
      })),
    );
  };

  /** Stores one workflow, unless the request's precondition fails. */
  const putOne = async (
    call: Parameters<Handle>[0],
    { workflowId, ...item }: Pick<Item, 'content' | 'pointer'> & { readonly workflowId: string },
    message: string | null,
    current: PublishedWorkflow | null,
  ): Promise<Answer> => {
    const replaces = checkPrecondition(call.event, workflowId, current, clock.now());
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
      const currentVersion = (await workflows.find(workflowId))?.version ?? null;
      throw new AppError(PRECONDITION_FAILED, { workflowId, currentVersion }, error);
    }
  };

  const requireCurrent = async (workflowId: string): Promise<PublishedWorkflow> => {
    const current = await workflows.find(workflowId);
    if (current === null) throw new AppError(WORKFLOW_NOT_FOUND, { workflowId });
    return current;
  };

  const switchTo =
    (enabled: boolean): Handle =>
    async (call) => {
      const { message } = parseQuery(call.event, noteQuery);
      const workflowId = readWorkflowId(call.event);
      const current = await requireCurrent(workflowId);
      // Not checked: an emergency must not fail because a credential is missing.
      const { findNodeType } = await parts.loadRegistry();
      const replaces = checkPrecondition(call.event, workflowId, current, clock.now());
      const definition = { ...current.definition, enabled };
      const put = putWorkflow(definition, findNodeType, parts, {
        replaces: current.version,
        author: readCaller(call.event),
        message: message ?? (enabled ? 'Enabled' : 'Disabled'),
      });
      const { version, changed } = await orFailed(workflowId, replaces, put);
      call.addLogFields({ versions: `${workflowId}@${version}`, changed: changed ? 1 : 0 });
      const releasing = await release(definition, parts);
      return withTag(answerJson(200, { id: workflowId, version, changed, enabled, releasing }), version);
    };

  return serveRoutes(parts, {
    'PUT /api/admin/workflows': async (call) => {
      const { message } = parseQuery(call.event, noteQuery);
      const stored = await put(call, readItems(readBody(call.event, clock.now())), message);
      return answerJson(200, { count: stored.length, workflows: stored });
    },

    'PUT /api/admin/workflows/{workflowId}': async (call) => {
      const { message } = parseQuery(call.event, noteQuery);
      const workflowId = readWorkflowId(call.event);
      const content = readBody(call.event, clock.now());
      if (isPlainObject(content) && content.id !== undefined && content.id !== workflowId) {
        const detail = `must be ${JSON.stringify(workflowId)}, as in the address`;
        throw new AppError(WORKFLOWS_INVALID, { count: 1, errors: [{ pointer: '#/id', detail }] });
      }
      const current = await workflows.find(workflowId);
      return putOne(call, { workflowId, content, pointer: '#' }, message, current);
    },

    'POST /api/admin/workflows/{workflowId}/enable': switchTo(true),
    'POST /api/admin/workflows/{workflowId}/disable': switchTo(false),

    'POST /api/admin/workflows/{workflowId}/rollback': async (call) => {
      const workflowId = readWorkflowId(call.event);
      const options = readOptions(call.event, rollbackOptions, clock.now());
      const { version, message } = parseFields(rollbackFields, options);
      const { definition } = await findVersion(workflowId, version, workflows);
      const current = await workflows.find(workflowId);
      const item = { workflowId, content: definition, pointer: '#' };
      return putOne(call, item, message ?? `Rolls back to version ${version}`, current);
    },

    'DELETE /api/admin/workflows/{workflowId}': async ({ event, addLogFields }) => {
      const { force } = parseQuery(event, v.object({ force: v.nullish(word(['true', 'false']), null) }));
      const workflowId = readWorkflowId(event);
      const current = await requireCurrent(workflowId);
      checkPrecondition(event, workflowId, current, clock.now());
      if (force !== 'true') {
        const { definitions } = await parts.listDefinitions();
        const users = findUsersOfWorkflow(workflowId, definitions);
        if (users.length > 0) throw new AppError(WORKFLOW_IN_USE, { workflowId, users });
      }
      const { findNodeType } = await parts.loadRegistry();
      addLogFields({ versions: `${workflowId}@${current.version}` });
      if (!(await removeWorkflow(workflowId, findNodeType, parts)))
        throw new AppError(WORKFLOW_NOT_FOUND, { workflowId });
      return answerJson(200, { id: workflowId, removed: true, lastVersion: current.version });
    },

    'POST /api/admin/workflows/validate': async ({ event }) => {
      parseQuery(event, v.object({}));
      const items = readItems(readBody(event, clock.now()));
      const values = items.map(({ content }) => content);
      const checked = await parts.check(values, await parts.loadRegistry());
      const described = checked.map((one, index) => ({
        id: idOf(values[index]),
        valid: one.problems.length === 0,
        errors: toErrors(one.problems, items[index]).slice(0, MAX_ERRORS / items.length),
        ...describe(one, items[index], items.length),
      }));
      return answerJson(200, { valid: described.every(({ valid }) => valid), workflows: described });
    },
  });
};

const noteQuery = v.object({
  message: v.nullish(
    v.pipe(text, v.maxLength(MAX_MESSAGE_LENGTH, `must have at most ${MAX_MESSAGE_LENGTH} characters`)),
    null,
  ),
});

const rollbackOptions = { names: ['version', 'message'], numbers: ['version'] };
const rollbackFields = v.object({
  version: v.pipe(
    v.number('must be an integer of 1 or more'),
    v.safeInteger('must be an integer of 1 or more'),
    v.minValue(1, 'must be an integer of 1 or more'),
  ),
  ...noteQuery.entries,
});

/** A workflow in the body of a request. */
interface Item extends Pick<WorkflowPut, 'replaces'> {
  readonly content: unknown;
  /** Its place in the body: a JSON pointer as a URI fragment (RFC 6901 §6). */
  readonly pointer: string;
}

/** @throws AppError `BODY_TOO_LARGE`, `CONTENT_TYPE_UNSUPPORTED`, `BODY_INVALID`, `BODY_TOO_DEEP` */
const readBody = (event: unknown, now: number): JsonValue => {
  limitBody(event, MAX_BODY_BYTES);
  const body = readJsonBody(event, MAX_BODY_DEPTH, now);
  if (body === undefined) throw new AppError(BODY_INVALID, { reason: 'it is missing' });
  return body;
};

const itemsSchema = v.strictObject({
  workflows: v.pipe(
    v.array(
      v.strictObject({
        definition: v.unknown(),
        /** The version that the definition was made from, null if there must be none; absent to replace any. */
        replaces: v.optional(v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(1)))),
      }),
    ),
    v.minLength(1),
    v.maxLength(MAX_WORKFLOWS),
  ),
});

/** The workflows in a body: `{ "workflows": [{ "definition": …, "replaces": 3 }] }`. @throws AppError `BODY_INVALID` */
const readItems = (body: JsonValue): readonly Item[] => {
  const { success, output, issues } = v.safeParse(itemsSchema, body, { abortEarly: true });
  if (!success) {
    const [{ path = [], message }] = issues;
    const place = path.map(({ key }) => `/${String(key).slice(0, 40)}`).join('');
    throw new AppError(BODY_INVALID, { reason: `at ${place || '/'}: ${message.slice(0, 200)}` });
  }
  return output.workflows.map(({ definition, replaces }, index) => ({
    content: definition,
    replaces,
    pointer: `#/workflows/${index}/definition`,
  }));
};

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

const toErrors = (problems: readonly Problem[], { content, pointer }: Item = NO_ITEM) => {
  const workflowId = idOf(content);
  return problems.map(({ path, message }) => ({
    ...(workflowId === null ? {} : { workflowId }),
    pointer: `${pointer}${path.split('/').map(toSegment).join('/')}`,
    detail: message,
  }));
};

const NO_ITEM: Item = { content: null, pointer: '#' };

const toSegment = (key: string): string => encodeURIComponent(key.toWellFormed());

const idOf = (content: unknown): string | null =>
  isPlainObject(content) && typeof content.id === 'string' ? content.id.slice(0, 64) : null;

const describe = (
  { warnings, times }: Pick<CheckedWorkflow, 'warnings' | 'times'> = NOTHING,
  item: Item | undefined,
  /** The number of workflows in the answer. */
  count: number,
) => ({
  warnings: toErrors(warnings.slice(0, MAX_ERRORS / count), item).map(({ pointer, detail }) => ({
    pointer,
    detail,
  })),
  times,
});

const NOTHING = { warnings: [], times: [] };

/**
 * The version that a request wants to replace, from `If-Match` and `If-None-Match` (RFC 9110 §13.1).
 *
 * @param now - milliseconds since the epoch
 * @returns null if there must be none; undefined without a condition
 * @throws AppError `PRECONDITION_FAILED`, or `REQUEST_INVALID` for an `If-None-Match` other than `*`
 */
const checkPrecondition = (
  event: unknown,
  workflowId: string,
  current: PublishedWorkflow | null,
  now: number,
): number | null | undefined => {
  const { 'if-match': match, 'if-none-match': noneMatch } = readWebhookEvent(event, now).headers;
  const currentVersion = current?.version ?? null;
  const fail = () => new AppError(PRECONDITION_FAILED, { workflowId, currentVersion });
  if (noneMatch !== undefined) {
    if (noneMatch.trim() !== '*')
      throw new AppError(REQUEST_INVALID, { reason: 'for a write, If-None-Match must be *' });
    if (match !== undefined)
      throw new AppError(REQUEST_INVALID, { reason: 'If-Match and If-None-Match exclude each other' });
    if (current !== null) throw fail();
    return null;
  }
  if (match === undefined) return undefined;
  if (current === null) throw fail();
  const tags = match.split(',').map((tag) => tag.trim());
  if (!tags.includes('*') && !tags.includes(`"${currentVersion}"`)) throw fail();
  return currentVersion;
};

/**
 * Releases the held executions of a workflow. A service that can't is no error, since its schedule releases them later.
 *
 * @returns the triggers that have any
 */
const release = async (
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
