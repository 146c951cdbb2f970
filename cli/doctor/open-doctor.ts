import { promises as files } from 'node:fs';
import { type AwsCallerOptions, type CallAws, createAwsCaller } from '../../lib/adapters/aws/aws-caller.ts';
import { createLambdaPing, type PingAnswer } from '../../lib/adapters/aws/lambda-ping.ts';
import { toBlobPath } from '../../lib/adapters/blobs/folder-blobs.ts';
import type { DynamoDbClient } from '../../lib/adapters/dynamodb/client.ts';
import { purgeWorkflow } from '../../lib/adapters/dynamodb/health/purge-workflow.ts';
import type { TableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { randomIds } from '../../lib/adapters/runtime/random-ids.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { need } from '../../lib/app/compose/parts.ts';
import type { Config } from '../../lib/app/config.ts';

/** The doctor's own parts: direct access to the AWS APIs. */
export interface DoctorParts {
  /** Prefix of the names of the stage's resources: `SERVICE-STAGE`. */
  readonly prefix: string;
  /** Whether the stage is local: checks of AWS-only resources are skipped. */
  readonly isLocal: boolean;
  /** @param service - as in an endpoint's host name; with `bucket` for S3 */
  readonly open: (service: string, bucket?: string) => CallAws;
  readonly ping: (functionKey: string, deadlineMs: number) => Promise<PingAnswer>;
  /** Deletes a workflow and all its stored data. */
  readonly purge: (workflowId: string, executionIds: readonly string[]) => Promise<readonly string[]>;
  /** @param bucket - the stage's bucket; null on this machine */
  readonly removeBlob: (key: string, bucket: string | null) => Promise<void>;
}

interface Options extends Required<Pick<AwsCallerOptions, 'readCredentials'>> {
  readonly client: DynamoDbClient;
  readonly tables: TableNames;
}

/** A synchronous invocation may include a cold start and a whole run. */
const TIMEOUTS = { connectMs: 2_000, exchangeMs: 20_000 };

export const openDoctor = (config: Config, { client, tables, readCredentials }: Options): DoctorParts => {
  const { region, dynamodbEndpoint, lambdaEndpoint, sourcesEndpoint, blobFolder } = config;
  const prefix = need(config.tablePrefix, 'TABLE_PREFIX');
  const endpoints: Readonly<Record<string, string | null>> = {
    dynamodb: dynamodbEndpoint,
    lambda: lambdaEndpoint,
    sqs: sourcesEndpoint,
  };
  const open = (service: string, bucket?: string): CallAws =>
    createAwsCaller({
      service,
      region,
      endpoint: endpoints[service] ?? null,
      readCredentials,
      timeouts: TIMEOUTS,
      ...(bucket === undefined ? {} : { bucket }),
    });
  const ping = createLambdaPing(open('lambda'), { prefix, nextName: randomIds.next, now: systemClock.now });
  return {
    prefix,
    isLocal: dynamodbEndpoint !== null,
    open,
    ping,
    purge: (workflowId, executionIds) => purgeWorkflow(workflowId, executionIds, client, tables),
    removeBlob: async (key, bucket) => {
      if (blobFolder !== null) await files.rm(toBlobPath(blobFolder, key), { force: true });
      else if (bucket !== null) await open('s3', bucket)({ method: 'DELETE', path: `/${key}` });
    },
  };
};
