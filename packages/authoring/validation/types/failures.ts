import { ERROR_OUTPUT, isPlainObject } from '@hookloom/plugin-kit';
import { branchesOf, eitherOf, mergeSchemas } from '@hookloom/plugin-kit/host';
import {
  type DraftEdge,
  type DraftGraph,
  type DraftNode,
  edgesFrom,
  reachFrom,
  sourcesIn,
  targetsIn,
} from '../graph/draft-graph.ts';
import type { Failable, Inference } from './infer-expression.ts';
import { ANYTHING, keepType, limitSize, objectOf, TEXT, type Type } from './types.ts';

const ERROR = objectOf({ nodeId: TEXT, name: TEXT, message: TEXT, details: ANYTHING }, [
  'nodeId',
  'name',
  'message',
]);

/** What a node delivers if it fails and its `onError` passes that on: see `toFailedData` of the engine. */
export const failureOf = (input: Type, format: number): Type =>
  format > 1
    ? objectOf({ error: ERROR, input }, ['error', 'input'])
    : mergeSchemas(input, objectOf({ error: ERROR }, ['error']));

/** Whether a node passes its failures on as its output. */
export const continues = ({ node, nodeType, isDisabled }: DraftNode): boolean =>
  nodeType !== null && !isDisabled && isPlainObject(node.settings) && node.settings.onError === 'continue';

/** With more nodes that may have failed, or alternatives of what is merged, nothing is known of them. */
const MAX_FAILABLE = 10;
const MAX_ALTERNATIVES = 8;

/** A type of what may have none of its fields. */
export const withoutRequired = ({ required: _, ...type }: Type): Type => type;

const mergeAll = (parts: readonly Type[]): Type =>
  eitherOf(
    parts
      .map((part) => branchesOf(part).map(withoutRequired))
      .reduce((before, next) =>
        before.length * next.length > MAX_ALTERNATIVES
          ? [{ type: 'object' }]
          : before.flatMap((first) => next.map((second) => mergeSchemas(first, second))),
      ),
  );

/** What is known of the types that a failure is a part of. */
export interface Failures {
  /** The type of what a node gives or, if it fails, passes on; it is remembered as such. */
  join(failable: Omit<Failable, 'besides'>): Type;
  /** The type of what several nodes deliver to one, each of which may deliver nothing; later ones win. */
  merge(parts: readonly Type[]): Type;
  failablesOf(type: Type): readonly Failable[];
  /** The same type, of which it is no longer asked whether the node has failed. */
  settle(type: Type): Type;
  /** Whether a condition by which nodes behind it run or not reads what a node gives that may have failed. */
  decides(index: number): boolean;
  /** Whether such a condition is on each way, or on any, from a node to another one. */
  isDecidedBetween(source: number, target: number): boolean;
  /** Whether a node is in a loop. */
  isRepeated(index: number): boolean;
  /** On which outputs a node that routes its failures leads to another one: its own, `error`, or either. */
  sidesOf(source: number, target: number): { readonly own: boolean; readonly error: boolean };
}

/** @param inferencesOf - the inferences of all expressions of a node */
export const createFailures = (
  graph: DraftGraph,
  inferencesOf: (index: number) => readonly Inference[],
): Failures => {
  const known = new WeakMap<Type, readonly Failable[]>();
  const decisions = new Map<number, boolean>();
  const reached = new Map<string, ReadonlySet<number>>();

  const conditions = new Set(
    graph.nodes
      .filter(({ nodeType, outputs }) => nodeType?.endsBranch === true || (outputs?.size ?? 0) > 1)
      .map(({ index }) => index),
  );

  const reachOf = (key: string, source: number, follows: (edge: DraftEdge) => boolean) => {
    const found =
      reached.get(key) ??
      reachFrom(
        edgesFrom(graph, source)
          .filter(follows)
          .map(({ target }) => target),
        (node) => (node === source ? [] : targetsIn(graph)(node)), // what it gives then is newer
      );
    reached.set(key, found);
    return found;
  };

  const decides = (index: number): boolean => {
    const found = decisions.get(index);
    if (found !== undefined) return found;
    decisions.set(index, false); // in a loop
    const result = conditions.has(index) && inferencesOf(index).some(({ doubtful }) => doubtful.length > 0);
    decisions.set(index, result);
    return result;
  };

  const isRepeated = (index: number): boolean => reachOf(`${index}`, index, () => true).has(index);

  return {
    isRepeated,
    join: (failable) => {
      const type = keepType({ ...limitSize(eitherOf([failable.success, failable.failure])) });
      known.set(type, [{ ...failable, besides: [] }]);
      return type;
    },
    merge: (parts) => {
      const type = keepType({ ...limitSize(mergeAll(parts)) });
      const failables = parts.flatMap((part) => {
        const besides = parts.filter((other) => other !== part);
        return (known.get(part) ?? []).map((one) => ({ ...one, besides: [...one.besides, ...besides] }));
      });
      if (failables.length > 0 && failables.length <= MAX_FAILABLE) known.set(type, failables);
      return type;
    },
    failablesOf: (type) => known.get(type) ?? [],
    settle: (type) => (known.has(type) ? { ...type } : type),
    decides,
    isDecidedBetween: (source, target) => {
      if (conditions.size === 0) return false;
      const behind = reachOf(`${source}`, source, () => true);
      const before = reachFrom([target], (at) => sourcesIn(graph)(at).filter((next) => behind.has(next)));
      return [...before].some((at) => at !== target && at !== source && decides(at));
    },
    sidesOf: (source, target) => {
      const own = reachOf(`${source}/own`, source, ({ output }) => output !== ERROR_OUTPUT).has(target);
      const error = reachOf(`${source}/error`, source, ({ output }) => output === ERROR_OUTPUT).has(target);
      return own === error ? { own: true, error: true } : { own, error };
    },
  };
};
