import type { FindNodeType } from '../contract/node-type.ts';
import { findBodyProblems } from './check-bodies.ts';
import type { WorkflowDefinition } from './definition.ts';
import type { Problem } from './problem.ts';

/** How the workflow is run, and what that means for its nodes. */
export const checkExecution = (definition: WorkflowDefinition, findNodeType: FindNodeType): Problem[] => [
  ...definition.nodes.flatMap((node, index) => {
    const problems: Problem[] = [];
    const nodeType = findNodeType(node.type);
    if (nodeType === null) return problems;
    const isWaiting = nodeType.control?.suspends === true && node.disabled !== true;
    if (isWaiting && definition.settings?.execution === 'express') {
      problems.push({
        path: '/settings/execution',
        message: `express runs can't wait, and "${node.id}" does: use durable, or leave it out`,
      });
    }
    const { atMostOnce, retry } = node.settings ?? {};
    if (atMostOnce === true && (retry?.maxAttempts ?? 1) > 1) {
      problems.push({
        path: `/nodes/${index}/settings/atMostOnce`,
        message: `contradicts retry.maxAttempts ${retry?.maxAttempts}`,
      });
    }
    return problems;
  }),
  ...findBodyProblems(definition, findNodeType),
];
