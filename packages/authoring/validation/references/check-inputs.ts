import type { Natives } from '@hookloom/counted-jsonata';
import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { branchesOf, fieldSchema, isUnknown, itemSchema } from '@hookloom/plugin-kit/host';
import { quote, toPointerKey } from '../../../../lib/shared/describe.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import type { DraftGraph } from '../graph/draft-graph.ts';
import { readSubworkflow } from '../graph/subworkflows.ts';
import { checkSchema, isOnlyKnownInRun } from '../schema/check-schema.ts';
import type { TypeScope } from '../types/infer-expression.ts';
import {
  type CalledWorkflows,
  isExpression,
  typeOfText,
  type WorkflowTypes,
} from '../types/infer-workflow.ts';
import { limitSize, type Type, toType } from '../types/types.ts';
import { describeType } from './check-types.ts';
import { toPath } from './names.ts';

/** Comparisons of types in a workflow, beyond which nothing is claimed. */
const MAX_COMPARISONS = 100_000;

/** Warns about inputs of `subworkflow` nodes that the called workflow refuses, whose schema may change later. */
export const checkInputs = (
  graph: DraftGraph,
  types: WorkflowTypes,
  called: CalledWorkflows,
  natives: Natives,
): Problem[] => {
  let left = MAX_COMPARISONS;
  const findMisfit = (type: Type, wanted: Type, keys: readonly string[] = []): string | null => {
    left -= 1;
    if (left < 0 || isUnknown(type) || isUnknown(wanted)) return null;
    const misfits = branchesOf(type).flatMap((one) =>
      branchesOf(wanted).map((other) =>
        one.type === other.type ? findInside(one, other, keys) : OTHER_TYPE,
      ),
    );
    if (misfits.includes(null)) return null;
    const inside = misfits.find((text) => text !== OTHER_TYPE);
    return (
      inside ?? `${nameOf(keys)} is ${describeType(type)}, where the workflow takes ${describeType(wanted)}`
    );
  };
  const findInside = (type: Type, wanted: Type, keys: readonly string[]): string | null => {
    if (type.type === 'array') return findMisfit(itemSchema(type), itemSchema(wanted), [...keys, '[]']);
    if (type.type !== 'object') return findOther(type, wanted, keys);
    const [given, needed] = [requiredOf(type), requiredOf(wanted)];
    const lacking = needed.find((key) => fieldSchema(type, key) === null);
    if (lacking !== undefined) return `${nameOf(keys)} lacks the key ${quote(lacking)}`;
    const unknown = given.find((key) => fieldSchema(wanted, key) === null);
    if (unknown !== undefined) return `${nameOf(keys)} has the unknown key ${quote(unknown)}`;
    for (const key of new Set([...given, ...needed])) {
      const misfit = findMisfit(fieldSchema(type, key) ?? {}, fieldSchema(wanted, key) ?? {}, [...keys, key]);
      if (misfit !== null) return misfit;
    }
    return null;
  };
  /** Visits the expressions of an input; the rest is checked with the schema. */
  function* checkValue(value: JsonValue, wanted: Type, path: string, scope: TypeScope): Generator<Problem> {
    if (typeof value === 'string') {
      const misfit = isExpression(value) ? findMisfit(typeOfText(value, scope, natives), wanted) : null;
      if (misfit !== null) yield { path, message: misfit };
    } else if (Array.isArray(value))
      for (const [at, item] of value.entries())
        yield* checkValue(item, itemSchema(wanted), `${path}/${at}`, scope);
    else if (isPlainObject(value))
      for (const [key, item] of Object.entries(value as JsonObject))
        yield* checkValue(item, fieldSchema(wanted, key) ?? {}, `${path}/${toPointerKey(key)}`, scope);
  }
  return graph.nodes.flatMap(({ index, node, isDisabled }) => {
    const workflowId = isDisabled ? null : readSubworkflow(node);
    const { input: schema } = called.get(workflowId ?? '') ?? {};
    if (schema === undefined) return [];
    const place = `/nodes/${index}/parameters`;
    const { input } = node.parameters;
    const scope = types.scopeOf(index);
    const wanted = limitSize(toType(schema));
    const found =
      input === undefined
        ? [{ path: place, message: findMisfit(scope.input, wanted) }]
        : [
            ...(isPlainObject(input) ? checkSchema(schema, input, `${place}/input`, isOnlyKnownInRun) : []),
            ...checkValue(input, wanted, `${place}/input`, scope),
          ];
    return found.flatMap(({ message, ...problem }) =>
      message === null
        ? []
        : [
            {
              ...problem,
              message: `does not fit the schema of the workflow ${quote(String(workflowId))}: ${message}`,
              severity: 'warning' as const,
            },
          ],
    );
  });
};

const OTHER_TYPE = '';

/** What is said of a value, by the keys that lead to it. */
const nameOf = (keys: readonly string[]): string =>
  keys.length === 0 ? 'it' : quote(toPath(keys).replaceAll(/\.?`\[\]`/g, '[]'));

const findOther = (type: Type, wanted: Type, keys: readonly string[]): string | null => {
  const [given, allowed] = [type.enum, wanted.enum];
  if (!Array.isArray(given) || !Array.isArray(allowed) || given.some((one) => allowed.includes(one)))
    return null;
  return `${nameOf(keys)} is none of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`;
};

const requiredOf = ({ required }: Type): readonly string[] =>
  Array.isArray(required) ? (required as readonly string[]) : [];
