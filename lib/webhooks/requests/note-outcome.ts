import type { Answer } from '../../shared/answer.ts';
import { countStart, type Measuring, measure } from '../../shared/metrics.ts';
import { type RecordRequest, type RequestNotes, type RequestOutcome, toOutcome } from './request-outcome.ts';

/** What is recorded about one invocation. */
interface Call {
  addLogFields(fields: Readonly<Record<string, string | number>> & Measuring): void;
}

/** Adds to what is known about the request. */
export type Note = (notes: RequestNotes) => void;

/**
 * Records the outcome of requests: always of refused ones, of all others if the webhook requests it. For a request
 * refused by a workflow, the log line gets the verdict and a metric; for one that started an execution, it counts the
 * start, and the outcome of an inline run.
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

/** Whether the webhook records all its requests. */
export const asksForRecords = ({ webhook }: Pick<RequestOutcome, 'webhook'>): boolean =>
  webhook?.config.features?.recordRequests === true;
