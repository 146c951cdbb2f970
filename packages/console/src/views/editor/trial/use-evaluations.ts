import { useEffect, useMemo, useRef, useState } from 'react';
import { type AskedStamps, type EvaluationParts, makeOutputs } from './evaluations.ts';
import type { DraftData } from './trial-data.ts';

interface Evaluations {
  readonly parts: EvaluationParts;
  readonly data: DraftData;
  readonly isOn: boolean;
  readonly onMade: (made: DraftData) => void;
}

/** Until the service is asked after an edit, in milliseconds. */
const PAUSE_MS = 300;

/** What came of the last evaluations, and the draft and data that they were made for. */
interface Settled extends Pick<EvaluationParts, 'graph'> {
  readonly data: DraftData | null;
  /** Ids of the nodes that the service did not run. */
  readonly left: ReadonlySet<string>;
  /** Why the service could not be asked; null if it could. */
  readonly failure: Error | null;
}

/**
 * Has the outputs of pure nodes made as one types, one node at a time. What was asked for before an edit is dropped; the
 * outputs from before it stay until there are new ones.
 */
export const useEvaluations = ({ parts: { graph, types }, data, isOn, onMade }: Evaluations) => {
  const known = useMemo(() => ({ types, asked: new Map() satisfies AskedStamps }), [types]);
  const whole = useMemo(() => ({ graph, ...known }), [graph, known]);
  const [settled, setSettled] = useState<Settled>({ graph, data: null, left: new Set(), failure: null });
  const edited = useRef(graph);
  const latest = useRef(onMade);
  latest.current = onMade;
  useEffect(() => {
    if (!isOn) return;
    const controller = new AbortController();
    const make = async () => {
      edited.current = whole.graph;
      const { made, failure } = await makeOutputs(whole, data, controller.signal);
      if (controller.signal.aborted) return;
      const left = new Set([...whole.asked].flatMap(([id, { hasRun }]) => (hasRun ? [] : [id])));
      const hasMade = Object.keys(made).length > 0;
      setSettled({ graph: whole.graph, data: hasMade ? null : data, left, failure });
      if (hasMade) latest.current(made);
    };
    const timer = setTimeout(() => void make(), edited.current === whole.graph ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [whole, data, isOn]);
  return {
    left: settled.left,
    failure: settled.failure,
    /** Whether outputs may still follow. */
    isPending: isOn && settled.failure === null && (settled.graph !== graph || settled.data !== data),
  };
};
