import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { lazy } from '@hookloom/plugin-kit';
import { type CallAws, createAwsCaller } from '../../lib/adapters/aws/aws-caller.ts';
import { createLambdaPing } from '../../lib/adapters/aws/lambda-ping.ts';
import { randomIds, systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { type AdminApi, createAdminApi, createSendToApi } from './admin-api.ts';
import { CommandError, EXIT, type StageOptions } from './command-error.ts';
import type { DoctorParts } from './doctor/ask-aws.ts';
import { findApiUrl } from './find-api-url.ts';
import { readHookloomFile } from './hookloom-file.ts';
import { type LocalServiceInfo, readServiceInfo } from './local/local-service.ts';
import { homeFolder, isInstalled } from './local/project-folder.ts';
import { createSendBytes, type SendBytes } from './signed-requests.ts';

/** The service that commands work on: a deployed stage, or the local service. */
export interface Target {
  readonly api: AdminApi;
  /** Sends requests to the same API as they are. */
  readonly sendBytes: SendBytes;
  /** Opens an API of AWS, or what stands for it on this machine. @param service - as in an endpoint's host name */
  readonly openAws: (service: string) => CallAws;
  readonly doctor: DoctorParts;
  /** Prefix of the names of tables and functions: `SERVICE-STAGE`. */
  readonly tablePrefix: string;
  /** URL of a DynamoDB on this machine; null for AWS's own. */
  readonly dynamodbEndpoint: string | null;
  /** URL of the local service; null for a deployed stage. */
  readonly baseUrl: string | null;
}

interface TargetOptions extends StageOptions {
  /** The origin of the API; for a stage, otherwise found by its stack. */
  readonly url?: string | undefined;
}

export type OpenTarget = (options: TargetOptions) => Target | Promise<Target>;

/**
 * Connects to the named stage with the AWS credentials of the environment, or to the local service if none is named.
 *
 * @throws CommandError when no local service is up, or a stage has no region
 */
export const openTarget = async ({ stage, region, profile, url }: TargetOptions): Promise<Target> => {
  if (profile !== undefined) process.env.AWS_PROFILE = profile;
  if (stage !== undefined) {
    const named = region ?? readHookloomFile(homeFolder()).stages[stage]?.region;
    process.env.AWS_REGION = named ?? (await findRegion()); // of all clients, with and without the SDK
    return connectTarget({ tablePrefix: `hookloom-${stage}`, ...(url === undefined ? {} : { apiUrl: url }) });
  }
  const service = readServiceInfo();
  if (service === null) {
    const { HOOKLOOM_PORT: port = '' } = process.env;
    throw new CommandError(
      `No local service is running${port === '' ? '' : ` on port ${port}`}. Start it with \`${isInstalled() ? 'npx hookloom start' : 'npm start'}\`, or name a deployed stage: --stage NAME`,
    );
  }
  return connectTarget(service);
};

/** Any client of the SDK finds region and credentials: in the environment, profiles, and single sign-on. */
export const openSdk = async (): Promise<DynamoDBClient> => {
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
  // Passed on to what reads the files of profiles: otherwise, it would read each only once.
  const options: DynamoDBClientConfig & { readonly ignoreCache: true } = { ignoreCache: true };
  return new DynamoDBClient(options);
};

/** Finds the region as the SDK does: in the environment, then in the profile. */
export const findRegion = async (): Promise<string> => {
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const region = AWS_REGION || AWS_DEFAULT_REGION;
  if (region !== undefined && region !== '') return region;
  const sdk = await openSdk();
  try {
    return await sdk.config.region();
  } catch {
    throw new CommandError(
      "No AWS region: name the stage's region with --region NAME, or set AWS_REGION.",
      EXIT.usage,
    );
  } finally {
    sdk.destroy();
  }
};

/** The addresses of a local service, or a stage. */
interface Connection
  extends Pick<LocalServiceInfo, 'tablePrefix'>,
    Partial<Pick<LocalServiceInfo, 'dynamodbEndpoint' | 'engineEndpoint' | 'sourcesEndpoint' | 'baseUrl'>> {
  /** Origin of a stage's API; found by its stack if absent. */
  readonly apiUrl?: string;
}

/** A synchronous invocation may include a cold start and a whole run. */
const TIMEOUTS = { connectMs: 2_000, exchangeMs: 20_000 };

/** @internal */
export const connectTarget = ({
  tablePrefix,
  dynamodbEndpoint,
  engineEndpoint,
  sourcesEndpoint,
  baseUrl,
  apiUrl,
}: Connection): Target => {
  const region = process.env.AWS_REGION ?? 'local';
  const loadSdk = lazy(openSdk);
  const local = { accessKeyId: 'local', secretAccessKey: 'local' };
  const isLocal = dynamodbEndpoint !== undefined;
  const readCredentials = async (isAgain = false) =>
    isLocal ? local : (await loadSdk()).config.credentials({ forceRefresh: isAgain });
  const endpoints: Readonly<Record<string, string | undefined>> = {
    dynamodb: dynamodbEndpoint,
    lambda: engineEndpoint,
    sqs: sourcesEndpoint,
    events: sourcesEndpoint,
  };
  const openAws = (service: string): CallAws =>
    createAwsCaller({
      service,
      region,
      endpoint: endpoints[service] ?? null,
      readCredentials,
      timeouts: TIMEOUTS,
    });
  const aws = { region, readCredentials };
  const findUrl = lazy(async () => baseUrl ?? apiUrl ?? findApiUrl(tablePrefix, aws));
  const sendBytes = createSendBytes({ findUrl, signing: baseUrl === undefined ? aws : null });
  return {
    api: createAdminApi(createSendToApi({ sendBytes })),
    sendBytes,
    openAws,
    doctor: {
      prefix: tablePrefix,
      isLocal,
      open: openAws,
      ping: createLambdaPing(openAws('lambda'), {
        prefix: tablePrefix,
        nextName: randomIds.next,
        now: systemClock.now,
      }),
    },
    tablePrefix,
    dynamodbEndpoint: dynamodbEndpoint ?? null,
    baseUrl: baseUrl ?? null,
  };
};
