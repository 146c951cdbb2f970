import { useDeferredValue, useEffect, useState, useSyncExternalStore } from 'react';
import {
  type Addition,
  type Edit,
  type EditedDefinition,
  removeNodes,
} from './definition/definition-edits.ts';
import { type Draft, editGraph, endGroup, type History, redoStep, startHistory, undoStep } from './draft.ts';

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

/** No node is selected. */
const NOTHING: ReadonlySet<string> = new Set();

/** After a pause of so long, what is typed is a state of its own. In milliseconds. */
const PAUSE_MS = 1_000;

/** Keeps what is edited. The graph has it at once, the forms as `useWork` says. */
export type WorkStore = ReturnType<typeof createWorkStore>;

/** A store, not a context: for that, React would look through all that the page shows, at each change. */
const createWorkStore = (first: Draft) => {
  let work: Work = { history: startHistory(first), selected: NOTHING };
  let isDrawn = false;
  const listeners = new Set<() => void>();
  const set = (step: Step, isOfGraph = isDrawn) => {
    const next = takeStep(work, step);
    if (next === work) return;
    work = next;
    isDrawn = isOfGraph;
    for (const each of listeners) each();
  };
  return {
    subscribe: (onChange: () => void) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    get: () => work,
    /** Changes what forms show as well, by which a form gets what is typed into it. */
    change: (step: Step) => set(step, false),
    /** Changes what the graph shows. The forms follow once it is drawn. */
    draw: (step: Step) => set(step, true),
    /** Ends what is undone at once. */
    pause: () => set(({ history }) => ({ history: endGroup(history) })),
    /** Whether the graph shows what is new before the forms do. */
    isDrawn: () => isDrawn,
  };
};

/** @returns `shown`, which the forms show, and the store of what is edited */
export const useWork = (first: () => Draft): { readonly shown: Work; readonly store: WorkStore } => {
  const [store] = useState(() => createWorkStore(first()));
  const work = useSyncExternalStore(store.subscribe, store.get);
  const later = useDeferredValue(work);
  const { present } = work.history;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change begins the pause again
  useEffect(() => {
    const timer = setTimeout(store.pause, PAUSE_MS);
    addEventListener('focusout', store.pause);
    return () => {
      clearTimeout(timer);
      removeEventListener('focusout', store.pause);
    };
  }, [present, store]);
  return { shown: store.isDrawn() ? later : work, store };
};

/** The same object if nothing changes. */
const takeStep = (work: Work, step: Step): Work => {
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

export const undone: Step = ({ history }) => ({ history: undoStep(history) });

export const redone: Step = ({ history }) => ({ history: redoStep(history) });

export const selectAll: Step = ({ history }) => ({
  selected: new Set(history.present.definition.nodes.map(({ id }) => id)),
});
