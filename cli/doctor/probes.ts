import { randomBytes } from 'node:crypto';
import { errorTypeOf, isSuccess } from '../../lib/adapters/aws/aws-error.ts';
import { findDenial } from '../../lib/adapters/aws/denial.ts';
import type { DoctorParts } from '../../lib/app/doctor/open-doctor.ts';
import { type ApprovalParts, listApprovals } from '../../lib/callbacks/list-approvals.ts';
import type { FindNodeType } from '../../lib/contract/node-type.ts';
import type { Clock } from '../../lib/contract/services.ts';
import type { DurableService } from '../../lib/executions/lifecycle/durable-service.ts';
import { isFinal } from '../../lib/executions/record/execution-status.ts';
import type { ExecutionRecord, ExecutionStore } from '../../lib/executions/record/execution-store.ts';
import { type Pong, PROBE_PREFIX } from '../../lib/health/ping.ts';
import { putWorkflows, removeWorkflow } from '../../lib/registrations/put-workflow.ts';
import type { RegistrarParts } from '../../lib/registrations/registrar.ts';
import type { WorkflowStore } from '../../lib/workflows/definition/workflow-store.ts';
import { askJson } from './ask-aws.ts';
import { type Line, linesOf } from './line.ts';
import { probeWorkflows } from './probe-workflows.ts';

/** What the probes show, in the order of the report. */
const PROBES = ['synchronous', 'express', 'durable', 'blob', 'callback', 'schedule', 'queue'] as const;
type Probe = (typeof PROBES)[number];

/** How long each may take. Scheduler fires within a minute, and a new mapping takes as long to be enabled. */
const DEADLINES_MS: Readonly<Record<Exclude<Probe, 'blob'>, number>> = {
  synchronous: 35_000,
  express: 40_000,
  durable: 60_000,
  callback: 90_000,
  schedule: 120_000,
  queue: 150_000,
};

const POLL_MS = 500;

/** Longer than a look takes: what is older was left behind. */
const LEFT_AFTER_MS = 900_000;

/** A request that does not fit into a record, and does not get small when it is compressed. */
const BLOB_BYTES = 24_000;

const probes = linesOf('probes');

/** The service that is probed. */
interface ProbedService extends ApprovalParts {
  readonly workflows: WorkflowStore;
  readonly executions: ExecutionStore;
  readonly registrar: RegistrarParts;
  readonly durableService: Pick<DurableService, 'stop'>;
  readonly doctor: DoctorParts;
  /** Null for a deployed stage, whose functions say it. */
  readonly baseUrl: string | null;
}

interface ProbeParts {
  readonly target: ProbedService;
  readonly io: Pick<Clock, 'now' | 'sleep'>;
  readonly findNodeType: FindNodeType;
  /** By the key of the function. */
  readonly pongs: ReadonlyMap<string, Pong>;
  /** ARN; null for none. */
  readonly queue: string | null;
  readonly onProgress: (text: string) => void;
}

/**
 * Runs a workflow for each engine, handed over in every way, and removes all of it, whatever happens: also what an earlier
 * look has left behind.
 */
export const runProbes = async (parts: ProbeParts): Promise<readonly Line[]> => {
  const { target, findNodeType, queue } = parts;
  const registrar = { ...target.registrar, workflows: target.workflows };
  await removeLeft(parts);
  const token = randomBytes(8).toString('hex');
  const fireAt = Math.ceil((registrar.clock.now() + 3_000) / 1_000) * 1_000;
  const { express, durable } = probeWorkflows({ token, fireAt, queue });
  try {
    await putWorkflows([express, durable], findNodeType, registrar);
    return await new Look(parts, token, { express: express.id, durable: durable.id }).run();
  } finally {
    for (const { id } of [express, durable]) await removeProbe(id, parts);
  }
};

/** Those of looks that have ended before they could remove them. */
const removeLeft = async (parts: ProbeParts): Promise<void> => {
  const { target, io } = parts;
  for (const { id, updatedAt } of await target.workflows.list())
    if (id.startsWith(PROBE_PREFIX) && Date.parse(updatedAt) < io.now() - LEFT_AFTER_MS)
      await removeProbe(id, parts);
};

