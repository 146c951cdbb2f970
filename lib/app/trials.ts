import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { findInputProblem } from '../executions/deliveries/find-input-problem.ts';
import { type FoundOptions, findOptions } from '../executions/lifecycle/find-options.ts';
import type { TriedNode } from '../executions/lifecycle/prepare-trial.ts';
import { evaluateNode, type TrialPorts, tryNode } from '../executions/lifecycle/try-node.ts';
import { answerRoute, defineRoute, type RouteCall } from '../http/api-route.ts';
import { readCaller, serveRoutes } from '../http/create-handler.ts';
import { answerJson } from '../shared/answer.ts';
import { createCache } from '../shared/cache.ts';
import { BODY_INVALID, NODE_NOT_TRIABLE, OPTIONS_NOT_FOUND } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { jsonObject, text } from '../shared/query-fields.ts';
import { readTraceparent } from '../shared/traceparent.ts';
import type { Problem } from '../workflows/definition/problem.ts';
import { definition, described, json } from './answers.ts';
import { remainingMs } from './calls.ts';
import { failure, nodeRun } from './executions.ts';
import { pointedText, toPointed, workflowLimits } from './workflows.ts';

const outputsByName = v.record(v.string(), jsonObject);

const logEntry = v.object({
  level: v.picklist(['debug', 'info', 'warn', 'error']),
  message: v.string(),
  fields: v.optional(json),
});

const { nodeId, status, attempts, durationMs, failure: ownFailure, input, outputs } = nodeRun.entries;
const bodyRun = v.object({
  ...{ nodeId, within: v.string(), status, attempts, durationMs, failure: ownFailure, input, outputs },
});

const triedNode = {
  body: v.strictObject({
    definition,
    nodeId: text,
    /** What the node receives; absent for what the outputs of the nodes before it deliver. */
    input: v.optional(jsonObject),
    /** The outputs of the nodes before it: by node id, then by the name of the output. */
    outputs: v.optional(v.record(v.string(), outputsByName), {}),
  }),
  // Of a definition, as its check has it. What the node receives must not be rounded.
  bodyLimits: { ...workflowLimits, maxDepth: 100, bigNumbers: 'refuse' },
} as const;

const run = v.object({
  status: v.picklist(['succeeded', 'failed', 'timedOut']),
  outputs: v.pipe(
    json,
    v.metadata({ type: 'object', additionalProperties: true }),
    v.description('By name; of a failed node, what its `onError` passes on'),
  ),
  isCut: v.optional(described(v.literal(true), 'The outputs are too large: shortened, as in a record')),
  failure: v.nullable(failure),
  attempts: v.number(),
  durationMs: v.number(),
  usage: v.optional(v.record(v.string(), v.number())),
  body: v.optional(
    described(
      v.array(bodyRun),
      'What the nodes of its body did in one pass: in the one that failed, or else in the last; absent if it is too large',
    ),
  ),
  log: v.array(logEntry),
  logOmitted: v.number(),
});

export const tryNodeRoute = defineRoute({
  ...triedNode,
  route: 'POST /api/admin/workflows/try',
  summary:
    'runs one node of a definition as drawn, for real; stores nothing but an execution marked as a trial',
  headers: ['traceparent'],
  answers: { 200: v.object({ executionId: v.string(), ...run.entries, warnings: v.array(pointedText) }) },
  problems: ['NODE_NOT_TRIABLE', 'WORKFLOW_INVALID', 'SECRETS_UNAVAILABLE'],
});

export const evaluateNodeRoute = defineRoute({
  ...triedNode,
  route: 'POST /api/admin/workflows/evaluate',
  summary: 'runs one node of a definition as drawn that touches nothing outside; stores nothing',
  answers: {
    200: v.object({
      run: described(v.nullable(run), 'Null for a node that was not run: `errors` says why'),
      errors: v.array(pointedText),
    }),
  },
});

export const findOptionsRoute = defineRoute({
  route: 'POST /api/admin/workflows/options',
  summary:
    'what a parameter of a node type can be, as its plugin finds it with a credential; changes nothing',
  body: v.strictObject({
    nodeType: text,
    parameter: text,
    credentialId: v.optional(text),
    /** What is given of the other parameters. */
    parameters: v.optional(jsonObject, {}),
    /** Part of the value or label, in any case. */
    search: v.optional(v.pipe(v.string(), v.maxLength(200)), ''),
    /** The `nextPage` of an answer. */
    page: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(1_000))), null),
  }),
  answers: {
    200: v.object({
      options: v.array(v.object({ value: v.union([v.string(), v.number()]), label: v.string() })),
      nextPage: described(v.nullable(v.string()), 'Null after the last page'),
      failure: described(
        v.nullable(v.object({ name: v.string(), message: v.string() })),
        'Why there are none, such as what the API said',
      ),
    }),
  },
  problems: ['OPTIONS_NOT_FOUND', 'SECRETS_UNAVAILABLE'],
});

