import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from '@jest/globals';
import { createListDefinitions } from '../../lib/adapters/dynamodb/health/health-reads.ts';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { createRegistrationStore } from '../../lib/adapters/dynamodb/registrations/registration-store.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { connectTarget } from '../../packages/cli/target.ts';
import { useCommandLine } from './a-command-line.ts';
import { useWholeServices, type WholeServiceOptions } from './a-whole-service.ts';
import { openTestStores } from './test-database.ts';

/** Ten seconds of the doctor pass in one. */
const aFastClock = () => {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * 10,
    sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms / 10)),
  };
};

interface Look {
  readonly status: string;
  readonly lines: readonly {
    readonly check: string;
    readonly status: string;
    readonly message: string;
    readonly remedy: string | null;
  }[];
}

/** The doctor, and the whole service that it looks at. */
export const useDoctors = () => {
  const openService = useWholeServices();
  const openCommandLine = useCommandLine();

  /** @param endpoints - of the doctor itself, in place of the service's */
  return async (
    options: WholeServiceOptions = {},
    endpoints: Readonly<
      Partial<Record<'dynamodbEndpoint' | 'engineEndpoint' | 'sourcesEndpoint' | 'baseUrl', string>>
    > = {},
  ) => {
    const service = await openService(options);
    const { dynamodbEndpoint, engineEndpoint, sourcesEndpoint, baseUrl } = service;
    const target = (changes = {}) =>
      connectTarget({
        dynamodbEndpoint,
        engineEndpoint,
        sourcesEndpoint,
        baseUrl,
        tablePrefix: 'test',
        ...changes,
      });
    const used = { ...endpoints };
    const { call } = await openCommandLine({
      hasDatabase: false,
      openTarget: () => target(used),
      clock: aFastClock(),
    });
    const database = {
      client: createJsonClient({ region: 'local', endpoint: dynamodbEndpoint }),
      tables: tableNames('test'),
    };
    const stores = openTestStores(database);
    return {
      ...service,
      target,
      stores,
      /** What is stored of probes: ids of workflows, also of removed ones, and names of registrations. */
      leftovers: async () => {
        const { ids } = await createListDefinitions(database.client, database.tables, { maxPages: 10 })();
        const registrations = await createRegistrationStore(
          database.client,
          database.tables,
          systemClock,
        ).list();
        return [...ids, ...registrations.map(({ name }) => name)];
      },
      doctor: (more = '') => call(`doctor ${more}`),
      /** What it finds, without what is in order. */
      findings: async (more = '', others: Partial<typeof endpoints> = {}) => {
        Object.assign(used, others);
        const { code, out } = await call(`doctor --json ${more}`);
        const { lines } = JSON.parse(out) as Look;
        return { code, lines: lines.filter(({ status }) => status !== 'ok' && status !== 'skipped') };
      },
    };
  };
};

/** A service that takes requests and answers none. */
export const useSilentServices = () => {
  const cleanups: (() => void)[] = [];
  afterEach(() => {
    for (const cleanup of cleanups.splice(0)) cleanup();
  });

  return async (): Promise<string> => {
    const server = createServer((request) => void request.resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
};

/** A service of AWS that denies everything, as DynamoDB and Lambda do. */
export const useDenials = () => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });

  return async (principal: string, action: string, resource: string): Promise<string> => {
    const message = `User: ${principal} is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`;
    const status = action.startsWith('dynamodb') ? 400 : 403;
    const body = { __type: 'com.amazon.coral.service#AccessDeniedException', message, Message: message };
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(status).end(JSON.stringify(body)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
};
