import { randomBytes } from 'node:crypto';
import type { Clock } from '@hookloom/plugin-kit';
import { systemClock } from '../../../lib/adapters/runtime/system-clock.ts';
import type { ApprovalPage } from '../../../lib/approvals/list-approvals.ts';
import type {
  describeExecution,
  describeSummary,
} from '../../../lib/executions/record/describe-execution.ts';
import { isFinal } from '../../../lib/executions/record/execution-store.ts';
import type { Pong } from '../../../lib/health/ping.ts';
import { askJson, type DoctorApi, type DoctorParts } from './ask-aws.ts';
import { createQuestions, describeProblem, toEvent } from './ask-functions.ts';
import { type Line, linesOf, type TimeLimit } from './line.ts';
import { EXECUTIONS, probeWorkflows, removeLeftProbes, removeProbe } from './probe-workflows.ts';

/** An execution as the admin API shows it. */
type ShownExecution = ReturnType<typeof describeExecution>;

/** The runs that the doctor starts, and what they show. */
const PROBES = {
  synchronous: { functions: ['webhook'] },
  express: {
    functions: ['webhook', 'runExpress'],
    deadlineMs: 40_000,
    succeeded: 'a background run started and ended',
    notStarted: 'See the log of webhook.',
  },
  durable: {
    functions: ['webhook', 'runDurable'],
    deadlineMs: 40_000,
    notStarted: 'See the log of webhook.',
  },
  blob: { functions: ['webhook', 'runDurable'] },
  callback: { functions: ['webhook', 'runDurable', 'webhookCallback'], deadlineMs: 90_000 },
  schedule: {
    functions: ['dispatch', 'runExpress'],
    deadlineMs: 120_000,
    succeeded: 'a schedule started a run',
    notStarted:
      'See the dead-letter queue and the log of dispatch. The role of Scheduler must allow invoking dispatch.',
  },
  queue: {
    functions: ['dispatch', 'runExpress'],
    deadlineMs: 150_000,
    succeeded: 'a message started a run',
    notStarted:
      'custom.triggerQueues must list the queue so that dispatch may receive its messages. See the log of dispatch.',
  },
} as const satisfies Readonly<Record<string, ProbeKind>>;

interface ProbeKind {
  /** Those that take part in it. */
  readonly functions: readonly string[];
  /**
   * A request has its own limit, and a blob is checked with its durable run. Scheduler fires within a minute, and enabling a
   * new mapping takes as long.
   */
  readonly deadlineMs?: number;
  readonly succeeded?: string;
  /** What to look at if no run has started. */
  readonly notStarted?: string;
}

type Probe = keyof typeof PROBES;
const NAMES = Object.keys(PROBES) as readonly Probe[];
const kindOf = (probe: Probe): ProbeKind => PROBES[probe];

const POLL_MS = 1_000;

/** Time limit for the completion event of a run. */
const PUBLISH_MS = 10_000;

/** A request too large for a record, even compressed. */
const BLOB_BYTES = 24_000;

const probes = linesOf('probes');

interface ProbeParts {
  readonly target: {
    readonly api: DoctorApi;
    readonly doctor: DoctorParts;
    /** URL of the service; null for a deployed stage, whose functions report it. */
    readonly baseUrl: string | null;
  };
  readonly io: Pick<Clock, 'now' | 'sleep'>;
  /** The ping responses by function key. */
  readonly pongs: ReadonlyMap<string, Pong>;
  /** Functions that can't work, each with the reason; probes that involve them are skipped. */
  readonly broken: ReadonlyMap<string, string>;
  /** ARN of the queue to probe; null for none. */
  readonly queue: string | null;
  readonly limit: TimeLimit;
  /** Called with each line as soon as it is known. */
  readonly onLine: (line: Line) => void;
  readonly onProgress: (text: string) => void;
}

/**
 * Runs a workflow for each engine, started in every way, and always removes all of it afterwards, including what an earlier
 * run of the doctor left behind.
 */
export const runProbes = async (parts: ProbeParts): Promise<void> => {
  const { api } = parts.target;
  await removeLeftProbes(api, parts.io.now());
  const look = new Look(parts);
  const { express, durable } = look.workflows;
  try {
    const workflows = [{ definition: express }, { definition: durable }];
    await api.call('PUT', '/api/admin/probes', { body: { workflows } });
    await look.run();
  } finally {
    for (const { id } of [express, durable]) await removeProbe(id, api);
  }
};

/** Starts all probes and follows them until each has ended or timed out. */
class Look {
  readonly #parts: ProbeParts;
  readonly #questions: ReturnType<typeof createQuestions>;
  readonly #token = randomBytes(8).toString('hex');
  readonly #lines = new Map<Probe, Line>();
  /** Runs that have ended but whose completion events are not published yet. */
  readonly #unpublished = new Map<string, ShownExecution>();
  /** Runs that have ended, and whose completion events are published: they change no more. */
  readonly #settled = new Map<string, ShownExecution>();
  #hasAnswered = false;
  readonly workflows: ReturnType<typeof probeWorkflows>;

