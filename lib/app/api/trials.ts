import * as v from 'valibot';
import { defineRoute } from '../../http/api-route.ts';
import { jsonObject, text } from '../../shared/query-fields.ts';
import { definition, json } from './answers.ts';
import { failure } from './executions.ts';
import { pointedText, workflowLimits } from './workflows.ts';

const outputsByName = v.record(v.string(), jsonObject);

const logEntry = v.object({
  level: v.picklist(['debug', 'info', 'warn', 'error']),
  message: v.string(),
  fields: v.optional(json),
});

export const tryNodeRoute = defineRoute({
  route: 'POST /api/admin/workflows/try',
  summary:
    'runs one node of a definition as drawn, for real; stores nothing but an execution marked as a trial',
  body: v.strictObject({
    definition,
    nodeId: text,
    /** What the node receives; absent for what the outputs of the nodes before it deliver. */
    input: v.optional(jsonObject),
    /** The outputs of the nodes before it: by node id, then by the name of the output. */
    outputs: v.optional(v.record(v.string(), outputsByName), {}),
  }),
  headers: ['traceparent'],
  bodyLimits: { ...workflowLimits, maxDepth: 100 }, // of a definition, as its check has it
  answers: {
    200: v.object({
      executionId: v.string(),
      status: v.picklist(['succeeded', 'failed', 'timedOut']),
      outputs: v.pipe(
        json,
        v.metadata({ type: 'object', additionalProperties: true }),
        v.description('By name; of a failed node, what its `onError` passes on'),
      ),
      isCut: v.optional(
        v.pipe(v.literal(true), v.description('The outputs are too large: shortened, as in a record')),
      ),
      failure: v.nullable(failure),
      attempts: v.number(),
      durationMs: v.number(),
      usage: v.optional(v.record(v.string(), v.number())),
      log: v.array(logEntry),
      logOmitted: v.number(),
      warnings: v.array(pointedText),
    }),
  },
  problems: ['NODE_NOT_TRIABLE', 'WORKFLOW_INVALID', 'SECRETS_UNAVAILABLE'],
});
