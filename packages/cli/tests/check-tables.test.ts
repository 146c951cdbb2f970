import { expect, test } from '@jest/globals';
import type { AwsRequest } from '../../../lib/adapters/aws/aws-caller.ts';
import { readTableDefinitions } from '../../local/database/tables.ts';
import type { DoctorParts } from '../doctor/ask-aws.ts';
import { checkTables } from '../doctor/check-stores.ts';

/** The tables of serverless.yml in AWS; those that are named have no point-in-time recovery. */
const aDatabase = (unrecovered: readonly string[]): Pick<DoctorParts, 'prefix' | 'open'> => {
  const tables = new Map(readTableDefinitions('test').map((table) => [table.TableName, table]));
  const answer = (operation: string, name: string): object => {
    const PointInTimeRecoveryStatus = unrecovered.includes(name) ? 'DISABLED' : 'ENABLED';
    const answers: Readonly<Record<string, object>> = {
      DescribeTable: { Table: tables.get(name) ?? {} },
      DescribeContinuousBackups: {
        ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus } },
      },
      DescribeTimeToLive: {
        TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'expiresAt' },
      },
    };
    return answers[operation] ?? {};
  };
  const call = async ({ headers = {}, body = '' }: AwsRequest) => {
    const operation = String(headers['x-amz-target']).replace(/^.*\./, '');
    const { TableName } = JSON.parse(String(body));
    const found = Buffer.from(JSON.stringify(answer(operation, TableName)));
    return { status: 200, headers: {}, body: found, tries: 1, throttles: 0 };
  };
  return { prefix: 'test', open: () => call };
};

test('all tables need point-in-time recovery, except those that expiry empties', async () => {
  const look = async (...unrecovered: string[]) => checkTables(aDatabase(unrecovered) as DoctorParts);
  expect((await look('test-deliveries', 'test-requests')).map(({ status }) => status)).toEqual(['ok']);
  for (const name of ['workflows', 'workflow-versions', 'credentials', 'executions', 'registrations'])
    expect(await look(`test-${name}`)).toEqual([
      expect.objectContaining({
        status: 'wrong',
        message: `test-${name} has no point-in-time recovery`,
      }),
    ]);
});
