import { createHash } from 'node:crypto';
import { findInputProblem } from '../deliveries/find-input-problem.ts';
import type { TriedNode } from '../executions/lifecycle/prepare-trial.ts';
import { type TrialParts, tryNode } from '../executions/lifecycle/try-node.ts';
import { answerRoute } from '../http/api-route.ts';
import { readCaller, serveRoutes } from '../http/create-handler.ts';
import { answerJson } from '../shared/answer.ts';
import { BODY_INVALID, NODE_NOT_TRIABLE } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { readTraceparent } from '../shared/traceparent.ts';
import type { Problem } from '../workflows/definition/problem.ts';
import { tryNodeRoute } from './api/trials.ts';
import { toPointed } from './edit-workflows-handlers.ts';

type TryNodeParts = TrialParts & {
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

/** How many problems, and how many warnings, an answer lists. */
const MAX_ERRORS = 100;

/** `POST /api/admin/workflows/try`: runs one node of a definition as drawn. */
export const createTryNode = (parts: TryNodeParts) =>
  serveRoutes(parts, [
    answerRoute(tryNodeRoute, async ({ event, context, body, headers, addLogFields }) => {
      const { definition, nodeId, input, outputs } = body;
      for (const data of [input ?? {}, ...Object.values(outputs).flatMap((own) => Object.values(own))]) {
        const problem = findInputProblem(data, parts.maxInputDepth);
        if (problem !== null) throw new AppError(BODY_INVALID, { reason: problem });
      }
      const checked = await parts.check(definition, nodeId);
      if (checked.problems !== null) {
        const errors = checked.problems.map(({ of, ...problem }) => toPointed(problem, `#/${of}`));
        throw new AppError(NODE_NOT_TRIABLE, { count: errors.length, errors: errors.slice(0, MAX_ERRORS) });
      }
      addLogFields({ workflowId: checked.definition.id, nodeId });
      const remainingMs = context.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY;
      const trialSuffix = toTrialSuffix(readCaller(event), checked.definition.id);
      const data = { trialSuffix, input, outputs, traceparent: readTraceparent(headers.traceparent) };
      const trial = await tryNode(checked, data, Math.max(0, remainingMs - MARGIN_MS), parts);
      const warnings = checked.warnings.slice(0, MAX_ERRORS).map((one) => toPointed(one, '#/definition'));
      return { ...answerJson(200, { ...trial, warnings }), executionId: trial.executionId };
    }),
  ]);

/**
 * The end of the ids of one caller's trials of one workflow. The definition of a trial may have the id of any workflow, so
 * that id alone must open no files. A place of a file has the whole id of its execution, so no other caller can save one there.
 */
const toTrialSuffix = (caller: string | null, workflowId: string): string =>
  `-${createHash('sha256')
    .update(JSON.stringify([caller, workflowId]))
    .digest('hex')
    .slice(0, 24)}`;
