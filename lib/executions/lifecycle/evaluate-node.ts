import type { Logger } from '@hookloom/plugin-kit';
import type { OtherWorkflows } from '../../engine/session.ts';
import type { Ports } from '../ports.ts';
import { INLINE_START, toStart } from './new-execution.ts';
import {
  prepareTrial,
  type Trial,
  type TrialData,
  type TrialStage,
  type TriedNode,
} from './prepare-trial.ts';
import { createPrepareRun, runToResult } from './run-execution.ts';

/**
 * Runs one node that touches nothing outside. It gets no network, files, state, credentials
 * or other workflows, whatever it asks for, and nothing is stored. The same draft and data give the same outputs: its
 * random values and ids don't change from one evaluation to the next.
 *
 * @param timeLimitMs - upper bound of the workflow's timeout
 * @returns null if a node acts on the outside, or may do so: then nothing was run
 * @throws AppError `WORKFLOW_INVALID` | `STORE_UNAVAILABLE`
 */
export const evaluateNode = async (
  tried: TriedNode,
  data: Omit<TrialData, 'traceparent'>,
  timeLimitMs: number,
  { services: { clock }, guard, logger, ...stage }: TrialStage & Pick<Ports, 'services' | 'guard' | 'logger'>,
): Promise<Omit<Trial, 'executionId'> | null> => {
  const trial = await prepareTrial(tried, { ...data, traceparent: null }, { ...stage, ids });
  const prepare = createPrepareRun({
    openPlan: trial.openPlan,
    otherWorkflows: noWorkflows,
    services: { clock, ids, http: { request: refuse } },
    filesFor: () => () => ({ save: refuse, open: refuse }),
    loggerFor: () => trial.addLog(silent),
    guard,
  });
  const { isPure, run } = await prepare(trial.execution, timeLimitMs);
  if (!isPure) return null;
  const start = toStart(trial.execution, { ...INLINE_START, startedAt: clock.now(), startToken: '' });
  const { executionId: _own, ...described } = trial.describe(
    await runToResult(() => run(start), start, logger),
  );
  return described;
};

const ids = { next: () => 'evaluation' };

const refuse = () => Promise.reject(new Error('this node touches nothing outside'));

const noWorkflows: OtherWorkflows = { findVersion: refuse, loadPlan: refuse };

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