type TryNodeParts = TrialPorts & {
  /** Checks whether a node of a definition, as drawn, can be tried. @throws AppError `STORE_UNAVAILABLE` */
  readonly check: (
    definition: unknown,
    nodeId: string,
  ) => Promise<
    | { readonly problems: readonly (Problem & { readonly of: 'definition' | 'nodeId' })[] }
    | (TriedNode & { readonly problems: null; readonly warnings: readonly Problem[] })
  >;
  readonly maxInputDepth: number;
};

/** Time reserved for the record's end and the answer, in milliseconds. */
const MARGIN_MS = 2_000;

/** How long options are remembered, in milliseconds. */
const OPTIONS_MS = 60_000;

/** How many problems, and how many warnings, an answer lists. */
const MAX_ERRORS = 100;

/** How long a node may take that is evaluated while someone types, in milliseconds. */
const MAX_EVALUATION_MS = 5_000;

/**
 * `POST /api/admin/workflows/try` runs one node of a definition as drawn, for real. `POST /api/admin/workflows/evaluate`
 * runs one that touches nothing outside, so that a caller of this route alone can cause no effect.
 */
export const createTryNode = (parts: TryNodeParts) => {
  const check = async ({ definition, nodeId, input, outputs }: RouteCall<typeof tryNodeRoute>['body']) => {
    for (const data of [input ?? {}, ...Object.values(outputs).flatMap((own) => Object.values(own))]) {
      const problem = findInputProblem(data, parts.maxInputDepth);
      if (problem !== null) throw new AppError(BODY_INVALID, { reason: problem });
    }
    const checked = await parts.check(definition, nodeId);
    if (checked.problems === null) return { ...checked, errors: null };
    return { errors: checked.problems.map(({ of, ...problem }) => toPointed(problem, `#/${of}`)) };
  };
  const options = createCache<FoundOptions | null>({
    ...{ ttlMs: OPTIONS_MS, maxEntries: 100, clock: parts.clock },
    keep: (found) => found?.failure === null,
  });
  return serveRoutes(parts, [
    answerRoute(findOptionsRoute, async ({ body, addLogFields }) => {
      const { nodeType, parameter, credentialId } = body;
      addLogFields({ nodeType, parameter, ...(credentialId !== undefined && { credentialId }) });
      const asked = { ...body, credentialId };
      const found = await options(JSON.stringify(asked), () => findOptions(asked, parts));
      if (found === null) throw new AppError(OPTIONS_NOT_FOUND, { nodeType, parameter });
      return answerJson(200, found);
    }),
    answerRoute(tryNodeRoute, async ({ event, context, body, headers, addLogFields }) => {
      const { nodeId, input, outputs } = body;
      const checked = await check(body);
      if (checked.errors !== null) {
        const { errors } = checked;
        throw new AppError(NODE_NOT_TRIABLE, { count: errors.length, errors: errors.slice(0, MAX_ERRORS) });
      }
      addLogFields({ workflowId: checked.definition.id, nodeId });
      const trialSuffix = toTrialSuffix(readCaller(event), checked.definition.id);
      const data = { trialSuffix, input, outputs, traceparent: readTraceparent(headers.traceparent) };
      const trial = await tryNode(checked, data, Math.max(0, remainingMs(context) - MARGIN_MS), parts);
      const warnings = checked.warnings.slice(0, MAX_ERRORS).map((one) => toPointed(one, '#/definition'));
      return { ...answerJson(200, { ...trial, warnings }), executionId: trial.executionId };
    }),
    answerRoute(evaluateNodeRoute, async ({ body, addLogFields }) => {
      const { nodeId, input, outputs } = body;
      const checked = await check(body);
      if (checked.errors !== null)
        return answerJson(200, { run: null, errors: checked.errors.slice(0, MAX_ERRORS) });
      addLogFields({ workflowId: checked.definition.id, nodeId });
      const run = await evaluateNode(checked, { input, outputs }, MAX_EVALUATION_MS, parts);
      return answerJson(200, { run, errors: run === null ? [ACTS_OUTSIDE] : [] });
    }),
  ]);
};

const ACTS_OUTSIDE = {
  pointer: '#/nodeId',
  detail: 'the node, or one of its body, acts on the outside, or may do so: only a trial runs it',
};

/**
 * The end of the ids of one caller's trials of one workflow. The definition of a trial may have the id of any workflow, so
 * that id alone must open no files. A place of a file has the whole id of its execution, so no other caller can save one there.
 */
const toTrialSuffix = (caller: string | null, workflowId: string): string =>
  `-${createHash('sha256')
    .update(JSON.stringify([caller, workflowId]))
    .digest('hex')
    .slice(0, 24)}`;
