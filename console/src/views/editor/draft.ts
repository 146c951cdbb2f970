import type { Edit, EditedDefinition } from './definition/definition-edits.ts';
import { readDefinition, rewriteDefinition } from './definition/definition-text.ts';

/** A workflow's JSON text with what it says. */
export interface Draft {
  readonly text: string;
  /** The last value that the text had. */
  readonly definition: EditedDefinition;
  /** Why the text has no value now; null if it says `definition`. */
  readonly problem: string | null;
}

/** Drafts that can be undone to and redone, as states. */
export interface History {
  readonly past: readonly Draft[];
  readonly present: Draft;
  readonly future: readonly Draft[];
  /** What made the present: the next change of the same name replaces it instead of adding a state; null for none. */
  readonly group: string | null;
}

const MAX_STATES = 200;
/** In characters over all states that can be undone. */
const MAX_CHARACTERS = 20_000_000;

/** @returns null if the text has no definition */
export const openDraft = (text: string): Draft | null => {
  const reading = readDefinition(text);
  return 'problem' in reading ? null : { text, definition: reading.definition, problem: null };
};

export const startHistory = (present: Draft): History => ({ past: [], present, future: [], group: null });

/** The latest states that are within the bounds. */
const limit = (past: readonly Draft[]): readonly Draft[] => {
  let characters = 0;
  let first = past.length;
  while (first > 0 && past.length - first < MAX_STATES) {
    characters += past[first - 1]?.text.length ?? 0;
    if (characters > MAX_CHARACTERS) break;
    first -= 1;
  }
  return first === 0 ? past : past.slice(first);
};

const push = (history: History, present: Draft, group: string | null): History => {
  const isSame = group !== null && group === history.group;
  return {
    past: isSame ? history.past : limit([...history.past, history.present]),
    present,
    future: [],
    group,
  };
};

/**
 * Applies an edit of the graph. While the text has no value, nothing can be edited but the text.
 *
 * @param group - a name that consecutive changes share which are undone at once, such as those of a field
 */
export const editGraph = (history: History, edit: Edit, group: string | null = null): History => {
  const { text, definition, problem } = history.present;
  if (problem !== null) return history;
  const next = edit(definition);
  if (next === definition) return history;
  return push(
    history,
    { text: rewriteDefinition(text, definition, next), definition: next, problem: null },
    group,
  );
};

/** Takes over what was typed as JSON. */
export const editText = (history: History, text: string): History => {
  if (text === history.present.text) return history;
  const reading = readDefinition(text);
  const draft =
    'problem' in reading
      ? { text, definition: history.present.definition, problem: reading.problem }
      : { text, definition: reading.definition, problem: null };
  return push(history, draft, 'text');
};

export const undo = (history: History): History => {
  const present = history.past.at(-1);
  if (present === undefined) return history;
  return {
    past: history.past.slice(0, -1),
    present,
    future: [history.present, ...history.future],
    group: null,
  };
};

export const redo = (history: History): History => {
  const [present, ...future] = history.future;
  if (present === undefined) return history;
  return { past: [...history.past, history.present], present, future, group: null };
};
