import type { Credential } from '../../lib/credentials/credential.ts';
import type { TargetContext } from './command.ts';
import { usageError } from './command-error.ts';
import {
  CREDENTIALS,
  type CreateOptions,
  type Inbound,
  type RotateOptions,
  sendCredential,
} from './credential-api.ts';
import type { Io } from './io.ts';

// Secrets that callers of webhooks present. The service generates them and stores their hashes; they are printed once.

export const INBOUND: readonly Credential['type'][] = ['apiKey', 'basic'];

/** @throws CommandError for options that don't belong together */
export const checkInboundOptions = ({
  type,
  username,
  passwordStdin,
  preset: _preset,
  expires: _expires,
  ...ofOutbound
}: CreateOptions): void => {
  if (Object.values(ofOutbound).some((given) => given !== undefined))
    throw usageError('--field, --host, --ref, --per-second and --at-once are for outbound credentials');
  if (type === 'basic' && !username) throw usageError('--type basic needs --username NAME');
  if (type === 'apiKey' && (username !== undefined || passwordStdin === true))
    throw usageError('An API key is generated and has no user name');
};

export const createInbound = async (
  id: string,
  { type, username, passwordStdin, expires }: CreateOptions,
  context: TargetContext,
): Promise<void> => {
  const password = passwordStdin === true ? await readPassword(context.io) : undefined;
  const body = { type, username, password, expiresAt: expires };
  const path = `${CREDENTIALS}/${id}`;
  printSecret(await sendCredential<StoredInbound>(type, context, 'PUT', path, body), context);
};

export const rotateInbound = async (
  { id, type }: Inbound,
  { passwordStdin, expires }: RotateOptions,
  context: TargetContext,
): Promise<void> => {
  if (type === 'apiKey' && passwordStdin === true) throw usageError('An API key is generated');
  const password = passwordStdin === true ? await readPassword(context.io) : undefined;
  const body = { password, expiresAt: expires };
  const path = `${CREDENTIALS}/${id}/rotate`;
  printSecret(await sendCredential<StoredInbound>(type, context, 'POST', path, body), context);
};

interface StoredInbound extends Inbound {
  /** The id of the new secret. */
  readonly secretId: string;
  /** Absent if a person chose it. */
  readonly newSecret?: string;
}

const printSecret = ({ id, secretId, secrets, newSecret }: StoredInbound, { io }: TargetContext): void => {
  io.note(`${id}: secret ${secretId} is live, ${secrets.length} in total`);
  if (newSecret === undefined) return;
  io.note('It is shown only this once:');
  io.print(newSecret);
};

/** @param secretId - undefined for all */
export const revokeSecret = async (
  id: string,
  secretId: string | undefined,
  context: TargetContext,
): Promise<void> => {
  const { io, target } = context;
  const body = secretId === undefined ? { all: true } : { secretId };
  const { secrets } = await target.api.call<Inbound>('POST', `${CREDENTIALS}/${id}/revoke`, { body });
  io.print(`${id}: ${secrets.length} live secrets`);
  if (secrets.length === 0) io.note('It authenticates no callers now: they get 503 until it is rotated.');
};

const readPassword = async (io: Io): Promise<string> => (await io.readStdin()).replace(/\r?\n$/, '');