const removeProbe = async (id: string, { target, findNodeType, pongs }: ProbeParts): Promise<void> => {
  await removeWorkflow(id, findNodeType, { ...target.registrar, workflows: target.workflows });
  const { executions } = await target.executions.list({ workflowId: id, limit: 100 });
  for (const { executionId } of executions) {
    const record = await target.executions.find(executionId);
    const { leaseOwner = null } = record ?? {};
    if (record !== null && !isFinal(record.status) && leaseOwner?.startsWith('arn:') === true)
      await target.durableService.stop(leaseOwner, 'its probe has ended').catch(() => undefined);
  }
  const bucket = pongs.get('webhook')?.config.blobBucket ?? null;
  for (const executionId of await target.doctor.purge(
    id,
    executions.map((one) => one.executionId),
  ))
    await target.doctor.removeBlob(`executions/${executionId}/input`, bucket);
};

/** One look: starts all probes, and follows them until each has ended or its time is up. */
class Look {
  readonly #parts: ProbeParts;
  readonly #token: string;
  readonly #ids: { readonly express: string; readonly durable: string };
  readonly #lines = new Map<Probe, Line>();
  #hasAnswered = false;

  constructor(parts: ProbeParts, token: string, ids: { readonly express: string; readonly durable: string }) {
    this.#parts = parts;
    this.#token = token;
    this.#ids = ids;
  }

