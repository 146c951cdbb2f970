import { type JsonValue, jsonEquals } from '@hookloom/plugin-kit';
import { pointerTo } from '../../parts/schema-form/fields.ts';
import { isSameJson, measureChange } from './definition/compare-json.ts';
import type { Edit, EditedDefinition } from './definition/definition-edits.ts';
import { readDefinition, rewriteDefinition } from './definition/definition-text.ts';

/** A workflow's JSON text with what it says. */
export interface Draft {
  /** After an edit of the graph it is written when it is read first: writing costs as much as the workflow is long. */
  readonly text: string;
  /** The last value that the text had. */
  readonly definition: EditedDefinition;
  /** Why the text has no value now; null if it says `definition`. */
  readonly problem: string | null;
  /** The latest text that is written, with what it says: the own one, or the one that the own is made from. */
  readonly written: Written;
  /** In characters: what it does not share with the state before it, besides the written text. */
  readonly size: number;
}

interface Written {
  readonly text: string;
  readonly definition: EditedDefinition;
}

/** @param definition - what the text says, or said last before it had a problem */
export const createDraft = (
  text: string,
  definition: EditedDefinition,
  problem: string | null = null,
): Draft => ({ text, definition, problem, written: { text, definition }, size: text.length });

const createEdited = (from: Written, definition: EditedDefinition, size: number): Draft => {
  let written = from;
  return {
    get text() {
      if (written === from)
        written = { text: rewriteDefinition(from.text, from.definition, definition), definition };
      return written.text;
    },
    definition,
    problem: null,
    get written() {
      return written;
    },
    size,
  };
};

/** Whether two drafts have the same text. Texts that say different things are not written for it. */
export const isSameDraft = (one: Draft, other: Draft): boolean =>
  one === other ||
  (one.problem === other.problem && isSameJson(one.definition, other.definition) && one.text === other.text);

/** Drafts that can be undone to and redone, as states. */
export interface History {
  readonly past: readonly Draft[];
  readonly present: Draft;
  readonly future: readonly Draft[];
  /** The place of the text that is being typed: its next change replaces the present instead of adding a state; null for none. */
  readonly group: string | null;
}

const MAX_STATES = 200;
/** In characters over all states that can be undone. */
const MAX_CHARACTERS = 20_000_000;

/** @returns null if the text has no definition */
export const openDraft = (text: string): Draft | null => {
  const reading = readDefinition(text);
  return 'problem' in reading ? null : createDraft(text, reading.definition);
};

export const startHistory = (present: Draft): History => ({ past: [], present, future: [], group: null });

/** The latest states that are within the bounds. */
const limitPast = (past: readonly Draft[]): readonly Draft[] => {
  let characters = 0;
  let first = past.length;
  while (first > 0 && past.length - first < MAX_STATES) {
    const state = past[first - 1];
    if (state !== undefined) characters += state.size + writtenLength(state);
    if (characters > MAX_CHARACTERS) break;
    first -= 1;
  }
  return first === 0 ? past : past.slice(first);
};

const writtenLength = ({ written, definition }: Draft): number =>
  written.definition === definition ? written.text.length : 0;

const pushDraft = (history: History, present: Draft, group: string | null): History => {
  const isSame = group !== null && group === history.group;
  return {
    past: isSame ? history.past : limitPast([...history.past, history.present]),
    present,
    future: [],
    group,
  };
};

/**
 * Applies an edit of the graph. While the text has no value, nothing can be edited but the text. What is typed into one
 * field is undone at once.
 */
export const editGraph = (history: History, edit: Edit): History => {
  const { definition, problem, written } = history.present;
  if (problem !== null) return history;
  const next = edit(definition);
  if (next === definition) return history;
  const group = placeOfTyping(definition, next);
  const before = group !== null && group === history.group ? history.past.at(-1) : history.present;
  return pushDraft(history, createEdited(written, next, measureChange(before?.definition, next)), group);
};

/** JSON pointer of the only text or number in which two values differ; null if they differ in more, or otherwise. */
const placeOfTyping = (before: unknown, after: unknown): string | null => {
  if (isTyped(before) && isTyped(after)) return '';
  const [one, other] = [before ?? {}, after ?? {}];
  if (!isParent(one) || !isParent(other)) return null;
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (name) => one[name] !== other[name] && !jsonEquals(one[name] ?? null, other[name] ?? null),
  );
  const [key] = keys;
  if (key === undefined || keys.length > 1 || key === 'position') return null; // each move is undone alone
  const below = placeOfTyping(one[key], other[key]);
  return below === null ? null : `${pointerTo('', key)}${below}`;
};

const isTyped = (value: unknown): boolean =>
  value === undefined || ['string', 'number'].includes(typeof value);

const isParent = (value: unknown): value is Readonly<Record<string, JsonValue>> =>
  typeof value === 'object' && value !== null;

/** Ends what is undone at once. */
export const endGroup = (history: History): History =>
  history.group === null ? history : { ...history, group: null };

export const editText = (history: History, text: string): History => {
  if (text === history.present.text) return history;
  const reading = readDefinition(text);
  const draft =
    'problem' in reading
      ? createDraft(text, history.present.definition, reading.problem)
      : createDraft(text, reading.definition);
  return pushDraft(history, draft, 'text');
};

export const undoStep = (history: History): History => {
  const present = history.past.at(-1);
  if (present === undefined) return history;
  return {
    past: history.past.slice(0, -1),
    present,
    future: [history.present, ...history.future],
    group: null,
  };
};

export const redoStep = (history: History): History => {
  const [present, ...future] = history.future;
  if (present === undefined) return history;
  return { past: [...history.past, history.present], present, future, group: null };
};
