import { CREDENTIAL_UNTESTED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { CallAws } from './aws-caller.ts';
import { isSuccess, readObject, toCause } from './aws-error.ts';

/** An answer of the admin API to a request made by invoking its function. */
interface ApiAnswer {
  readonly statusCode: number;
  /** Body of the request, as JSON. */
  readonly body: string;
}

const ROUTE = 'POST /api/admin/credentials/{credentialId}/test';

/**
 * Invokes the admin API's function for live tests of credentials, with the event of its route. So the test uses the
 * service's network and permissions, and no URL has to be known.
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 * @param functionName - such as `hookloom-dev-adminHealth`
 * @throws AppError `CREDENTIAL_UNTESTED` if the function can't be invoked, or fails
 */
export const createLambdaCredentialTest =
  (call: CallAws, functionName: string, now: () => number) =>
  async (credentialId: string): Promise<ApiAnswer> => {
    const refuse = (reason: string, cause?: unknown) =>
      new AppError(CREDENTIAL_UNTESTED, { credentialId, reason }, cause);
    const answer = await call({
      method: 'POST',
      path: `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`,
      headers: { 'content-type': 'application/json', 'x-amz-invocation-type': 'RequestResponse' },
      body: JSON.stringify(toEvent(credentialId, now())),
    }).catch((cause: unknown) => {
      throw refuse(`${functionName} does not answer`, cause);
    });
    if (!isSuccess(answer)) throw refuse(`${functionName} was not invoked`, toCause(answer));
    const { statusCode, body } = readObject(answer.body.toString());
    if (answer.headers['x-amz-function-error'] !== undefined || typeof statusCode !== 'number')
      throw refuse(`${functionName} failed, and its log says why`);
    return { statusCode, body: String(body) };
  };

/**
 * The request context of an event, as the gateway sends it:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
const toEvent = (credentialId: string, now: number) => {
  const path = `/api/admin/credentials/${credentialId}/test`;
  return {
    version: '2.0',
    routeKey: ROUTE,
    rawPath: path,
    rawQueryString: '',
    headers: { 'user-agent': 'hookloom' },
    requestContext: {
      http: { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'hookloom' },
      routeKey: ROUTE,
      timeEpoch: now,
    },
    pathParameters: { credentialId },
    isBase64Encoded: false,
  };
};
