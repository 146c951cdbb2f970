import { randomUUID } from 'node:crypto';
import type {
  CheckpointDurableExecutionResponse,
  DurableExecutionClient,
  GetDurableExecutionStateResponse,
  WireOperation,
} from '@aws/durable-execution-sdk-js';
import { type AwsRequest, type CallAws, postJson } from '../aws/aws-caller.ts';
import { errorTypeOf, type HttpAnswer, isSuccess, readObject } from '../aws/aws-error.ts';
import { toDurablePath } from '../aws/lambda-durable-service.ts';

/**
 * Reads and writes checkpoints over the transport of all our AWS calls. The durable SDK's own client would load the
 * SDK's client for all of Lambda.
 * https://docs.aws.amazon.com/lambda/latest/api/API_CheckpointDurableExecution.html
 */
export const createLambdaCheckpointClient = (call: CallAws): DurableExecutionClient => {
  const ask = async <Output>(request: AwsRequest): Promise<Output> => {
    const answer = await call(request);
    if (!isSuccess(answer)) throw toLambdaError(answer);
    return JSON.parse(answer.body.toString());
  };
  return {
    checkpoint: async ({
      DurableExecutionArn = '',
      CheckpointToken,
      ClientToken = randomUUID(),
      Updates,
    }) => {
      const path = `${toDurablePath(DurableExecutionArn)}/checkpoint`;
      // Retries have the same token, so Lambda applies the updates once.
      const request = postJson(path, { CheckpointToken, ClientToken, Updates });
      const { NewExecutionState: state, ...reply } = await ask<CheckpointDurableExecutionResponse>(request);
      return {
        ...reply,
        NewExecutionState: state && { ...state, Operations: toOperations(state.Operations) },
      };
    },
    getExecutionState: async ({ DurableExecutionArn = '', CheckpointToken, Marker, MaxItems }) => {
      const query = new URLSearchParams({
        CheckpointToken: CheckpointToken ?? '',
        ...(Marker === undefined ? {} : { Marker }),
        ...(MaxItems === undefined ? {} : { MaxItems: String(MaxItems) }),
      });
      const path = `${toDurablePath(DurableExecutionArn)}/state?${query}`;
      const state = await ask<GetDurableExecutionStateResponse>({ method: 'GET', path });
      return { ...state, Operations: toOperations(state.Operations) };
    },
  };
};

/** Creates an error in the shape of the SDK's, which the durable SDK classifies by name and status. */
const toLambdaError = (answer: HttpAnswer): Error => {
  const { message, Message = message } = readObject(answer.body.toString());
  return Object.assign(
    new Error(typeof Message === 'string' ? Message : `Lambda answered ${answer.status}`),
    {
      name: errorTypeOf(answer) || 'UnknownError',
      $metadata: { httpStatusCode: answer.status },
    },
  );
};

const toOperations = (operations: readonly WireOperation[] = []): WireOperation[] =>
  operations.map(({ StartTimestamp, EndTimestamp, StepDetails, WaitDetails, ...operation }) => ({
    ...operation,
    StartTimestamp: toDate(StartTimestamp),
    ...(EndTimestamp && { EndTimestamp: toDate(EndTimestamp) }),
    ...(StepDetails && {
      StepDetails: { ...StepDetails, NextAttemptTimestamp: toDate(StepDetails.NextAttemptTimestamp) },
    }),
    ...(WaitDetails && {
      WaitDetails: { ...WaitDetails, ScheduledEndTimestamp: toDate(WaitDetails.ScheduledEndTimestamp) },
    }),
  }));

/** Converts the seconds since the epoch that Lambda writes to a date. */
const toDate = (time: unknown): Date | undefined =>
  typeof time === 'number' ? new Date(time * 1_000) : undefined;
