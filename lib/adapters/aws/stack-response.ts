import { createConnection } from './aws-caller.ts';

/**
 * A custom resource's response to CloudFormation, at most 4,096 bytes as JSON.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-responses.html
 */
interface StackResponse {
  readonly Status: 'SUCCESS' | 'FAILED';
  /** Why the request failed; shown among the events of the stack. */
  readonly Reason: string;
  /**
   * Id of the resource, the same in all responses: if it changed, CloudFormation would remove the resource with the old
   * id.
   */
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
 * @param pauseMs - pause between two tries, in milliseconds
 * @throws Error if it is not accepted; Lambda then invokes the function again
 */
export const createSendStackResponse =
  (pauseMs = 1_000): SendStackResponse =>
  async (url, response) => {
    const { origin, pathname, search } = new URL(url);
    const exchange = createConnection(new URL(origin), TIMEOUTS);
    const body = Buffer.from(JSON.stringify(response));
    // The signature covers an empty content type.
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
