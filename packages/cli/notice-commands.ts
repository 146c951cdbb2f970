import type { JsonObject, WorkflowNode } from '@hookloom/plugin-kit';
import type { Command } from 'commander';
import type { listNoticesRoute } from '../../lib/app/notices.ts';
import type { listWorkflowsRoute } from '../../lib/app/workflows.ts';
import type { AnswerTo } from '../../lib/http/api-route.ts';
import { NOTICE_KINDS, NOTICE_TRIGGER } from '../../lib/shared/notice-kinds.ts';
import { PAGE } from '../../lib/shared/query-fields.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { CURRENT_FORMAT } from '../../lib/workflows/definition/schema.ts';
import { addTo, type CommandContext, type Options, type TargetContext } from './command.ts';
import { CommandError, usageError } from './command-error.ts';
import { type Io, printJson } from './io.ts';
import { type SentFile, storeFiles, WORKFLOWS } from './put-workflows.ts';
import { JSON_OUTPUT, numberThat, readId, readIds } from './read-arguments.ts';
import { printTable } from './table.ts';
import { toFileText, writeText } from './write-file.ts';

const one = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

const ADD_OPTIONS = [
  ['--mail <address>', 'send mail to this address, through SES, or the SMTP server of the credential'],
  ['--from <address>', 'the sender of the mail'],
  ['--slack <channel>', 'post to this channel, by its id; needs a credential of the type httpBearer'],
  ['--sns <arn>', 'publish to this SNS topic'],
  ['--webhook <url>', 'post the message as JSON to this URL'],
  ['--credential <id>', 'the credential that is sent', readId],
  ['--kind <kind>', `only notices of this kind, of ${NOTICE_KINDS.join(', ')}; can be repeated`, one],
  ['--workflow <id>', 'only notices about this workflow; can be repeated', readIds],
  ['--tag <tag>', 'only notices about workflows with this tag; can be repeated', one],
  [
    '--digest <minutes>',
    'how long a cause that was sent is only counted (default: 15)',
    numberThat(Number.isSafeInteger, () => '--digest must be a number of minutes.'),
  ],
  ['--console <url>', 'where the console is, for links: https://ops.example.com/console'],
  ['--output <file>', 'write the workflow to this file, and store nothing'],
] as const;

type AddOptions = Options<typeof ADD_OPTIONS>;

/** `notify`: workflows that send notices. `notice`: what is open. */
export const addNoticeCommands = (program: Command, context: CommandContext): void => {
  const add = addTo(
    program.command('notify').description('send notices of what is wrong to people'),
    context,
  );

  add('add', {
    about: 'store a workflow that sends notices by mail, Slack, SNS or a webhook',
    arguments: [['<name>', 'id of the workflow', readId]],
    options: ADD_OPTIONS,
    examples: [
      'notify add tell-hook --webhook https://hooks.example.com/notices --workflow orders --digest 60',
    ],
    check: (_name, options) => toSender(options),
    run: (name, onTarget, { output, ...options }) => addReceiver(toReceiver(name, options), output, onTarget),
  });

  add('list', {
    about: 'list the workflows that send notices',
    options: [JSON_OUTPUT],
    examples: ['notify list'],
    run: listReceivers,
  });

  add('test', {
    about: 'start a workflow that sends notices with a sample',
    arguments: [['<name>', 'id of the workflow', readId]],
    examples: ['notify test tell-hook'],
    run: testReceiver,
  });

  addTo(program.command('notice').description('list what is wrong'), context)('list', {
    about: 'list the open notices, the latest first',
    options: [JSON_OUTPUT],
    examples: ['notice list'],
    run: listNotices,
  });
};

type Sender = Pick<WorkflowNode, 'type' | 'parameters'>;

const TEXT = '{{ text }}';
const MESSAGE = Object.fromEntries(
  ['subject', 'text', 'notices', 'more'].map((name) => [name, `{{ ${name} }}`]),
);

/** The ways to send a message, by the option with the address: the node that sends it. */
const CHANNELS: Readonly<
  Record<'mail' | 'slack' | 'sns' | 'webhook', (to: string, options: AddOptions) => Sender>
> = {
  mail: (to, { from, credential }) => {
    if (from === undefined) throw usageError('--mail needs --from ADDRESS.');
    const via = credential === undefined ? 'ses' : 'smtp';
    return { type: 'email', parameters: { via, from, to: [to], subject: '{{ subject }}', text: TEXT } };
  },
  slack: (channel, { credential }) => {
    if (credential === undefined) throw usageError('--slack needs --credential ID.');
    return {
      type: 'slackMessage',
      parameters: { channel, text: TEXT, escapeText: true, unfurlLinks: false },
    };
  },
  sns: (arn) => {
    const [prefix, , service, region = ''] = arn.split(':', 5);
    if (prefix !== 'arn' || service !== 'sns' || !/^[a-z0-9-]{1,40}$/.test(region))
      throw usageError('--sns needs the ARN of a topic.');
    // A subject of SNS must be ASCII; the text begins with the one of the message.
    const input = { TopicArn: arn, Subject: 'Hookloom notice', Message: TEXT };
    return { type: 'aws', parameters: { service: 'sns', operation: 'Publish', region, input } };
  },
  webhook: (url) => ({
    type: 'httpRequest',
    parameters: { method: 'POST', url, body: MESSAGE, idempotencyKey: true },
  }),
};

