import { type CredentialFields, toOauth2Fields } from '@hookloom/plugin-kit';
import type { testCredentialRoute } from '../../lib/app/health.ts';
import { type CallLimits, describeLimits } from '../../lib/credentials/limits/call-limits.ts';
import {
  ANY_HOST,
  findAddedHosts,
  hostOfUrl,
  readHostPattern,
} from '../../lib/credentials/outbound/host-pattern.ts';
import { parseSecret } from '../../lib/credentials/outbound/load-credential.ts';
import {
  askedFieldsOf,
  describeHosts,
  EXAMPLES,
  publicFieldsOf,
  readAnnotation,
} from '../../lib/credentials/outbound/outbound-rules.ts';
import { isBound } from '../../lib/credentials/outbound/secret-store.ts';
import type { AnswerTo } from '../../lib/http/api-route.ts';
import type { CredentialTypeDescription } from '../../lib/plugins/reference/describe-plugin.ts';
import { didYouMean } from '../../lib/shared/describe.ts';
import { findNearest } from '../../lib/shared/near-name.ts';
import { OAUTH2_PRESETS } from '../authoring/oauth2-presets.ts';
import { ApiProblem } from './admin-api.ts';
import type { TargetContext } from './command.ts';
import { CommandError, usageError } from './command-error.ts';
import {
  CREDENTIALS,
  type CreateOptions,
  findCredential,
  type LimitOptions,
  type Outbound,
  type RotateOptions,
  type ShownCredential,
  sendCredential,
} from './credential-api.ts';
import { INBOUND } from './inbound-credentials.ts';
import type { Io } from './io.ts';

// Secrets that nodes lend to the services that they call, with the hosts to which they may be sent.

const TYPES = '/api/admin/credential-types';

const findOutbound = async (id: string, context: TargetContext): Promise<Outbound & ShownCredential> => {
  const found = await findCredential(id, context);
  if (found.direction === 'outbound') return found;
  throw new CommandError(`${id} is for callers: see credential revoke.`);
};

/** @throws CommandError that lists the types */
const findType = async (name: string, { target }: TargetContext): Promise<CredentialTypeDescription> => {
  const { api } = target;
  const listed = await api.list<{ readonly id: string }>(TYPES, 'credentialTypes');
  const names = [...INBOUND, ...listed.map(({ id }) => id)];
  if (listed.some(({ id }) => id === name)) return api.call('GET', `${TYPES}/${encodeURIComponent(name)}`);
  throw usageError(
    `There is no credential type "${name}"${didYouMean(findNearest(name, names))} Types: ${names.join(', ')}`,
  );
};

export const createOutbound = async (
  id: string,
  { type: name, preset, ...options }: CreateOptions,
  context: TargetContext,
): Promise<void> => {
  const { io, target } = context;
  const { field, host } = completeByPreset(name, preset, options);
  const { ref } = options;
  const type = await findType(name, context);
  if (ref !== undefined && target.baseUrl !== null)
    throw usageError("--ref needs --stage NAME: the local service can't read AWS secrets");
  if (io.isTerminal) await refuseTaken(id, context); // before anything is typed
  const fields = readPublicFields(type, field);
  const hosts = await nameHosts(type, fields, host, io);
  const isSignedIn = type.hasSignIn && (name !== 'oauth2' || fields.grant === 'authorizationCode');
  const secrets = ref !== undefined ? undefined : isSignedIn ? {} : await readSecrets(type, io);
  const limits = toLimits(options);
  const body = { type: name, fields, secrets, ref, hosts, limits, expiresAt: options.expires };
  const stored = await sendCredential<Outbound>(name, context, 'PUT', `${CREDENTIALS}/${id}`, body);
  const where = stored.hosts?.length === 0 ? '' : `, for ${describeHosts(stored.hosts)}`;
  io.note(`${id}: created, of the type ${name}${where}; its secret is in ${stored.reference}`);
  if (isSignedIn) io.note(`${id}: sign in with credential connect ${id}`);
  warnOfAnyHost(stored, io);
};

