import {
  type AwsClient,
  type AwsOperation,
  type AwsRole,
  type LentCredential,
  NodeError,
} from '@hookloom/plugin-kit';
import { createCache } from '../../shared/cache.ts';
import { quote } from '../../shared/describe.ts';
import { createAwsCaller } from '../aws/aws-caller.ts';
import { createRoleSessions } from '../aws/role-sessions.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { createLoadSdk, type SdkClient, type SdkPackage } from './load-sdk.ts';
import { toNodeError } from './to-node-error.ts';
import { watchExchange } from './watch-exchange.ts';

export interface AwsSettings {
  /** The region of calls that name none. */
  readonly region: string;
  /**
   * ARN of the role for calls without a credential; null to use whatever the SDK finds, as on a developer's machine.
   */
  readonly role: string | null;
}

const MAX_CLIENTS = 20;
const CONNECTION_TIMEOUT_MS = 5_000;
/** A region is part of a host name. */
const REGION = /^[a-z0-9-]{1,40}$/;

export const openAwsClient = ({ region, role: ownRole }: AwsSettings): AwsClient => {
  const loadSdk = createLoadSdk();
  const findSession = createRoleSessions((at) => {
    const { AWS_ENDPOINT_URL_STS, AWS_ENDPOINT_URL } = process.env;
    const endpoint = AWS_ENDPOINT_URL_STS || AWS_ENDPOINT_URL || null; // as the SDK reads them
    return createAwsCaller({ service: 'sts', region: at, endpoint });
  }, systemClock);
  const findClient = createCache<SdkClient>({
    ttlMs: Number.POSITIVE_INFINITY,
    maxEntries: MAX_CLIENTS,
    clock: systemClock,
  });

  const openClient = (sdk: SdkPackage, { service, region: given, credential }: AwsOperation) => {
    const lent = credential === undefined ? null : readRole(credential);
    const role = lent ?? (ownRole === null ? null : { roleArn: ownRole, region });
    const configuration = {
      region: checkRegion(given ?? lent?.region ?? region),
      maxAttempts: 1, // settings.retry of the node makes the others
      useQueueUrlAsEndpoint: false, // for SQS, whose input would otherwise decide which host gets the signature
      requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS },
      // Called for each request. If absent, the SDK searches the environment, profiles and so on.
      ...(role === null ? {} : { credentials: () => findSession(role) }),
    };
    const key = JSON.stringify([service, configuration.region, role]);
    return findClient(key, async () => new sdk.Client(configuration));
  };

  return {
    send: async (operation) => {
      const { service, signal, timeoutMs, maxOutputBytes } = operation;
      const sdk = loadSdk(service);
      const command = sdk.createCommand(operation.operation, operation.input);
      const client = await openClient(sdk, operation);
      const exchange = watchExchange(command, `${service} ${operation.operation}`, {
        maxOutputBytes,
        checkUrl: (url) => operation.credential?.checkHost(url),
      });
      const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      try {
        const { $metadata: _metadata, ...output } = await client.send(command, { abortSignal });
        exchange.endLimit();
        return output;
      } catch (error) {
        signal.throwIfAborted();
        throw exchange.problem() ?? toNodeError(error, operation);
      }
    },
  };
};

const readRole = (credential: LentCredential): AwsRole => {
  const read = (name: 'externalId' | 'region') => {
    const value = credential.field(name);
    return value === '' ? {} : { [name]: value };
  };
  return { roleArn: credential.field('roleArn'), ...read('externalId'), ...read('region') };
};

const checkRegion = (region: string): string => {
  if (REGION.test(region)) return region;
  const message = `${quote(region)} is not a region: it must be a name such as eu-west-1`;
  throw new NodeError(message, { name: 'UnknownRegion', isRetryable: false });
};
