import type { Natives } from '@hookloom/counted-jsonata';
import { ERROR_OUTPUT, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { branchesOf, isUnknown } from '@hookloom/plugin-kit/host';
import { quote } from '../../../../lib/shared/describe.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';
import { type DraftGraph, type DraftNode, edgesFrom } from '../graph/draft-graph.ts';
import { inferExpression } from '../types/infer-expression.ts';
import type { WorkflowTypes } from '../types/infer-workflow.ts';
import { parse } from '../types/parse.ts';
import { ANYTHING, mayBe, type Type, typeNameOf } from '../types/types.ts';

/** Finds cases of a `switch` that lead nowhere, and those that the value can't equal. */
export const checkSwitches = (graph: DraftGraph, types: WorkflowTypes, natives: Natives): Problem[] =>
  graph.nodes.flatMap((draft) => {
    const { cases } = draft.node.parameters;
    if (draft.node.type !== 'switch' || draft.isDisabled || !Array.isArray(cases)) return [];
    const type = typeOfValue(draft, types, natives);
    const connected = edgesFrom(graph, draft.index).map(({ output }) => output);
    // A misspelt output is reported by itself, and is that of a case.
    const isKnown = connected.every((output) => output === ERROR_OUTPUT || draft.outputs?.has(output));
    return cases.flatMap((one, at) => {
      const { equals, output } = one as JsonObject;
      const path = `/nodes/${draft.index}/parameters/cases/${at}`;
      const never = equals === undefined ? null : findMismatch(equals, type);
      if (never !== null) return [{ path: `${path}/equals`, message: never, severity: 'warning' as const }];
      if (typeof output !== 'string' || connected.length === 0 || !isKnown || connected.includes(output))
        return [];
      const message = `nothing is connected to the output ${quote(output)}, so this case ends the branch: connect it, or remove the case`;
      return [{ path: `${path}/output`, message, severity: 'warning' as const }];
    });
  });

const typeOfValue = ({ index, node }: DraftNode, types: WorkflowTypes, natives: Natives): Type => {
  const { value } = node.parameters;
  const [part, ...others] = typeof value === 'string' ? splitTemplate(value) : [];
  if (part === undefined || !('expression' in part)) return ANYTHING;
  if (others.length > 0) return { type: 'string' };
  try {
    return inferExpression(parse(part.expression.trim()).tree, types.scopeOf(index), natives).type;
  } catch {
    return ANYTHING; // reported as a syntax error
  }
};

/** Why a value never equals another one; null if it may. */
const findMismatch = (equals: JsonValue, type: Type): string | null => {
  const name = typeNameOf(equals);
  if (isUnknown(type) || (typeof equals === 'string' && equals.includes('{{'))) return null;
  if (!mayBe(type, name)) {
    const is = branchesOf(type)
      .map((branch) => String(branch.type))
      .join(' or ');
    return `is a ${name}, but the value is a ${is}: they are never equal`;
  }
  const allowed = branchesOf(type).flatMap((branch) =>
    branch.type === name ? (Array.isArray(branch.enum) ? (branch.enum as JsonValue[]) : [null]) : [],
  );
  return allowed.includes(null) || allowed.includes(equals)
    ? null
    : `is never the value, which is one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`;
};