/** Adds what a preset knows before what is given, which wins. @throws CommandError */
const completeByPreset = (
  type: string,
  name: string | undefined,
  { field = [], host }: Pick<CreateOptions, 'field' | 'host'>,
): { readonly field: readonly string[]; readonly host: readonly string[] | undefined } => {
  if (name === undefined) return { field, host };
  if (type !== 'oauth2') throw usageError('--preset is for the type oauth2');
  const preset = Object.hasOwn(OAUTH2_PRESETS, name) ? OAUTH2_PRESETS[name] : undefined;
  const names = Object.keys(OAUTH2_PRESETS);
  if (preset === undefined)
    throw usageError(
      `There is no preset "${name}"${didYouMean(findNearest(name, names))} Presets: ${names.join(', ')}`,
    );
  const { hosts, name: _service, ...server } = preset;
  const fields = Object.entries(toOauth2Fields(server, {})).map(([key, value]) => `${key}=${value}`);
  return { field: [...fields, ...field], host: host ?? hosts };
};

const refuseTaken = async (id: string, context: TargetContext): Promise<void> => {
  try {
    await findCredential(id, context);
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'credential-not-found') return;
    throw error;
  }
  throw new CommandError(`The credential ${id} already exists; rotate it, or choose another id.`);
};

const warnOfAnyHost = ({ id, hosts }: Outbound, io: Io): void => {
  if (hosts?.includes(ANY_HOST))
    io.note(
      io.paint(
        'yellow',
        `${id}: this credential is sent to any URL, even one that a workflow computes from its input`,
      ),
    );
};

export const rotateOutbound = async (
  { id, type: name, reference }: Outbound,
  { expires: expiresAt }: RotateOptions,
  context: TargetContext,
) => {
  if (isBound(reference))
    throw new CommandError(`Rotate the secret of ${id} where it is stored: ${reference}`);
  const type = await findType(name, context);
  const secrets = await readSecrets(type, context.io, 'leave empty to keep');
  await sendCredential(name, context, 'POST', `${CREDENTIALS}/${id}/rotate`, { secrets, expiresAt });
  context.io.note(`${id}: rotated; every sandbox uses the new secret within a minute`);
};

export const changeHosts = async (
  id: string,
  context: TargetContext,
  { host }: Pick<CreateOptions, 'host'>,
): Promise<void> => {
  const { io } = context;
  const { type: name, fields, hosts: before, reference } = await findOutbound(id, context);
  const type = await findType(name, context);
  const hosts = await nameHosts(type, fields, host, io);
  const added = findAddedHosts(
    before,
    (hosts ?? []).map((one) => readHostPattern(one) ?? one),
  );
  let secrets: CredentialFields | undefined;
  if (added.length > 0 && !isBound(reference)) {
    io.note(
      `${describeHosts(added)} would get the secret: give all of its fields again, they replace the stored ones`,
    );
    secrets = await readSecrets(type, io);
  }
  const path = `${CREDENTIALS}/${id}/hosts`;
  const changed = await sendCredential<Outbound>(name, context, 'POST', path, { hosts, secrets });
  const shown =
    changed.hosts?.length === 0
      ? 'for no host: its fields are passed to nodes'
      : `for ${describeHosts(changed.hosts)}`;
  io.print(`${id}: ${shown}; takes effect in every sandbox within a minute`);
  warnOfAnyHost(changed, io);
};

/** The limits of options; undefined if there are none. */
export const toLimits = ({ perSecond, atOnce }: LimitOptions): CallLimits | undefined =>
  perSecond === undefined && atOnce === undefined ? undefined : { perSecond, atOnce };

/** Removes the limits if there are none in the options. */
export const changeLimits = async (
  id: string,
  context: TargetContext,
  options: LimitOptions,
): Promise<void> => {
  const limits = toLimits(options) ?? null;
  const { type } = await findOutbound(id, context);
  const path = `${CREDENTIALS}/${id}/limits`;
  const changed = await sendCredential<Outbound>(type, context, 'POST', path, { limits });
  const shown = changed.limits === undefined ? 'without limits' : describeLimits(changed.limits);
  context.io.print(`${id}: ${shown}; takes effect in every sandbox within a minute`);
};

