import { isDeepStrictEqual } from 'node:util';
import type { AwsCall, AwsClient } from '../contract/services.ts';
import { type Answers, createExchanges, toDifference } from './exchanges.ts';

/** A recorded call: what must be sent, and the output or the error of the service. */
export interface AwsExchange {
  /** The expected call. `region` may be omitted; the whole input is compared. */
  readonly call: AwsCall;
  /** An error is thrown, as a NodeError of the service's client would be. */
  readonly answer: Readonly<Record<string, unknown>> | Error;
}

/** Calls in the expected order, or a function that answers any call. */
export type AwsAnswers = Answers<AwsCall, AwsExchange, AwsExchange['answer']>;

/** AWS without a network. It refuses calls that are not expected. */
export const createFakeAws = (answers: AwsAnswers) => {
  const { sent, answer, assertDone } = createExchanges(answers, {
    noun: 'AWS call',
    describeSent: describeAwsCall,
    describeExpected: ({ call }: AwsExchange) => describeAwsCall(call),
    findDifference,
    answerOf: (exchange) => exchange.answer,
  });
  const aws: AwsClient = {
    send: async ({ service, operation, input, region, signal }) => {
      signal.throwIfAborted();
      const output = await answer({ service, operation, input, ...(region === undefined ? {} : { region }) });
      if (output instanceof Error) throw output;
      return output;
    },
  };
  return { aws, calls: sent as readonly AwsCall[], assertDone };
};

const describeAwsCall = ({ service, operation }: AwsCall): string => `${service} ${operation}`;

const findDifference = (sent: AwsCall, { call }: AwsExchange, what: string): string | null => {
  if (describeAwsCall(sent) !== describeAwsCall(call))
    return `${what} is ${describeAwsCall(sent)}, expected ${describeAwsCall(call)}`;
  if (call.region !== undefined && sent.region !== call.region)
    return toDifference(what, 'the region', sent.region ?? null, call.region);
  return isDeepStrictEqual(sent.input, call.input)
    ? null
    : toDifference(what, 'the input', sent.input, call.input);
};