  async run(): Promise<readonly Line[]> {
    const { io, queue, onProgress } = this.#parts;
    const startedAt = io.now();
    if (queue === null)
      this.#set(
        'queue',
        probes.skipped(
          'queue: name a queue that is for the doctor alone, with --queue ARN, to have it tried',
        ),
      );
    else await this.#send(queue);
    const large = randomBytes(BLOB_BYTES).toString('base64');
    await Promise.all([
      this.#request('synchronous', this.#ids.express, {}),
      this.#request('express', this.#ids.express, {}),
      this.#request('durable', this.#ids.durable, { large }),
    ]);
    for (;;) {
      await this.#follow(this.#ids.express);
      await this.#follow(this.#ids.durable);
      const ms = io.now() - startedAt;
      const open = PROBES.filter((probe) => !this.#lines.has(probe));
      for (const probe of open)
        if (probe !== 'blob' && ms > DEADLINES_MS[probe]) await this.#giveUp(probe, ms);
      const left = PROBES.filter((probe) => !this.#lines.has(probe) && probe !== 'blob');
      if (left.length === 0) break;
      onProgress(`probes: ${left.join(', ')} ${left.length === 1 ? 'is' : 'are'} not done yet`);
      await io.sleep(POLL_MS);
    }
    return PROBES.flatMap((probe) => this.#lines.get(probe) ?? []);
  }

  #set(probe: Probe, line: Line): void {
    if (!this.#lines.has(probe)) this.#lines.set(probe, line);
  }

  async #send(queue: string): Promise<void> {
    const [, , , region = '', account = '', name = ''] = queue.split(':');
    const QueueUrl = `https://sqs.${region}.amazonaws.com/${account}/${name}`;
    const call = this.#parts.target.doctor.open('sqs');
    await askJson(call, 'AmazonSQS.SendMessage', {
      QueueUrl,
      MessageBody: JSON.stringify({ token: this.#token }),
    });
  }

  /** By the front door; when no answer comes from there, by an invocation. */
  async #request(
    probe: 'synchronous' | 'express' | 'durable',
    workflowId: string,
    more: object,
  ): Promise<void> {
    const path = `/api/webhook/${workflowId}/${probe}`;
    const body = JSON.stringify({ token: this.#token, ...more });
    const answer = await this.#post(path, body);
    const isSynchronous = probe === 'synchronous';
    if (answer.status === (isSynchronous ? 200 : 202)) {
      const isRight = !isSynchronous || answer.text.includes(this.#token);
      if (isSynchronous)
        this.#set(
          probe,
          isRight
            ? probes.ok(`synchronous: a request ran its workflow and got the answer${answer.by}`)
            : probes.wrong(
                'synchronous: the answer is not that of the workflow',
                'Look into the log of webhook.',
              ),
        );
      return;
    }
    const line = await this.#explain(
      'webhook',
      toEvent(path, body, this.#parts.io.now()),
      `${probe}: the request got ${answer.status}: ${describeProblem(answer.text)}`,
    );
    this.#set(probe, line);
    if (probe === 'durable') this.#set('callback', probes.skipped('callback: the durable run did not start'));
  }

  async #post(
    path: string,
    body: string,
  ): Promise<{ readonly status: number; readonly text: string; readonly by: string }> {
    const { target, pongs, io } = this.#parts;
    const origin = target.baseUrl ?? pongs.get('runDurable')?.config.publicUrl ?? null;
    if (origin !== null) {
      try {
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(`${origin}${path}`, {
          method: 'POST',
          headers,
          body,
          signal: AbortSignal.timeout(32_000),
        });
        return { status: response.status, text: await response.text(), by: '' };
      } catch {
        // Not reachable from here, as with an API that is private.
      }
    }
    const key = path.startsWith('/api/webhook-callback/') ? 'webhookCallback' : 'webhook';
    const { content } = await this.#invoke(key, toEvent(path, body, io.now()));
    const { statusCode = 0, body: text = '' } = (content ?? {}) as {
      readonly statusCode?: number;
      readonly body?: string;
    };
    return {
      status: statusCode,
      text,
      by: `, by an invocation: ${origin ?? 'the URL'} does not answer from here`,
    };
  }

  /** Invokes a function with an event, and reads its log. */
  async #invoke(functionKey: string, event: unknown) {
    const { doctor } = this.#parts.target;
    const answer = await doctor.open('lambda')({
      method: 'POST',
      path: `/2015-03-31/functions/${doctor.prefix}-${functionKey}/invocations`,
      headers: {
        'content-type': 'application/json',
        'x-amz-invocation-type': 'RequestResponse',
        'x-amz-log-type': 'Tail',
      },
      body: JSON.stringify(event),
    });
    const text = answer.body.toString();
    const log = Buffer.from(String(answer.headers['x-amz-log-result'] ?? ''), 'base64').toString();
    return {
      text: isSuccess(answer) ? text : `${errorTypeOf(answer)} ${text}`,
      log,
      content: isSuccess(answer) ? parse(text) : null,
    };
  }

  /** Has a function do again, while the doctor waits, what it has failed to do: its log names a missing permission. */
  async #explain(functionKey: string, event: unknown, message: string): Promise<Line> {
    const { text, log } = await this.#invoke(functionKey, event).catch((error: Error) => ({
      text: error.message,
      log: '',
    }));
    const denial = findDenial(log) ?? findDenial(text);
    if (denial === null) return probes.wrong(message, `The log of ${functionKey} has the cause.`);
    const { action, resource } = denial;
    return probes.wrong(
      `${message}. ${functionKey} is not allowed ${action}${resource === null ? '' : ` on ${resource}`}`,
      `Give this permission to the role of ${functionKey}: its iamRoleStatements in serverless.yml have it; deploy again, and look for a boundary or a policy of the organization that denies it.`,
    );
  }

  async #follow(workflowId: string): Promise<void> {
    const { target } = this.#parts;
    const { executions } = await target.executions.list({ workflowId, limit: 20 });
    for (const { executionId } of executions) {
      const record = await target.executions.find(executionId);
      if (record !== null) await this.#see(record);
    }
  }

  async #see(record: ExecutionRecord): Promise<void> {
    const { target } = this.#parts;
    const probe = PROBES.find((one) => one === record.trigger.nodeId);
    if (probe === undefined || probe === 'synchronous') return;
    if (record.status === 'succeeded') return this.#succeed(probe);
    if (isFinal(record.status)) {
      const why = record.failure?.message ?? record.status;
      return this.#set(
        probe,
        probes.wrong(`${probe}: its run ended as ${record.status}: ${why}`, 'execution show says where.'),
      );
    }
    if (record.status !== 'waiting' || this.#hasAnswered) return;
    this.#set('durable', probes.ok('durable: a run has begun, and is suspended'));
    this.#set('blob', probes.ok('blob: a request was written to the bucket and read from there'));
    const { approvals } = await listApprovals({ workflowId: record.workflowId, limit: 1 }, true, target);
    const address = approvals[0]?.address;
    if (address === undefined) return; // listed within a second
    this.#hasAnswered = true;
    const path = new URL(address).pathname;
    const body = JSON.stringify({ decision: 'approve' });
    const { status, text } = await this.#post(path, body);
    if (status === 200) return;
    const event = toEvent(path, body, this.#parts.io.now());
    this.#set(
      'callback',
      await this.#explain(
        'webhookCallback',
        event,
        `callback: the answer got ${status}: ${describeProblem(text)}`,
      ),
    );
  }

  #succeed(probe: Probe): void {
    if (probe === 'durable') {
      this.#set('durable', probes.ok('durable: a run has begun, and ended'));
      this.#set('blob', probes.ok('blob: a request was written to the bucket and read from there'));
      this.#set('callback', probes.ok('callback: an answer has resumed the run'));
    } else this.#set(probe, probes.ok(SUCCEEDED[probe as keyof typeof SUCCEEDED]));
  }

  async #giveUp(probe: Exclude<Probe, 'blob'>, ms: number): Promise<void> {
    const within = `within ${Math.round(ms / 1_000)} s`;
    const { durable, express } = this.#ids;
    const workflowId = probe === 'durable' || probe === 'callback' ? durable : express;
    const { executions } = await this.#parts.target.executions.list({ workflowId, limit: 20 });
    const records = await Promise.all(
      executions.map(({ executionId }) => this.#parts.target.executions.find(executionId)),
    );
    const record =
      records.find((one) => one?.trigger.nodeId === (probe === 'callback' ? 'durable' : probe)) ?? null;
    if (probe === 'schedule' && record === null)
      return this.#set(
        probe,
        probes.wrong(
          `schedule: it has started nothing ${within}`,
          'See the queue of dead letters and the log of dispatch; the role of Scheduler has to be allowed to invoke dispatch.',
        ),
      );
    if (probe === 'queue' && record === null)
      return this.#set(
        probe,
        probes.wrong(
          `queue: a message has started nothing ${within}`,
          'custom.triggerQueues has to list the queue, so that dispatch may take its messages; see the log of dispatch.',
        ),
      );
    if (probe === 'callback')
      return this.#set(
        probe,
        this.#lines.get('durable')?.status === 'ok'
          ? probes.wrong(
              `callback: the answer has not resumed the run ${within}`,
              'See the logs of webhookCallback and runDurable.',
            )
          : probes.skipped('callback: the durable run has not come so far'),
      );
    if (probe === 'durable')
      return this.#set(
        probe,
        probes.wrong(
          `durable: the run is ${record?.status ?? 'not there'} ${within}`,
          'See the log of runDurable: a permission, a table or the bucket that it can not use.',
        ),
      );
    const message = `${probe}: the run is ${record?.status ?? 'not there'} ${within}`;
    if (record === null) return this.#set(probe, probes.wrong(message, 'Look into the log of webhook.'));
    this.#set(probe, await this.#explain('runExpress', { executionId: record.executionId }, message));
  }
}

const SUCCEEDED = {
  express: 'express: a run in the background has begun, and ended',
  schedule: 'schedule: a time has started a run',
  queue: 'queue: a message has started a run',
} as const;

/** A request as the gateway hands it over. */
const toEvent = (path: string, body: string, now: number) => ({
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

const describeProblem = (text: string): string => {
  const { detail } = (parse(text) ?? {}) as { readonly detail?: unknown };
  return typeof detail === 'string' ? detail : text.slice(0, 200);
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
