import type { DescribedCredential } from '../../lib/app/edit-credentials.ts';
import type { CredentialProblem } from '../../lib/credentials/outbound/outbound-rules.ts';
import type { UsingNode } from '../../lib/workflows/definition/find-users.ts';
import { ApiProblem } from './admin-api.ts';
import type { TargetContext } from './command-context.ts';
import { CommandError, usageError } from './command-error.ts';

export const CREDENTIALS = '/api/admin/credentials';

export type Inbound = Extract<DescribedCredential, { direction: 'inbound' }>;
export type Outbound = Extract<DescribedCredential, { direction: 'outbound' }>;
export type ShownCredential = DescribedCredential & { readonly users: readonly UsingNode[] };

/** The options of `credential create`, of both kinds. */
export interface CreateOptions extends PasswordOptions, LimitOptions {
  readonly type: string;
  readonly username?: string;
  /** The public fields of the credential, each as `name=value`. */
  readonly field?: readonly string[];
  /** A name in `OAUTH2_PRESETS`. */
  readonly preset?: string;
  /** ARN of a secret of Secrets Manager. */
  readonly ref?: string;
  /** Patterns of the hosts that the credential may be sent to. */
  readonly host?: readonly string[];
}

/** Limits on the calls of an outbound credential. */
export interface LimitOptions {
  readonly perSecond?: number;
  readonly atOnce?: number;
}

export interface PasswordOptions {
  readonly passwordStdin?: true;
}

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
  return `${[`${type}:`, name === '' ? list : decodeURIComponent(name), detail].filter(Boolean).join(' ')}`;
};
