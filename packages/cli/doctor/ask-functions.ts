import { type Clock, isPlainObject } from '@hookloom/plugin-kit';
import { errorTypeOf, findDenial, isSuccess, readObject } from '../../../lib/adapters/aws/aws-error.ts';
import { findDurableFailure } from '../../../lib/adapters/aws/lambda-ping.ts';
import { tryJson } from '../../../lib/shared/try-json.ts';
import type { DoctorParts } from './ask-aws.ts';
import { type Line, linesOf } from './line.ts';

interface AskingParts {
  readonly doctor: Pick<DoctorParts, 'open' | 'prefix'>;
  readonly io: Pick<Clock, 'now'>;
  /** Base URL of the API; null when unknown. */
  readonly origin: string | null;
}

const FETCH_MS = 32_000;

/** Length limit of the reason in a line. */
const MAX_REASON = 300;

const probes = linesOf('probes');

/** Sends requests and events to the functions of a service, and asks them why one failed. */
export const createQuestions = ({ doctor, io, origin }: AskingParts) => {
  const request = async (name: string, headers: Readonly<Record<string, string>>, event: unknown) =>
    doctor.open('lambda')({
      method: 'POST',
      path: `/2015-03-31/functions/${encodeURIComponent(`${doctor.prefix}-${name}`)}/invocations`,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(event),
    });

  /** Invokes a function with an event and reads its log. */
  const invoke = async (functionKey: string, event: unknown) => {
    const answer = await request(
      functionKey,
      { 'x-amz-invocation-type': 'RequestResponse', 'x-amz-log-type': 'Tail' },
      event,
    );
    const text = answer.body.toString();
    const log = Buffer.from(String(answer.headers['x-amz-log-result'] ?? ''), 'base64').toString();
    return {
      text: isSuccess(answer) ? text : `${errorTypeOf(answer)} ${text}`,
      log,
      content: isSuccess(answer) ? tryJson(text) : null,
    };
  };

  return {
    /** Sends a request through the API; if it does not answer, invokes the function. */
    post: async (
      path: string,
      body: string,
    ): Promise<{ readonly status: number; readonly text: string; readonly by: string }> => {
      if (origin !== null) {
        try {
          const headers = { 'content-type': 'application/json' };
          const signal = AbortSignal.timeout(FETCH_MS);
          const response = await fetch(`${origin}${path}`, { method: 'POST', headers, body, signal });
          return { status: response.status, text: await response.text(), by: '' };
        } catch {
          // Not reachable from here, such as a private API.
        }
      }
      const key = path.startsWith('/api/webhook-callback/') ? 'webhookCallback' : 'webhook';
      const { content } = await invoke(key, toEvent(path, body, io.now()));
      const { statusCode = 0, body: text = '' } = (content ?? {}) as {
        readonly statusCode?: number;
        readonly body?: string;
      };
      return {
        status: statusCode,
        text,
        by: `, through an invocation: ${origin ?? 'the URL'} is not reachable from here`,
      };
    },
    /** Has a function repeat what failed while the doctor waits: its log says why. */
    explain: async (functionKey: string, event: unknown, message: string): Promise<Line> => {
      const { text, log } = await invoke(functionKey, event).catch((error: Error) => ({
        text: error.message,
        log: '',
      }));
      return toFunctionLine(functionKey, message, `${log}\n${text}`, findLastError(log));
    },
    /** Asks Lambda why the invocations of a durable run failed. The same name and input don't start it twice. */
    explainDurable: async (executionId: string, message: string): Promise<Line> => {
      const headers = {
        'x-amz-invocation-type': 'Event',
        'x-amz-durable-execution-name': executionId,
      };
      const answer = await request('runDurable:durable', headers, { executionId }).catch(() => null);
      const arn = answer?.headers['x-amz-durable-execution-arn'];
      const reason = arn === undefined ? null : await findDurableFailure(String(arn), doctor.open('lambda'));
      return toFunctionLine('runDurable', message, reason ?? '', reason);
    },
  };
};

/** @param text - text from a function, which may contain IAM's refusal */
const toFunctionLine = (functionKey: string, message: string, text: string, reason: string | null): Line => {
  const denial = findDenial(text);
  if (denial === null)
    return probes.wrong(
      reason === null ? message : `${message}: ${reason.slice(0, MAX_REASON)}`,
      `See the log of ${functionKey} for the cause.`,
    );
  const { action, resource } = denial;
  return probes.wrong(
    `${message}. ${functionKey} is not allowed ${action}${resource === null ? '' : ` on ${resource}`}`,
    `The role of ${functionKey} needs this permission, which its iamRoleStatements in serverless.yml grant: deploy again, and check for a permissions boundary or an organization policy that denies it.`,
  );
};

/** The last error line of a log, with its cause; the function has redacted both. */
const findLastError = (log: string): string | null => {
  for (const line of log.split('\n').reverse()) {
    const entry = readObject(line);
    if (entry.level === 'error') return describeCauses(entry);
  }
  return null;
};

const MAX_CAUSES = 5;

/** Its message and those of its causes: the last one is what AWS answered. */
const describeCauses = (entry: Readonly<Record<string, unknown>>): string => {
  const messages: unknown[] = [];
  for (let at: unknown = entry; isPlainObject(at) && messages.length < MAX_CAUSES; at = at.cause)
    messages.push(at.message);
  return messages.filter((one) => typeof one === 'string').join(' ');
};

/** A request as the gateway passes it on. */
export const toEvent = (path: string, body: string, now: number) => ({
  version: '2.0',
  routeKey: '$default',
  rawPath: path,
  rawQueryString: '',
  headers: { 'content-type': 'application/json', 'user-agent': 'hookloom-doctor' },
  requestContext: {
    http: { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'hookloom-doctor' },
    requestId: 'doctor',
    routeKey: '$default',
    timeEpoch: now,
  },
  pathParameters: toPathParameters(path),
  body,
  isBase64Encoded: false,
});

const toPathParameters = (path: string): Readonly<Record<string, string>> => {
  const [, , , first = '', second = ''] = path.split('/');
  return path.startsWith('/api/webhook-callback/') ? { token: first } : { workflowId: first, path: second };
};

/** Describes the response to a refused request in one sentence. */
export const describeProblem = (text: string): string => {
  const { detail } = (tryJson(text) ?? {}) as { readonly detail?: unknown };
  return typeof detail === 'string' ? detail : text.slice(0, 200);
};
