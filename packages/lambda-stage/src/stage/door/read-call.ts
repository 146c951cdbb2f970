import type { ApiRequest, Arns, Call, Destination } from './calls/call.ts';
import { readJsonCall } from './calls/json-calls.ts';
import { type LambdaLookups, readLambdaCall } from './calls/lambda-calls.ts';
import { readS3Call } from './calls/s3-calls.ts';
import { readSchedulerCall } from './calls/scheduler-calls.ts';

/**
 * Reads the operation of a request and the permissions that its caller needs.
 *
 * @throws UnknownCall for an unknown operation
 */
export const readCall = async (
  request: ApiRequest,
  destination: Destination,
  arns: Arns,
  lookups: LambdaLookups,
): Promise<Call> => {
  switch (destination.service) {
    case 'lambda':
      return readLambdaCall(request, arns, lookups);
    case 's3':
      return readS3Call(request, destination, arns);
    case 'scheduler':
      return readSchedulerCall(request, arns);
    default:
      return readJsonCall(destination.service, request, arns);
  }
};