  constructor(parts: ProbeParts) {
    const { target, io, pongs, broken, queue } = parts;
    const { doctor, baseUrl } = target;
    this.#parts = parts;
    this.#questions = createQuestions({
      doctor,
      io,
      origin: baseUrl ?? pongs.get('runDurable')?.config.publicUrl ?? null,
    });
    for (const probe of NAMES) {
      const key = kindOf(probe).functions.find((one) => broken.has(one));
      if (key !== undefined) this.#skip(probe, `${key} ${broken.get(key)}`);
    }
    if (queue === null)
      this.#skip('queue', 'to test it, name a queue reserved for the doctor with --queue ARN');
    this.workflows = probeWorkflows({
      token: this.#token,
      fireAt: this.#isOpen('schedule') ? Math.ceil((systemClock.now() + 3_000) / 1_000) * 1_000 : null,
      queue: this.#isOpen('queue') ? queue : null,
    });
  }

  async run(): Promise<void> {
    const { queue } = this.#parts;
    if (queue !== null && this.#isOpen('queue')) await this.#send(queue);
    const large = randomBytes(BLOB_BYTES).toString('base64');
    await Promise.all([
      this.#request('synchronous', {}),
      this.#request('express', {}),
      this.#request('durable', { large }),
      this.#watch(),
    ]);
  }

  #isOpen(probe: Probe): boolean {
    return !this.#lines.has(probe);
  }

  #set(probe: Probe, line: Line): void {
    if (!this.#isOpen(probe)) return;
    this.#lines.set(probe, line);
    this.#parts.onLine(line);
    if (probe !== 'durable' || line.status === 'ok') return;
    for (const next of ['blob', 'callback'] as const)
      this.#skip(next, 'the durable run did not get this far');
  }

  #skip(probe: Probe, why: string): void {
    this.#set(probe, probes.skipped(`${probe}: ${why}`));
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

  async #request(probe: 'synchronous' | 'express' | 'durable', more: object): Promise<void> {
    if (!this.#isOpen(probe)) return;
    const isSynchronous = probe === 'synchronous';
    const { id } = probe === 'durable' ? this.workflows.durable : this.workflows.express;
    const path = `/api/webhook/${id}/${probe}`;
    const body = JSON.stringify({ token: this.#token, ...more });
    try {
      const { status, text, by } = await this.#questions.post(path, body);
      if (status !== (isSynchronous ? 200 : 202)) {
        const message = `${probe}: the request got ${status}: ${describeProblem(text)}`;
        const event = toEvent(path, body, this.#parts.io.now());
        this.#set(probe, await this.#questions.explain('webhook', event, message));
      } else if (isSynchronous && text.includes(this.#token))
        this.#set(probe, probes.ok(`synchronous: a request ran its workflow and got the response${by}`));
      else if (isSynchronous) {
        const message = 'synchronous: the response did not come from the workflow';
        this.#set(probe, probes.wrong(message, 'See the log of webhook.'));
      }
    } catch (error) {
      this.#set(
        probe,
        probes.unknown(`${probe}: the doctor could not send a request: ${(error as Error).message}`),
      );
    }
  }

  async #watch(): Promise<void> {
    const { io, limit, onProgress } = this.#parts;
    const startedAt = io.now();
    let publishedBy = startedAt;
    for (;;) {
      await this.#follow(this.workflows.express.id);
      await this.#follow(this.workflows.durable.id);
      const ms = io.now() - startedAt;
      for (const probe of NAMES)
        if (this.#isOpen(probe) && ms > (kindOf(probe).deadlineMs ?? Number.POSITIVE_INFINITY))
          await this.#giveUp(probe, ms);
      const left = NAMES.filter((probe) => this.#isOpen(probe));
      if (left.length > 0) publishedBy = io.now() + PUBLISH_MS;
      if (left.length === 0 && (this.#unpublished.size === 0 || io.now() >= publishedBy)) break;
      if (limit.isOver()) {
        for (const probe of left)
          this.#set(probe, probes.unknown(`${probe}: unknown after the ${limit.seconds} s of --timeout`));
        break;
      }
      if (left.length > 0)
        onProgress(`probes: ${left.join(', ')} ${left.length === 1 ? 'is' : 'are'} still running`);
      await io.sleep(POLL_MS);
    }
    this.#reportUnpublished();
  }

  async #executionsOf(workflowId: string): Promise<readonly ShownExecution[]> {
    const { api } = this.#parts.target;
    const query = { workflowId, limit: 20 };
    const { executions } = await api.call<{
      readonly executions: readonly ReturnType<typeof describeSummary>[];
    }>('GET', EXECUTIONS, { query });
    return Promise.all(
      executions.map(async ({ executionId }) => {
        const settled = this.#settled.get(executionId);
        if (settled !== undefined) return settled;
        const found = await api.call<ShownExecution>('GET', `${EXECUTIONS}/${executionId}`);
        if (isFinal(found.status) && found.eventPending !== true) this.#settled.set(executionId, found);
        return found;
      }),
    );
  }

  async #follow(workflowId: string): Promise<void> {
    for (const record of await this.#executionsOf(workflowId)) await this.#see(record);
  }

  async #see(record: ShownExecution): Promise<void> {
    const { target } = this.#parts;
    if (record.eventPending === true) this.#unpublished.set(record.executionId, record);
    else this.#unpublished.delete(record.executionId);
    const probe = NAMES.find((one) => one === record.trigger.nodeId);
    if (probe === undefined || probe === 'synchronous') return;
    if (record.status === 'succeeded') return this.#succeed(probe);
    if (isFinal(record.status)) {
      const why = record.failure?.message ?? record.status;
      return this.#set(
        probe,
        probes.wrong(
          `${probe}: its run ended as ${record.status}: ${why}`,
          'Use execution show to see where.',
        ),
      );
    }
    // Dispatched; the line of express reports that its run does not end.
    const express = this.#lines.get('express');
    if ((probe === 'schedule' || probe === 'queue') && express !== undefined && express.status !== 'ok')
      return this.#succeed(probe);
    if (record.status !== 'waiting' || this.#hasAnswered) return;
    this.#set('durable', probes.ok('durable: a run started and is suspended'));
    this.#set('blob', probes.ok('blob: a request was written to the bucket and read from there'));
    if (!this.#isOpen('callback')) return;
    const { workflowId } = record;
    const query = { workflowId, limit: 1 };
    const page = await target.api
      .call<ApprovalPage>('POST', '/api/admin/approvals/addresses', { query })
      .catch((error: Error) => error);
    if (page instanceof Error)
      return this.#set('callback', probes.unknown(`callback: its URL can't be read: ${page.message}`));
    const { approvals } = page;
    const address = approvals[0]?.address;
    if (address === undefined) return; // listed within a second
    this.#hasAnswered = true;
    const path = new URL(address).pathname;
    const body = JSON.stringify({ decision: 'approve' });
    const { status, text } = await this.#questions.post(path, body);
    if (status === 200) return;
    const event = toEvent(path, body, this.#parts.io.now());
    const message = `callback: the answer got ${status}: ${describeProblem(text)}`;
    this.#set('callback', await this.#questions.explain('webhookCallback', event, message));
  }

  #succeed(probe: Probe): void {
    if (probe === 'durable') {
      this.#set('durable', probes.ok('durable: a run started and ended'));
      this.#set('blob', probes.ok('blob: a request was written to the bucket and read from there'));
      this.#set('callback', probes.ok('callback: an answer resumed the run'));
    } else this.#set(probe, probes.ok(`${probe}: ${kindOf(probe).succeeded}`));
  }

  async #giveUp(probe: Probe, ms: number): Promise<void> {
    const within = `within ${Math.round(ms / 1_000)} s`;
    const wrong = (message: string, remedy: string) => this.#set(probe, probes.wrong(message, remedy));
    if (probe === 'callback')
      return wrong(
        `callback: the answer did not resume the run ${within}`,
        'See the logs of webhookCallback and runDurable.',
      );
    const { express, durable } = this.workflows;
    const records = await this.#executionsOf(probe === 'durable' ? durable.id : express.id);
    const record = records.find((one) => one.trigger.nodeId === probe);
    if (record === undefined)
      return wrong(`${probe}: no run started ${within}`, kindOf(probe).notStarted ?? '');
    const message = `${probe}: the run is ${record.status} ${within}`;
    const { executionId } = record;
    this.#set(
      probe,
      probe === 'durable'
        ? await this.#questions.explainDurable(executionId, message)
        : await this.#questions.explain('runExpress', { executionId }, message),
    );
  }

  /** Reports completion events that were not published. The sweeper publishes them later, with its own permissions. */
  #reportUnpublished(): void {
    const keys = [...this.#unpublished.values()].map(({ trigger: { nodeId } }) =>
      nodeId === 'synchronous' ? 'webhook' : nodeId === 'durable' ? 'runDurable' : 'runExpress',
    );
    for (const key of new Set(keys))
      this.#parts.onLine(
        probes.wrong(
          `event bus: the end of a run of ${key} was not published within ${PUBLISH_MS / 1_000} s`,
          `See the log of ${key}. Check that the bus of the parameter eventBus exists and that its role allows events:PutEvents on it.`,
        ),
      );
  }
}
