/** An HTTP response, ready to send. */
export interface GatewayAnswer {
  readonly status: number;
  /** Header names may repeat, as for cookies. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** The gateway's own responses, worded like API Gateway's. */
export const gatewayAnswers = {
  badRequest: messageAnswer(400, 'Bad Request'),
  forbidden: messageAnswer(403, 'Forbidden'),
  notFound: messageAnswer(404, 'Not Found'),
  tooLarge: messageAnswer(413, 'Request Entity Too Large'),
  failed: messageAnswer(500, 'Internal Server Error'),
  unavailable: messageAnswer(503, 'Service Unavailable'),
};

function messageAnswer(status: number, text: string): GatewayAnswer {
  return {
    status,
    headers: [['content-type', 'application/json']],
    body: Buffer.from(JSON.stringify({ message: text })),
  };
}

/** A gateway response for which API Gateway has no equivalent. */
export const answerProblem = (problem: {
  readonly status: number;
  readonly instance: string;
}): GatewayAnswer => ({
  status: problem.status,
  headers: [['content-type', 'application/problem+json']],
  body: Buffer.from(JSON.stringify(problem)),
});

/** Headers that the gateway sets itself: a function's are dropped. */
const OWN_HEADERS = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade']);

/**
 * Converts a Lambda function's result to a response, payload format 2.0: with a `statusCode` it is the whole response,
 * otherwise the JSON body of a 200. An invalid one is a failure of the function.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export const toAnswer = (result: unknown): GatewayAnswer => {
  if (!isStructured(result)) {
    const body = typeof result === 'string' ? result : JSON.stringify(result ?? null);
    return { status: 200, headers: [['content-type', 'application/json']], body: Buffer.from(body) };
  }
  const { statusCode, headers, cookies, body = '', isBase64Encoded } = result;
  const isStatus = typeof statusCode === 'number' && Number.isInteger(statusCode);
  if (!isStatus || statusCode < 200 || statusCode > 599) return gatewayAnswers.failed;
  const text = body ?? '';
  if (typeof text !== 'string') return gatewayAnswers.failed;
  const fields = readHeaders(headers);
  const hasType = fields.some(([name]) => name === 'content-type');
  return {
    status: statusCode,
    headers: [
      ...(hasType || text === '' ? [] : [['content-type', 'text/plain;charset=UTF-8'] as const]),
      ...fields,
      ...(Array.isArray(cookies) ? cookies : []).map((cookie) => ['set-cookie', String(cookie)] as const),
    ],
    body: Buffer.from(text, isBase64Encoded === true ? 'base64' : 'utf8'),
  };
};

const isStructured = (result: unknown): result is Readonly<Record<string, unknown>> =>
  typeof result === 'object' && result !== null && 'statusCode' in result;

const readHeaders = (headers: unknown): (readonly [string, string])[] => {
  if (typeof headers !== 'object' || headers === null) return [];
  return Object.entries(headers)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => [name.toLowerCase(), String(value)] as const)
    .filter(([name]) => !OWN_HEADERS.has(name));
};
