import {
  type JsonObject,
  lazy,
  type RegistrationContext,
  type RegistrationRequest,
} from '@hookloom/plugin-kit';
import { type AwsCallerOptions, type CallAws, createAwsCaller } from './aws-caller.ts';
import { errorTypeOf, isSuccess, readObject } from './aws-error.ts';

interface Options extends Pick<AwsCallerOptions, 'region' | 'endpoint' | 'readCredentials'> {
  /** Prefix of the names of what is created: `SERVICE-STAGE`. */
  readonly prefix: string;
  readonly now: () => number;
}

/** A context that calls AWS, and has no schedules yet. */
type CallingContext = Omit<RegistrationContext, 'schedules'>;

/** The account id for resources on this machine. */
const LOCAL_ACCOUNT = '000000000000';

/**
 * Opens the context of registrations once. In AWS, it gets the event function's ARN from Lambda, which contains the
 * partition and the account.
 *
 * https://docs.aws.amazon.com/lambda/latest/api/API_GetFunctionConfiguration.html
 *
 * @throws Error if Lambda does not respond, or the stage has no such function
 */
export const createOpenRegistrationContext = ({
  prefix,
  region,
  endpoint,
  readCredentials,
  now,
}: Options): (() => Promise<CallingContext>) => {
  const callers = new Map<string, CallAws>();
  const openCaller = (service: string): CallAws => {
    const given = readCredentials === undefined ? {} : { readCredentials };
    const caller = callers.get(service) ?? createAwsCaller({ service, region, endpoint, ...given });
    callers.set(service, caller);
    return caller;
  };
  const callAws = async ({ service, method, path, headers = {}, body: input }: RegistrationRequest) => {
    const request = { method, path, headers: { 'content-type': 'application/json', ...headers } };
    const call = openCaller(service);
    const answer = await call(input === undefined ? request : { ...request, body: JSON.stringify(input) });
    const content = readObject(answer.body.toString()) as JsonObject;
    // Scheduler and Lambda name an error in a header, EventBridge and SQS in the body.
    const body = isSuccess(answer) ? content : { ...content, __type: errorTypeOf(answer) };
    return { status: answer.status, body };
  };
  const common = { prefix, region, callAws, now };
  return lazy(async (): Promise<CallingContext> => {
    const functionName = `${prefix}-dispatch`;
    if (endpoint !== null) {
      const dispatchArn = `arn:aws:lambda:${region}:${LOCAL_ACCOUNT}:function:${functionName}`;
      return { ...common, partition: 'aws', accountId: LOCAL_ACCOUNT, dispatchArn };
    }
    const path = `/2015-03-31/functions/${functionName}/configuration`;
    const { status, body } = await callAws({ service: 'lambda', method: 'GET', path });
    const { FunctionArn: dispatchArn } = body;
    if (status !== 200 || typeof dispatchArn !== 'string')
      throw new Error(
        `Lambda returned no configuration of the function ${functionName}: ${String(body.message ?? body.Message ?? status)}`,
      );
    const [, partition = '', , , accountId = ''] = dispatchArn.split(':');
    return { ...common, partition, accountId, dispatchArn };
  });
};
