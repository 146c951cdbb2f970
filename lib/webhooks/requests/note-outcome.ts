import type { Answer } from '../../shared/answer.ts';
import { countStart } from '../../shared/metrics/count-executions.ts';
import { type Measuring, measure } from '../../shared/metrics/metrics.ts';
import { type RecordRequest, type RequestNotes, type RequestOutcome, toOutcome } from './request-outcome.ts';

/** One invocation, as far as its outcome is noted. */
interface Call {
  addLogFields(fields: Readonly<Record<string, string | number>> & Measuring): void;
}

/** Adds to what is known of the request. */
export type Note = (notes: RequestNotes) => void;

/**
 * Has the outcome of each request recorded: of refused ones always, of all others where the webhook asks for it. The log line
 * has the verdict on one that a workflow has refused, and counts it, or the execution that it has started, with the end of one
 * that was run meanwhile.
 */
export const noteOutcome =
  <Invocation extends Call>(
    handle: (call: Invocation & { readonly note: Note }) => Promise<Answer>,
    record: RecordRequest,
  ) =>
  async (call: Invocation): Promise<Answer> => {
    let notes: RequestNotes = {};
    const note: Note = (more) => {
      notes = { ...notes, ...more };
    };
    const settle = async (outcome: RequestOutcome | null): Promise<void> => {
      if (outcome === null) return;
      const { verdict, refusal, request, webhook } = outcome;
      const isRefused = refusal !== null;
      if (isRefused && outcome.hasWorkflow)
        call.addLogFields({
          ...{ workflowId: request.workflowId, verdict, code: refusal.code },
          ...measure({ values: { RefusedRequests: 1 }, by: 'code' }),
        });
      if (verdict === 'started') {
        call.addLogFields(measure(countStart(webhook?.workflow.definition.settings?.metrics, notes.ended)));
      }
      if (isRefused || asksForRecords(outcome)) await record(outcome);
    };
    let answer: Answer;
    try {
      answer = await handle({ ...call, note });
    } catch (error) {
      await settle(toOutcome(notes, error));
      throw error;
    }
    await settle(toOutcome(notes));
    return answer;
  };

/** Whether the webhook has all its requests recorded. */
export const asksForRecords = ({ webhook }: Pick<RequestOutcome, 'webhook'>): boolean =>
  webhook?.config.features?.recordRequests === true;
