import * as v from 'valibot';
import { defineRoute } from '../http/api-route.ts';
import type { BodyLimits } from '../http/read-json-body.ts';
import { cursor, messageText, optional, pageSize, positive, text, word } from '../shared/query-fields.ts';
import { workflowQuery } from '../triggers/list-workflows.ts';
import { anyObject, change, definition, described, executionStatus, instant, nextCursor } from './answers.ts';

export const webhookAddress = v.object({ method: v.string(), url: v.string() });

export const workflowTrigger = v.object({
  nodeId: v.string(),
  type: v.string(),
  addresses: v.optional(v.array(webhookAddress)),
});

export const listedWorkflow = v.object({
  id: v.string(),
  name: v.string(),
  tags: v.array(v.string()),
  enabled: v.boolean(),
  version: v.number(),
  updatedAt: instant,
  triggers: v.array(workflowTrigger),
  unknownNodeTypes: v.optional(v.array(v.string())),
  lastExecution: v.nullable(
    v.object({ executionId: v.string(), status: executionStatus, startedAt: instant }),
  ),
});

export const workflowVersion = v.object({
  version: v.number(),
  updatedAt: instant,
  author: described(v.nullable(v.string()), 'ARN of the caller'),
  message: v.nullable(v.string()),
});

const pointer = described(v.string(), 'A JSON pointer as a URI fragment');

const patchOperation = v.variant('op', [
  v.object({ op: v.literal('add'), path: pointer, value: v.unknown() }),
  v.object({ op: v.literal('replace'), path: pointer, value: v.unknown() }),
  v.object({ op: v.literal('remove'), path: pointer }),
  v.object({ op: v.literal('move'), from: pointer, path: pointer }),
]);

export const proposal = described(
  v.array(patchOperation),
  'The correction, as operations of JSON Patch, in order',
);

export const pointedText = v.object({ pointer, detail: v.string(), proposal: v.optional(proposal) });

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
});

export const listWorkflowsRoute = defineRoute({
  route: 'GET /api/admin/workflows',
  summary: 'a page of the workflows, by id',
  query: workflowQuery,
  answers: {
    200: v.object({ count: v.number(), workflows: v.array(listedWorkflow), nextCursor, timestamp: instant }),
  },
});

export const showWorkflowRoute = defineRoute({
  route: 'GET /api/admin/workflows/{workflowId}',
  summary: 'the current definition; its version is the `ETag`',
  answers: {
    200: v.object({
      id: v.string(),
      version: v.number(),
      updatedAt: instant,
      triggers: v.array(workflowTrigger),
      definition,
    }),
  },
  hasTag: true,
  problems: ['WORKFLOW_NOT_FOUND'],
});

export const listVersionsRoute = defineRoute({
  route: 'GET /api/admin/workflows/{workflowId}/versions',
  summary: 'a page of its versions, newest first; also of a removed workflow',
  query: v.object({
    limit: pageSize,
    cursor,
  }),
  answers: {
    200: v.object({ count: v.number(), versions: v.array(workflowVersion), nextCursor, timestamp: instant }),
  },
  problems: ['WORKFLOW_NOT_FOUND'],
});

export const showVersionRoute = defineRoute({
  route: 'GET /api/admin/workflows/{workflowId}/versions/{version}',
  summary: 'the definition of one version',
  answers: { 200: v.object({ id: v.string(), version: v.number(), updatedAt: instant, definition }) },
  hasTag: true,
  problems: ['QUERY_INVALID', 'WORKFLOW_NOT_FOUND', 'VERSION_NOT_FOUND'],
});

const version = v.pipe(text, v.metadata({ type: 'integer', minimum: 1 }));

const changedParts = { added: v.array(anyObject), removed: v.array(anyObject) };

export const compareVersionsRoute = defineRoute({
  route: 'GET /api/admin/workflows/{workflowId}/diff',
  summary: 'what changed between two versions',
  query: v.object({ from: version, to: version }),
  answers: {
    200: v.object({
      id: v.string(),
      from: v.number(),
      to: v.number(),
      nodes: v.object({
        ...changedParts,
        changed: v.array(v.object({ id: v.string(), changes: v.array(change) })),
      }),
      connections: v.object(changedParts),
      workflow: v.array(change),
    }),
  },
  problems: ['WORKFLOW_NOT_FOUND', 'VERSION_NOT_FOUND'],
});

const MAX_WORKFLOWS = 100;

/**
 * Bytes: below the six megabytes of an event of Lambda, in which quotes of the body are escaped. Depth: nodes may have
 * parameters of any depth; the check of a workflow has its own limit, with a better message. So has it for big numbers.
 */
export const workflowLimits: BodyLimits = { maxBytes: 4_000_000, maxDepth: 200, bigNumbers: 'round' };

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
  body: workflowsBody,
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
