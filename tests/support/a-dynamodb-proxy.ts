import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { type InternalServer, startInternalServer } from 'lambda-stage/net';

/** A call of DynamoDB's API. */
export interface DynamoDbCall {
  /** `PutItem`, … */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface DynamoDbAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends a call to the database. */
export type Forward = (call: DynamoDbCall) => Promise<DynamoDbAnswer>;

const VERSION = 'DynamoDB_20120810';

/**
 * A proxy before a DynamoDB on this machine, for any client.
 * @param answer - gives the answer to each call; it may forward others of its own
 */
export const startDynamoDbProxy = (
  endpoint: string,
  answer: (call: DynamoDbCall, forward: Forward) => Promise<DynamoDbAnswer>,
): Promise<InternalServer> =>
  startInternalServer(
    createServer(async (incoming, outgoing) => {
      const [, operation = ''] = String(incoming.headers['x-amz-target']).split('.');
      const input = JSON.parse(await text(incoming));
      const { status, body } = await answer({ operation, input }, forwardTo(endpoint, incoming.headers));
      outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
    }),
  );

/** With the signature of another call, which a database on this machine does not verify. */
const forwardTo =
  (endpoint: string, { authorization = '', 'x-amz-date': date }: IncomingHttpHeaders): Forward =>
  async ({ operation, input }) => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `${VERSION}.${operation}`,
        'x-amz-date': String(date),
        authorization,
      },
      body: JSON.stringify(input),
    });
    return { status: response.status, body: await response.text() };
  };
