import type { DescribedCredential } from '../../lib/app/credentials.ts';
import type { CredentialProblem } from '../../lib/credentials/outbound/outbound-rules.ts';
import type { UsingNode } from '../../lib/workflows/definition/find-users.ts';
import { OAUTH2_PRESETS } from '../authoring/oauth2-presets.ts';
import { ApiProblem } from './admin-api.ts';
import { type Options, REQUIRED, type TargetContext } from './command.ts';
import { CommandError, usageError } from './command-error.ts';

export const CREDENTIALS = '/api/admin/credentials';

export type Inbound = Extract<DescribedCredential, { direction: 'inbound' }>;
export type Outbound = Extract<DescribedCredential, { direction: 'outbound' }>;
export type ShownCredential = DescribedCredential & { readonly users: readonly UsingNode[] };

const readLimit =
  (option: string) =>
  (text: string): number => {
    if (!/^\d{1,6}(?:\.\d{1,6})?$/.test(text) || Number(text) === 0)
      throw usageError(`${option} must be a number greater than 0`);
    return Number(text);
  };

export const readPort = (text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw usageError('--port must be a number from 1 to 65535');
  return port;
};

const readUsername = (text: string): string => {
  if (text.includes(':')) throw usageError("A user name can't contain a colon (RFC 7617)");
  return text;
};

/** An option's value would appear in shell histories and process lists. */
export const PASSWORD_STDIN = [
  '--password-stdin',
  'read the password from standard input instead of generating one',
] as const;

export const HOST = [
  '--host <pattern...>',
  "a host that an outbound credential may be sent to: api.example.com, *.example.com, localhost:8080; '*' is any host",
] as const;

export const LIMITS = [
  [
    '--per-second <number>',
    'calls with an outbound credential in any second; 0.5 is one in two seconds',
    readLimit('--per-second'),
  ],
  ['--at-once <number>', 'calls with an outbound credential at a time', readLimit('--at-once')],
] as const;

/** @param expiresAt - ISO 8601, UTC; undefined if it is not known */
export const describeExpiry = (expiresAt: string | undefined): string =>
  expiresAt?.replace(/T00:00:00\.000Z$/, '') ?? '-';

/** As the API reads it. */
export const EXPIRES = [
  '--expires <date>',
  'when its value expires, such as 2027-01-31: a notice comes a week before, and on the day',
] as const;

export const CREATE_OPTIONS = [
  ['--type <type>', 'apiKey or basic for callers, or the type of an installed plugin', String, REQUIRED],
  ['--username <name>', 'user name, for the type basic', readUsername],
  PASSWORD_STDIN,
  ['--field <name=value...>', 'public fields of an outbound credential'],
  ['--preset <service>', `for the type oauth2: ${Object.keys(OAUTH2_PRESETS).join(', ')}`],
  HOST,
  ['--ref <arn>', 'a Secrets Manager secret with the secret fields'],
  ...LIMITS,
  EXPIRES,
] as const;

/** The options of `credential create`, for callers and outbound. */
export type CreateOptions = Options<typeof CREATE_OPTIONS>;
export type LimitOptions = Options<typeof LIMITS>;
export type RotateOptions = Options<readonly [typeof PASSWORD_STDIN, typeof EXPIRES]>;

export const findCredential = (id: string, { target }: TargetContext): Promise<ShownCredential> =>
  target.api.call('GET', `${CREDENTIALS}/${id}`);

/** Changes a credential. @throws CommandError with the problems that the API finds, named as the options are */
export const sendCredential = async <Body>(
  type: string,
  context: TargetContext,
  ...[method, path, body]: [method: string, path: string, body: object]
): Promise<Body> => {
  try {
    return await context.target.api.call<Body>(method, path, { body });
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'credential-invalid') throw error;
    const problems = error.members.errors as unknown as readonly CredentialProblem[];
    const isUsage = problems.every(({ pointer }) => pointer.startsWith('#/hosts/'));
    const message = problems.map((problem) => describeProblem(type, problem)).join('\n');
    throw isUsage ? usageError(message) : new CommandError(message);
  }
};

const describeProblem = (type: string, { pointer, detail }: CredentialProblem): string => {
  const [, list = '', name = ''] = pointer.split('/');
  if (list === 'hosts') return name === '' ? `${type}: ${detail}` : detail;
  if (list === 'limits') return `${name === '' ? 'limits' : name} ${detail}`;
  if (list === 'ref') return `--ref ${detail}`;
  if (list === 'expiresAt') return `--expires ${detail}`;
  return `${[`${type}:`, name === '' ? list : decodeURIComponent(name), detail].filter(Boolean).join(' ')}`;
};
