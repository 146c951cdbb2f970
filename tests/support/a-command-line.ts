import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from '@jest/globals';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { createAdminApi } from '../../packages/cli/admin-api.ts';
import type { Io } from '../../packages/cli/io.ts';
import {
  loadPlugins as loadInstalled,
  loadNodeTypes as loadInstalledNodeTypes,
} from '../../packages/cli/plugins/node-types.ts';
import { type CommandLine, runCommand } from '../../packages/cli/run.ts';
import { connectTarget } from '../../packages/cli/target.ts';
import { openSampleStores } from '../../packages/local/samples/sample-stores.ts';
import { anAdminApi, type Others } from './an-admin-api.ts';
import type { LocalValues } from './function-environment.ts';
import { openTestStores, useTestDatabases } from './test-database.ts';

/** A DynamoDB that is not there. */
const nowhere = () => {
  const endpoint = 'http://127.0.0.1:1';
  return { endpoint, client: createJsonClient({ region: 'local', endpoint }), tables: tableNames('test') };
};

/**
 * The command line in this process, against a DynamoDB of the test's own: `hasDatabase` is false for commands that use
 * none, since its start takes longer than most of them.
 */
export const useCommandLine = () => {
  const openDatabase = useTestDatabases();
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  return async ({
    openTarget,
    loadNodeTypes = loadInstalledNodeTypes,
    loadPlugins = loadInstalled,
    hasDatabase = true,
    engineEndpoint,
    spoil = () => ({}),
    values = {},
    isStage = false,
    columns = null,
    browse = () => {},
    clock = { now: () => Date.parse('2026-11-20T12:00:00.000Z'), sleep: async () => {} },
  }: Partial<Omit<CommandLine, 'io'>> & {
    readonly hasDatabase?: boolean;
    /** Of Lambda's API; AWS's own when absent. */
    readonly engineEndpoint?: string;
    /** What functions of the admin API have in place of their parts. */
    readonly spoil?: (stores: ReturnType<typeof openTestStores>) => Others;
    /** Settings of these functions. */
    readonly values?: LocalValues;
    /** Whether the target is a deployed stage. */
    readonly isStage?: boolean;
    /** Of the terminal; null for none. */
    readonly columns?: number | null;
    /** What the browser does with an address; nothing by default. */
    readonly browse?: Io['browse'];
    /** By default, the time stands still. */
    readonly clock?: Pick<Io, 'now' | 'sleep'>;
  } = {}) => {
    const database = hasDatabase ? await openDatabase() : nowhere();
    const { endpoint } = database;
    const folder = mkdtempSync(join(tmpdir(), 'hookloom-cli-'));
    folders.push(folder);
    const secretsFolder = join(folder, 'secrets');
    const blobFolder = join(folder, 'blobs');
    const { credentials, outbound } = openSampleStores({
      dynamodbEndpoint: endpoint,
      tablePrefix: 'test',
      secretsFolder,
    });
    const stores = { ...openTestStores(database), credentials, outbound };

    /** The requests to the admin API: `GET /api/admin/workflows`. */
    const asked: string[] = [];
    /** The addresses that a browser was to open. */
    const browsed: string[] = [];
    const ask = anAdminApi(
      {
        DYNAMODB_ENDPOINT: endpoint,
        SECRETS_FOLDER: secretsFolder,
        BLOB_FOLDER: blobFolder,
        ...(engineEndpoint === undefined ? {} : { AWS_ENDPOINT_URL_LAMBDA: engineEndpoint }),
        ...values,
      },
      spoil(stores),
    );

    const api = createAdminApi((method, address, request) => {
      asked.push(`${method} ${address.split('?')[0]}`);
      return ask(method, address, request);
    });

    /**
     * @param args - a text is split at its spaces
     * @param input - standard input; or what is typed on a terminal, one answer after the other
     */
    const call = async (
      args: string | readonly string[],
      input: string | readonly (string | (() => Promise<string>))[] = '',
    ) => {
      const answers = typeof input === 'string' ? null : [...input];
      const stdin = typeof input === 'string' ? input : '';
      const printed: string[] = [];
      const noted: string[] = [];
      const answer = async (question: string) => {
        noted.push(question);
        const next = answers?.shift() ?? '';
        return typeof next === 'string' ? next : next();
      };
      const io: Io = {
        print: (text) => printed.push(text),
        note: (text) => noted.push(text),
        readStdin: async () => stdin,
        isTerminal: answers !== null,
        ask: answer,
        askSecret: answer,
        columns,
        env: {},
        paint: (_format, text) => text,
        paintOut: (_format, text) => text,
        ...clock,
        untilInterrupted: () => AbortSignal.abort(),
        browse: (address) => {
          browsed.push(address);
          browse(address);
        },
      };
      const code = await runCommand(typeof args === 'string' ? args.split(' ').filter(Boolean) : args, {
        io,
        openTarget:
          openTarget ??
          (() => ({
            ...connectTarget({
              dynamodbEndpoint: endpoint,
              tablePrefix: 'test',
              ...(isStage ? {} : { baseUrl: 'http://localhost:3000' }),
              ...(engineEndpoint === undefined ? {} : { engineEndpoint }),
            }),
            api,
          })),
        loadNodeTypes,
        loadPlugins,
        openLocal: () => Promise.reject(new Error('it called the service')),
      });
      return { code, out: printed.join('\n'), err: noted.join('\n') };
    };

    const file = (name: string, content: unknown): string => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
      return path;
    };
    const target = () => ({
      ...connectTarget({ dynamodbEndpoint: endpoint, tablePrefix: 'test' }),
      api,
    });
    return { call, file, target, stores, secretsFolder, blobFolder, endpoint, asked, browsed };
  };
};
