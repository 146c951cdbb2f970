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

/**
 * Makes the outputs of pure nodes as one types. What was asked for before an edit is dropped.
 *
 * @returns what a run of several nodes needs to run them in this page
 */
export const usePageTrials = ({ parts, data, isOn, onMade }: PageTrials): PageTrialParts => {
  const { graph, types, variables } = parts;
  const [worker] = useState(createTrialWorker);
  useEffect(() => worker.stop, [worker]);
  const stage = useMemo(() => {
    const known: KnownTypes = { declared: [...types.values()], names: [], variables: null };
    return { types, known, variables, tried: new Map() satisfies TriedStamps };
  }, [types, variables]);
  const whole = useMemo(() => ({ graph, worker, ...stage }), [graph, worker, stage]);
  const latest = useRef(onMade);
  latest.current = onMade;
  useEffect(() => {
    if (!isOn) return;
    const controller = new AbortController();
    void makeOutputs(whole, data, controller.signal).then((made) => {
      if (!controller.signal.aborted && Object.keys(made).length > 0) latest.current(made);
    });
    return () => controller.abort();
  }, [whole, data, isOn]);
  return whole;
};
