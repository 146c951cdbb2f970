import { type AwsCallerOptions, createAwsCaller, readEnvironment } from '../../adapters/aws/aws-caller.ts';
import { createKeySigner, openRoleSigner } from '../../adapters/aws/role-signer.ts';
import { createOutboundCredentialStore } from '../../adapters/dynamodb/credential-stores.ts';
import { createCallLimitStore } from '../../adapters/dynamodb/limits/call-limit-store.ts';
import { createRenewalLocks } from '../../adapters/dynamodb/limits/renewal-locks.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import { createAwsSecretStore, createParameterStore } from '../../adapters/secrets/aws-secret-store.ts';
import { createFolderSecretStore } from '../../adapters/secrets/folder-secret-store.ts';
import { parseHostLimits } from '../../credentials/outbound/host-limits.ts';
import {
  createOutboundCredentials,
  type OutboundCredentials,
} from '../../credentials/outbound/outbound-credentials.ts';
import type { OutboundPorts } from '../../credentials/outbound/ports.ts';
import type { SecretStore } from '../../credentials/outbound/secret-store.ts';
import { testCredential } from '../../credentials/outbound/test-credential.ts';
import type { Config } from '../config.ts';

type ReadKeys = NonNullable<AwsCallerOptions['readCredentials']>;

type CredentialParts = StageTables & Pick<OutboundPorts, 'http' | 'tcp' | 'findType'>;

export const openCredentials = (config: Config, parts: CredentialParts): OutboundCredentials =>
  createOutboundCredentials(openCredentialParts(config, parts));

/** The live tests of credentials, on demand. */
export const openCredentialTests = (config: Config, parts: CredentialParts) => {
  const opened = openCredentialParts(config, parts);
  return {
    find: opened.store.find,
    test: (id: string, signal: AbortSignal) => testCredential(id, opened, signal),
  };
};

/** Opens the parts of outbound credentials. @param readKeys - AWS keys; those of the environment by default */
export const openCredentialParts = (
  config: Config,
  { client, tables, http, tcp, findType }: CredentialParts,
  readKeys: ReadKeys = readEnvironment,
): OutboundPorts => ({
  store: createOutboundCredentialStore(client, tables),
  secrets: openSecrets(config, readKeys),
  locks: createRenewalLocks(client, tables),
  limits: createCallLimitStore(client, tables),
  hostLimits: parseHostLimits(config.outboundLimits),
  findType,
  http,
  tcp,
  clock: systemClock,
  random: Math.random,
  signWithRole:
    config.secretsFolder === null ? openRoleSigner(systemClock, { readCredentials: readKeys }) : undefined,
  signWithKeys: createKeySigner(systemClock),
});

/** Opens the store of secrets. @param readCredentials - AWS keys; those of the environment by default */
export const openSecrets = (
  { secretsFolder, region, tablePrefix }: Config,
  readCredentials: ReadKeys = readEnvironment,
): SecretStore => {
  if (secretsFolder !== null) return createFolderSecretStore(secretsFolder);
  const call = (service: string, inRegion: string) =>
    createAwsCaller({ service, region: inRegion, endpoint: null, readCredentials });
  return createAwsSecretStore({
    parameters: createParameterStore(call('ssm', region), `/${tablePrefix}/credentials`, {
      clock: systemClock,
      random: Math.random,
    }),
    callSecretsManager: (inRegion) => call('secretsmanager', inRegion),
  });
};
