import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { isSecretName, placeIn } from '../../shared/secrets/secret-names.ts';
import { findReads, type Read } from '../../workflows/expressions/find-reads.ts';
import { splitTemplate } from '../../workflows/expressions/template.ts';

/** The parameter by which a node decides what happens next. */
export interface Decision {
  readonly parameter: JsonValue;
  /** Name of the parameter. */
  readonly place: string;
  /** Whether it is an expression without braces. */
  readonly isBare: boolean;
}

/** The deciding parameters by node type: the first one that is set counts. */
const DECIDING: Readonly<Record<string, readonly string[]>> = {
  if: ['condition'],
  filter: ['condition'],
  switch: ['value'],
  wait: ['until', 'seconds'],
};

/** @returns null for a node that decides nothing */
export const findDecision = (
  { type, parameters }: { readonly type: string; readonly parameters: JsonObject },
  isTrigger: boolean,
): Decision | null => {
  const { onlyIf } = parameters;
  if (isTrigger)
    return typeof onlyIf === 'string' ? { parameter: onlyIf, place: 'onlyIf', isBare: true } : null;
  const names = Object.hasOwn(DECIDING, type) ? (DECIDING[type] ?? []) : [];
  const place = names.find((name) => parameters[name] !== undefined);
  return place === undefined ? null : { parameter: parameters[place] ?? null, place, isBare: false };
};

/** The expressions in a decision, without braces. */
export const expressionsOf = ({ parameter, isBare }: Decision): readonly string[] =>
  isBare ? [String(parameter).trim()] : findExpressions(parameter);

const findExpressions = (parameter: JsonValue): string[] => {
  if (typeof parameter === 'string')
    return splitTemplate(parameter).flatMap((part) => ('expression' in part ? [part.expression.trim()] : []));
  if (typeof parameter !== 'object' || parameter === null) return [];
  return Object.values(parameter).flatMap((item: JsonValue) => findExpressions(item));
};

/** How many paths of a decision are shown with their values. */
export const MAX_READS = 10;

type Reads = Awaited<ReturnType<typeof findReads>>;

/** The paths that a decision reads, each once; and the first of its expressions in parts, if it is a simple one. */
export const readsOf = async (decision: Decision): Promise<Reads> => {
  const found = await Promise.all(
    expressionsOf(decision).map((text) => findReads(text).catch((): Reads => ({ reads: [], parts: null }))),
  );
  const reads = new Map(found.flatMap((one) => one.reads).map((read) => [read.path, read]));
  return { reads: [...reads.values()], parts: found[0]?.parts ?? null };
};

/** Whether a name on a path is the name of a secret. */
export const isSecretRead = ({ names }: Read): boolean =>
  names.some((name, at) => isSecretName(name, placeIn(names[at - 1] ?? '')));
