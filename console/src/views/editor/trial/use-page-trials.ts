import { useEffect, useMemo, useRef, useState } from 'react';
import { createTrialWorker } from '../../../worker/trial-worker.ts';
import type { KnownTypes } from '../../../worker/validate-draft.ts';
import { makeOutputs, type PageTrialParts, type TriedStamps } from './page-trials.ts';
import type { DraftData } from './trial-data.ts';

interface PageTrials {
  readonly parts: Pick<PageTrialParts, 'graph' | 'types' | 'variables'>;
  readonly data: DraftData;
  readonly isOn: boolean;
  readonly onMade: (made: DraftData) => void;
}

/** Makes the outputs of pure nodes as one types. What was asked for before an edit is dropped. */
export const usePageTrials = ({ parts, data, isOn, onMade }: PageTrials) => {
  const { graph, types, variables } = parts;
  const [worker] = useState(createTrialWorker);
  useEffect(() => worker.stop, [worker]);
  const stage = useMemo(() => {
    const known: KnownTypes = { declared: [...types.values()], names: [], variables: null };
    return { types, known, variables, tried: new Map() satisfies TriedStamps };
  }, [types, variables]);
  const whole = useMemo(() => ({ graph, worker, ...stage }), [graph, worker, stage]);
  /** As JSON, so that the same ids are the same state. */
  const [left, setLeft] = useState('[]');
  const latest = useRef(onMade);
  latest.current = onMade;
  useEffect(() => {
    if (!isOn) return;
    const controller = new AbortController();
    void makeOutputs(whole, data, controller.signal).then((made) => {
      if (controller.signal.aborted) return;
      setLeft(JSON.stringify([...whole.tried].flatMap(([id, { hasRun }]) => (hasRun ? [] : [id]))));
      if (Object.keys(made).length > 0) latest.current(made);
    });
    return () => controller.abort();
  }, [whole, data, isOn]);
  return {
    /** What a run of several nodes needs to run them in this page. */
    parts: whole satisfies PageTrialParts,
    /** Ids of the nodes that this page could not run in time. */
    left: useMemo((): ReadonlySet<string> => new Set(JSON.parse(left)), [left]),
  };
};