/** Runs in the service: its network and permissions are what matters. */
export const testCredential = async (id: string, context: TargetContext): Promise<void> => {
  const { io, target } = context;
  await findOutbound(id, context);
  const path = `${CREDENTIALS}/${id}/test`;
  const { status, message } = await target.api.call<AnswerTo<typeof testCredentialRoute>>('POST', path);
  if (status === 'untested') return io.note(`${id}: ${message}`);
  const line = `${id}: ${status}${message === undefined ? '' : `, ${message}`}`;
  if (status === 'unhealthy') throw new CommandError(line);
  io.print(line);
};

/**
 * The hosts named by the operator: with options, or, if the type does not define them, on a terminal.
 *
 * @returns undefined for the hosts of the type, or the host of `testUrl`
 */
const nameHosts = async (
  { id, hosts: rule }: CredentialTypeDescription,
  { testUrl = '' }: CredentialFields,
  given: readonly string[] | undefined,
  io: Io,
): Promise<readonly string[] | undefined> => {
  if (rule === 'none' && given !== undefined)
    throw usageError(`${id} passes its fields to nodes and is never added to a request: remove --host`);
  if (given !== undefined || rule !== 'named') return given;
  const proposal = hostOfUrl(testUrl);
  if (!io.isTerminal) {
    if (proposal !== null) return undefined;
    throw usageError(
      `--host NAME is required: the host that the credential may be sent to, such as ${EXAMPLES}. Repeat --host for several hosts; --host '*' allows any host`,
    );
  }
  const hint = proposal === null ? '' : ` (${proposal} if empty)`;
  const answer = await io.ask(`Allowed hosts, such as ${EXAMPLES}, separated by spaces${hint}: `);
  const typed = answer.split(/[\s,]+/).filter((host) => host !== '');
  if (typed.length === 0 && proposal === null)
    throw new CommandError('A credential must name its allowed hosts; * allows any host.');
  return typed.length === 0 ? undefined : typed;
};

/** The public fields that are given as options. */
const readPublicFields = (type: CredentialTypeDescription, given: readonly string[]): CredentialFields => {
  const names = publicFieldsOf(type);
  const fields = given.map((text) => {
    const at = text.indexOf('=');
    const name = at < 0 ? text : text.slice(0, at);
    if (type.secretFields.includes(name))
      throw usageError(
        `${name} is secret: it is prompted for or read from standard input, never passed as an option`,
      );
    if (!names.includes(name))
      throw usageError(
        `${type.id} has no field "${name}"${didYouMean(findNearest(name, names))} Fields: ${names.join(', ')}`,
      );
    if (at < 0) throw usageError(`--field ${name} needs a value: ${name}=VALUE`);
    return [name, text.slice(at + 1)] as const;
  });
  return Object.fromEntries(fields);
};

/**
 * Prompts for the secret fields on a terminal, without echo; otherwise reads JSON from standard input, or the only field that
 * is secret or must be given.
 */
const readSecrets = async (
  type: CredentialTypeDescription,
  io: Io,
  whenEmpty = 'none if empty',
): Promise<CredentialFields> => {
  const names = askedFieldsOf(type);
  if (names.length === 0) return {};
  const required = Array.isArray(type.schema.required) ? type.schema.required : [];
  if (!io.isTerminal) {
    const text = (await io.readStdin()).replace(/\r?\n$/, '');
    const needed = names.filter((name) => required.includes(name));
    const { schema } = type;
    const whole = parseSecret(text, { secretFields: names, schema });
    const secret =
      whole ?? (needed.length === 1 ? parseSecret(text, { secretFields: needed, schema }) : null);
    if (secret !== null) return secret;
    const example = JSON.stringify(Object.fromEntries(names.map((name) => [name, '…'])));
    throw new CommandError(`Standard input has no secret of the type ${type.id}: it must be ${example}`);
  }
  const fields: [string, string][] = [];
  for (const name of names) {
    const hint = required.includes(name) && whenEmpty !== 'leave empty to keep' ? '' : ` (${whenEmpty})`;
    const description = String(readAnnotation(type, name, 'description') ?? name);
    const value = await io.askSecret(`${description}${hint}: `);
    if (value !== '') fields.push([name, value]);
  }
  return Object.fromEntries(fields);
};
