import { join } from 'node:path';
import type { Command } from 'commander';
import { tryJson } from '../../lib/shared/try-json.ts';
import { CONSOLE_PATH } from '../console/console-settings.ts';
import { IDLE_MS, openDoor } from '../console/serve/door.ts';
import type { PassOn } from '../console/serve/pass-on.ts';
import { ApiProblem, describeApiDenial } from './admin-api.ts';
import { addTo, type CommandContext, type Options, type TargetContext } from './command.ts';
import { CommandError, explainAwsError, usageError } from './command-error.ts';
import { homeFolder } from './local/project-folder.ts';
import { numberThat, readId } from './read-arguments.ts';
import { readDenial } from './signed-requests.ts';
import type { Target } from './target.ts';

const DOOR_OPTIONS = [
  ['--read-only', 'refuse every change; for a stage'],
  [
    '--port <number>',
    'port on this machine, for a stage (default: any free port)',
    numberThat(
      (port) => Number.isInteger(port) && port >= 1 && port <= 65_535,
      (shown) => `${shown} is not a port: use 1 to 65535.`,
    ),
  ],
  ['--no-browser', 'only print the address'],
] as const;

type DoorOptions = Options<typeof DOOR_OPTIONS>;

/** `console` and `open`: the console of the local service, or of a stage through a door on this machine. */
export const addConsoleCommands = (program: Command, context: CommandContext): void => {
  const add = addTo(program, context);
  const showConsole = async (path: string, onTarget: TargetContext, options: DoorOptions): Promise<void> => {
    const { stage, ...others } = program.opts<StageOptions & { readonly stage?: string }>();
    if (stage === undefined) showLocal(path, options, onTarget);
    else await serveStage(path, stage, { ...options, ...others }, onTarget);
  };

  add('console', {
    about: 'open the console; for a stage, serve it on this machine until Ctrl+C',
    options: DOOR_OPTIONS,
    examples: ['console --stage production --read-only'],
    run: (onTarget, options) => showConsole('', onTarget, options),
  });

  add('open', {
    about: 'open an execution or a workflow in the console',
    arguments: [['<id>', 'id of an execution or a workflow', readId]],
    options: DOOR_OPTIONS,
    examples: ['open orders', 'open orders --stage production'],
    run: async (id, onTarget, options) => showConsole(await findPath(id, onTarget), onTarget, options),
  });
};

/** @throws ApiProblem if there is neither an execution nor a workflow with this id */
const findPath = async (id: string, { target: { api } }: TargetContext): Promise<string> => {
  try {
    await api.call('GET', `/api/admin/executions/${id}`);
    return `/executions/${id}`;
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
  }
  await api.call('GET', `/api/admin/workflows/${id}/versions`, { query: { limit: 1 } }).catch((error) => {
    if (error instanceof ApiProblem && error.status === 404)
      throw new CommandError(`There is no execution and no workflow ${id}.`);
    throw error;
  });
  return `/workflows/${id}`;
};

/** The local service has the console itself. */
const showLocal = (path: string, options: DoorOptions, { io, target }: TargetContext): void => {
  if (options.readOnly === true || options.port !== undefined)
    throw usageError('--read-only and --port are for a stage: add --stage NAME.');
  const address = `${target.baseUrl}${CONSOLE_PATH}${path}`;
  io.print(address);
  if (options.browser !== false) io.browse(address);
};

type StageOptions = DoorOptions & Readonly<Partial<Record<'region' | 'profile', string>>>;

/** Serves the console of a stage until Ctrl+C, or until it has not been used for a while. */
const serveStage = async (
  path: string,
  stage: string,
  options: StageOptions,
  { io, target }: TargetContext,
): Promise<void> => {
  const stopped = io.untilInterrupted();
  const isReadOnly = options.readOnly === true;
  const door = await openDoor({
    settings: { stage, isReadOnly },
    passOn: createPassOn(target, (error) => explainAwsError(error, { ...options, stage }, io.env)),
    cacheFolder: join(homeFolder(), '.hookloom/console'),
    port: options.port ?? 0,
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new CommandError(`The port ${options.port} is in use: name another one with --port.`);
  });
  const address = door.toAddress(path);
  io.print(address);
  const minutes = IDLE_MS / 60_000;
  io.note(
    `The console of ${stage}${isReadOnly ? ', read-only' : ''}. The address works once, in one browser, which then acts with your AWS credentials. It is served until Ctrl+C, or until ${minutes} minutes pass without a request.`,
  );
  if (options.browser !== false) io.browse(address);
  const interrupted = new Promise<'interrupted'>((resolve) => {
    if (stopped.aborted) resolve('interrupted');
    stopped.addEventListener('abort', () => resolve('interrupted'), { once: true });
  });
  const reason = await Promise.race([interrupted, door.idle.then(() => 'idle' as const)]);
  if (reason === 'idle') io.note(`Closed: ${minutes} minutes have passed without a request.`);
  else await door.close();
};

/** Passes requests on to the API of a stage. What AWS refuses becomes a problem, which the page shows. @internal */
export const createPassOn = (
  { sendBytes }: Pick<Target, 'sendBytes'>,
  explainError: (error: unknown) => Error | null,
): PassOn => {
  return async (request) => {
    const answer = await sendBytes(request).catch((error: unknown) => {
      throw explainError(error) ?? error;
    });
    const denial = readDenial(answer.status, tryJson(Buffer.from(answer.body).toString()));
    if (denial === null) return answer;
    const [path = ''] = request.address.split('?');
    const refused = explainError(new Error(denial))?.message ?? describeApiDenial(request.method, path);
    const problem = {
      type: 'urn:hookloom:problem:aws-denied',
      title: 'AWS denies this request',
      status: answer.status,
      detail: `${refused.replaceAll('\n', ' ')} AWS said: ${denial}`,
      instance: answer.headers.get('apigw-requestid') ?? undefined,
    };
    return {
      status: answer.status,
      headers: new Headers({ 'content-type': 'application/problem+json' }),
      body: Buffer.from(JSON.stringify(problem)),
    };
  };
};
