import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Answer } from '../shared/answer.ts';

/** Lambda's response size limit for synchronous invocations. */
export const MAX_ANSWER_BYTES = 6 * 1024 * 1024;

/** An answer as API Gateway's result (payload format 2.0). Responses to HEAD have no body. */
export const toResult = (answer: Answer, method: string): APIGatewayProxyStructuredResultV2 => ({
  statusCode: answer.status,
  headers: { ...answer.headers, 'x-content-type-options': 'nosniff' },
  ...(answer.cookies === undefined ? {} : { cookies: [...answer.cookies] }),
  ...(answer.body === null || method === 'HEAD'
    ? {}
    : { body: answer.body, ...(answer.isBase64 === true ? { isBase64Encoded: true } : {}) }),
});