/** @throws CommandError unless the options name one channel, with what it needs */
const toSender = (options: AddOptions): Sender => {
  const names = (Object.keys(CHANNELS) as (keyof typeof CHANNELS)[]).filter(
    (name) => options[name] !== undefined,
  );
  const [name] = names;
  if (name === undefined || names.length > 1)
    throw usageError('Give one of --mail, --slack, --sns and --webhook.');
  if (options.from !== undefined && name !== 'mail') throw usageError('--from is for --mail.');
  return CHANNELS[name](options[name] ?? '', options);
};

/** The workflow of a receiver. */
const toReceiver = (id: string, options: AddOptions): WorkflowDefinition => {
  const { credential, kind: kinds, workflow: workflows, tag: tags, digest: digestMinutes } = options;
  const given = { kinds, workflows, tags, digestMinutes, consoleUrl: options.console };
  const parameters = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const send = {
    id: 'send',
    ...toSender(options),
    settings: { retry: { maxAttempts: 3 } },
    ...(credential === undefined ? {} : { credentialId: credential }),
  };
  return {
    format: CURRENT_FORMAT,
    id,
    name: `Notices: ${id}`,
    enabled: true,
    nodes: [{ id: 'notice', type: NOTICE_TRIGGER, parameters: parameters as JsonObject }, send],
    connections: [{ sourceNodeId: 'notice', targetNodeId: 'send' }],
  } as WorkflowDefinition;
};

const addReceiver = async (
  definition: WorkflowDefinition,
  output: string | undefined,
  context: TargetContext,
): Promise<void> => {
  const { io } = context;
  if (output !== undefined) {
    await writeText(output, toFileText(definition), io);
    io.note(`Written to ${output}: store it with "workflow put ${output}".`);
    return;
  }
  const file: SentFile = { name: definition.id, content: definition, placeOf: () => '1:1', replaces: null };
  await storeFiles([file], 'notify add', context);
  io.note(`Try it: notify test ${definition.id}`);
};

const listReceivers = async (
  { io, target: { api } }: TargetContext,
  { json }: { readonly json?: true },
): Promise<void> => {
  const { workflows: receivers } = await api.call<AnswerTo<typeof listWorkflowsRoute>>('GET', WORKFLOWS, {
    query: { trigger: NOTICE_TRIGGER, limit: PAGE.max },
  });
  if (json === true) return printJson({ receivers }, io);
  if (receivers.length === 0) return io.note('Nobody receives notices: see "notify add".');
  printTable(
    {
      titles: ['NAME', 'ENABLED', 'LAST MESSAGE', 'STATUS'],
      rows: receivers.map(({ id, enabled, lastExecution }) => [
        id,
        enabled ? 'yes' : 'no',
        lastExecution?.startedAt ?? '-',
        lastExecution?.status ?? '-',
      ]),
    },
    io,
  );
};

const testReceiver = async (name: string, { io, target: { api } }: TargetContext): Promise<void> => {
  const { definition } = await api.call<{ readonly definition: WorkflowDefinition }>(
    'GET',
    `${WORKFLOWS}/${name}`,
  );
  const trigger = definition.nodes.find(({ type }) => type === NOTICE_TRIGGER);
  if (trigger === undefined) throw new CommandError(`${name} does not begin with a ${NOTICE_TRIGGER}.`);
  const { executionId } = await api.call<{ readonly executionId: string }>(
    'POST',
    `${WORKFLOWS}/${name}/executions`,
    { query: { trigger: trigger.id }, body: await loadSample() },
  );
  io.print(executionId);
  io.note(`${name} sends a sample: execution show ${executionId}`);
};

const loadSample = async (): Promise<JsonObject> => {
  const { noticeTrigger } = await import('../../lib/triggers/types/notice-trigger.ts');
  const message = noticeTrigger.example?.input as JsonObject;
  return { ...message, subject: `Test: ${message.subject}`, text: `Test: ${message.text}` };
};

const listNotices = async (
  { io, target: { api } }: TargetContext,
  { json }: { readonly json?: true },
): Promise<void> => {
  const page = await api.call<AnswerTo<typeof listNoticesRoute>>('GET', '/api/admin/notices');
  if (json === true) return printJson(page, io);
  if (page.notices.length === 0) return noteNone(io);
  printTable(
    {
      titles: ['LAST', 'SINCE', 'TIMES', 'KIND', 'SUBJECT', 'EXECUTION', 'MESSAGE'],
      texts: ['MESSAGE'],
      rows: page.notices.map(({ lastAt, firstAt, count, kind, subject, executionId, message }) => [
        ...[lastAt, firstAt, String(count), kind, subject, executionId ?? '-', message],
      ]),
    },
    io,
  );
  if (page.more > 0) io.note(`and ${page.more} more`);
};

const noteNone = (io: Io): void =>
  io.note('No notices are open. Failures are counted while a workflow listens for them: see "notify add".');
