import type { DurableExecutionClient, DurableExecutionInvocationInput } from '@aws/durable-execution-sdk-js';
import { lazy } from '@hookloom/plugin-kit';
import type { Checkpoint } from '../../engine/checkpoint-journal.ts';
import type { JournalReader } from '../../executions/lifecycle/background-engine.ts';
import { type BlobStore, unpackText } from '../../executions/record/blob-store.ts';
import { MAX_NAME_LENGTH, POSTPONED } from './durable-steps.ts';

interface Operation {
  readonly Name?: string | undefined;
  readonly Type?: string | undefined;
  readonly Status?: string | undefined;
  readonly StepDetails?: { readonly Result?: string | undefined } | undefined;
  readonly CallbackDetails?: { readonly Result?: string | undefined } | undefined;
}

/** Reads the checkpoint journal from the finished operations of a durable execution. */
export const createJournalReader = (
  { DurableExecutionArn, CheckpointToken, InitialExecutionState }: DurableExecutionInvocationInput,
  client: DurableExecutionClient,
  blobs: Pick<BlobStore, 'get'>,
): JournalReader => {
  /** Loads the operations, of which the first page comes with the event. */
  const loadOnce = lazy(async (): Promise<readonly Operation[]> => {
    const operations: Operation[] = [...(InitialExecutionState.Operations ?? [])];
    for (let Marker = InitialExecutionState.NextMarker; Marker; ) {
      const page = await client.getExecutionState({ DurableExecutionArn, CheckpointToken, Marker });
      operations.push(...(page.Operations ?? []));
      Marker = page.NextMarker;
    }
    return operations;
  });
  return {
    count: async () => (await loadOnce()).filter(isFinished).length,
    read: async () => {
      const entries: [string, Checkpoint][] = [];
      for (const operation of await loadOnce()) {
        const { Name = '' } = operation;
        // A name of this length ends in a hash: its step is unknown.
        const checkpoint = Name.length < MAX_NAME_LENGTH ? await toCheckpoint(operation, blobs) : null;
        if (checkpoint !== null) entries.push([stepNameOf(Name), checkpoint]);
      }
      return new Map(entries);
    },
  };
};

const isFinished = ({ Status }: Operation): boolean =>
  Status === 'SUCCEEDED' || Status === 'FAILED' || Status === 'TIMED_OUT';

const toCheckpoint = async (
  { Type, Status, StepDetails, CallbackDetails }: Operation,
  blobs: Pick<BlobStore, 'get'>,
): Promise<Checkpoint | null> => {
  if (Type === 'CALLBACK' && Status === 'TIMED_OUT') return { answer: null };
  if (Status !== 'SUCCEEDED') return null;
  if (Type === 'WAIT') return { waited: true };
  if (Type === 'CALLBACK' && CallbackDetails?.Result !== undefined)
    return { answer: { value: JSON.parse(CallbackDetails.Result) } };
  if (Type !== 'STEP' || StepDetails?.Result === undefined) return null;
  const step = JSON.parse(await unpackText(StepDetails.Result, blobs));
  return 'postponed' in step ? null : { step };
};

/** The name of the step that an operation is a part of, if the step was postponed. */
const stepNameOf = (name: string): string => name.split(POSTPONED)[0] ?? name;
