import { branchesOf, isUnknown } from '@hookloom/plugin-kit/host';
import { contextOf, type Type } from '../../../../authoring/validation/types/types.ts';

/** The types of what an expression reads, as far as they are known before any run. */
export interface ExpressionTypes {
  readonly input: Type;
  readonly trigger: Type;
  /** Of `$item`; absent outside of a body. */
  readonly item?: Type | undefined;
  /** What the nodes before deliver, by their ids. */
  readonly nodes: Readonly<Record<string, Type>>;
}

/** Alternatives and choices that are named. */
const MAX_NAMED = 3;

/** A type in a few words; empty if nothing is known. */
export const nameType = (type: Type): string => {
  if (isUnknown(type)) return '';
  const names = [...new Set(branchesOf(type).map(nameBranch))];
  return names.length > MAX_NAMED ? 'one of several types' : names.join(' or ');
};

const nameBranch = ({ type, enum: choices, items }: Type): string => {
  if (Array.isArray(choices) && choices.length <= MAX_NAMED) return choices.map(nameChoice).join(' or ');
  if (type !== 'array') return String(type);
  const each = nameType((items ?? {}) as Type);
  return each === '' ? 'list' : `list of ${each}`;
};

/** Longer choices are cut, in UTF-16 units. */
const nameChoice = (value: unknown): string => JSON.stringify(value).slice(0, 40).toWellFormed();

/** The declared fields of a type, or of its items if it is a list, by name. */
export const fieldsOfType = (type: Type): ReadonlyMap<string, Type> =>
  new Map(
    branchesOf(contextOf(type).each)
      .toReversed()
      .flatMap(({ properties }) => Object.entries((properties ?? {}) as Readonly<Record<string, Type>>)),
  );

/** What is said of a value in words: its description, and an example. */
export const explainType = (type: Type): string => {
  const { description = '', examples } = type;
  const example = Array.isArray(examples) ? `Example: ${JSON.stringify(examples[0])}` : '';
  return [description, example].filter((text) => text !== '').join('\n');
};
