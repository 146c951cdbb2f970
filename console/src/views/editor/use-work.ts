import { createContext, useCallback, useDeferredValue, useEffect, useState } from 'react';
import {
  type Addition,
  type Edit,
  type EditedDefinition,
  removeNodes,
} from './definition/definition-edits.ts';
import { type Draft, editGraph, endGroup, type History, redo, startHistory, undo } from './draft.ts';

/** What is edited. */
export interface Work {
  /** Drafts that can be undone to. What is typed into a field is one state, until one pauses or leaves the field. */
  readonly history: History;
  /** Ids of the selected nodes. */
  readonly selected: ReadonlySet<string>;
}

/** @returns what is new */
export type Step = (work: Work) => Partial<Work>;
export type Change = (step: Step) => void;

/** What the graph shows at once, and the way to change it. */
export interface Drawn {
  readonly work: Work;
  readonly draw: Change;
}

/** A context, since the forms around the graph are rendered later than the graph itself. */
export const DrawnContext = createContext<Drawn>({
  get work(): never {
    throw new Error('a drawing is part of an editor');
  },
  draw: () => {},
});

/** No node is selected. */
export const NOTHING: ReadonlySet<string> = new Set();

/** After a pause of so long, what is typed is a state of its own. In milliseconds. */
const PAUSE_MS = 1_000;

/**
 * @returns `work`, as it is now, and `shown`, which the forms show: the same after a `change`, by which a form gets what
 * is typed into it; after `draw`, they follow once the graph is drawn
 */
export const useWork = (first: () => Draft) => {
  const [{ work, isDrawn }, set] = useState(() => ({
    work: { history: startHistory(first()), selected: NOTHING } as Work,
    isDrawn: false,
  }));
  const later = useDeferredValue(work);
  const change: Change = useCallback(
    (step) => set((before) => ({ work: take(before.work, step), isDrawn: false })),
    [],
  );
  const draw: Change = useCallback(
    (step) => set((before) => ({ work: take(before.work, step), isDrawn: true })),
    [],
  );
  const { present } = work.history;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change begins the pause again
  useEffect(() => {
    const end = () =>
      set((before) => {
        const ended = take(before.work, ({ history }) => ({ history: endGroup(history) }));
        return ended === before.work ? before : { ...before, work: ended };
      });
    const timer = setTimeout(end, PAUSE_MS);
    addEventListener('focusout', end);
    return () => {
      clearTimeout(timer);
      removeEventListener('focusout', end);
    };
  }, [present]);
  return { work, shown: isDrawn ? later : work, change, draw };
};

/** The same object if nothing changes. */
const take = (work: Work, step: Step): Work => {
  const next = { ...work, ...step(work) };
  return next.history === work.history && next.selected === work.selected ? work : next;
};

export const edited =
  (edit: Edit): Step =>
  ({ history }) => ({ history: editGraph(history, edit) });

export const selecting =
  (selected: ReadonlySet<string>): Step =>
  () => ({ selected });

/** Adds nodes, and selects them. */
export const added =
  (add: (definition: EditedDefinition) => Addition): Step =>
  ({ history }) => {
    const { edit, ids } = add(history.present.definition);
    return { history: editGraph(history, edit), selected: ids };
  };

export const removeSelected: Step = (work) => ({
  ...edited(removeNodes(work.selected))(work),
  selected: NOTHING,
});

export const undone: Step = ({ history }) => ({ history: undo(history) });

export const redone: Step = ({ history }) => ({ history: redo(history) });

export const selectAll: Step = ({ history }) => ({
  selected: new Set(history.present.definition.nodes.map(({ id }) => id)),
});
