import type { Answer } from '../../shared/answer.ts';
import { type RecordRequest, type RequestNotes, type RequestOutcome, toOutcome } from './request-outcome.ts';

/** One invocation, as far as its outcome is noted. */
interface Call {
  addLogFields(fields: Readonly<Record<string, string>>): void;
}

/** Adds to what is known of the request. */
export type Note = (notes: RequestNotes) => void;

/**
 * Has the outcome of each request recorded: of refused ones always, of all others where the webhook asks for it. The log line
 * of one that a workflow has refused has the verdict, which the metric of refusals counts.
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
      const isRefused = outcome.verdict === 'refused';
      if (isRefused && outcome.hasWorkflow)
        call.addLogFields({ workflowId: outcome.request.workflowId, verdict: 'refused' });
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
