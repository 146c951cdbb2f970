import { createConnection } from './connection.ts';

/**
 * The answer of a custom resource to CloudFormation, 4,096 bytes at most as JSON.
 *
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-responses.html
 */
interface StackResponse {
  readonly Status: 'SUCCESS' | 'FAILED';
  /** Of a failure; shown among the events of the stack. */
  readonly Reason: string;
  /** The same in all answers: with another one, CloudFormation removes the resource of the former. */
  readonly PhysicalResourceId: string;
  readonly StackId: string;
  readonly RequestId: string;
  readonly LogicalResourceId: string;
}

/** @param url - presigned, which makes it a secret */
export type SendStackResponse = (url: string, response: StackResponse) => Promise<void>;

const TRIES = 3;
const TIMEOUTS = { connectMs: 1_000, exchangeMs: 5_000 };

/**
 * Sends the response, in at most three tries.
 *
 * @param pauseMs - between two tries
 * @throws Error when it is not taken; Lambda then invokes the function again
 */
export const createSendStackResponse =
  (pauseMs = 1_000): SendStackResponse =>
  async (url, response) => {
    const { origin, pathname, search } = new URL(url);
    const exchange = createConnection(new URL(origin), TIMEOUTS);
    const body = Buffer.from(JSON.stringify(response));
    // The signature is over an empty type.
    const headers = { 'content-type': '', 'content-length': body.byteLength };
    const request = { method: 'PUT', path: `${pathname}${search}`, headers, body };
    for (let tries = 1; ; tries++) {
      const failure = await exchange(request).then(
        ({ status }) => (status < 300 ? null : new Error(`CloudFormation's address answers ${status}`)),
        (error: Error) => error,
      );
      if (failure === null) return;
      if (tries === TRIES) throw failure;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
