import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from '@jest/globals';
import { createAdminApi } from '../../cli/admin-api.ts';
import type { Io } from '../../cli/io.ts';
import {
  loadCredentialTypes,
  loadPlugins as loadInstalled,
  loadNodeTypes as loadInstalledNodeTypes,
} from '../../cli/plugins/node-types.ts';
import { type CommandLine, run } from '../../cli/run.ts';
import { connect } from '../../cli/target.ts';
import { anAdminApi } from './an-admin-api.ts';
import { useTestDatabases } from './test-database.ts';

/** Of a DynamoDB that is not there. */
const NOWHERE = 'http://127.0.0.1:1';

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
    clock = { now: () => Date.parse('2026-11-20T12:00:00.000Z'), sleep: async () => {} },
  }: Partial<Omit<CommandLine, 'io'>> & {
    readonly hasDatabase?: boolean;
    /** Of Lambda's API; AWS's own when absent. */
    readonly engineEndpoint?: string;
    /** By default, the time stands still. */
    readonly clock?: Pick<Io, 'now' | 'sleep'>;
  } = {}) => {
    const endpoint = hasDatabase ? (await openDatabase()).endpoint : NOWHERE;
    const folder = mkdtempSync(join(tmpdir(), 'hookloom-cli-'));
    folders.push(folder);
    const secretsFolder = join(folder, 'secrets');

    /** The requests to the admin API: `GET /api/admin/workflows`. */
    const asked: string[] = [];
    const ask = anAdminApi({
      DYNAMODB_ENDPOINT: endpoint,
      SECRETS_FOLDER: secretsFolder,
      ...(engineEndpoint === undefined ? {} : { AWS_ENDPOINT_URL_LAMBDA: engineEndpoint }),
    });

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
        env: {},
        paint: (_format, text) => text,
        paintOut: (_format, text) => text,
        ...clock,
        untilInterrupted: () => AbortSignal.abort(),
      };
      const code = await run(typeof args === 'string' ? args.split(' ').filter(Boolean) : args, {
        io,
        openTarget:
          openTarget ??
          (() => ({
            ...connect({
              dynamodbEndpoint: endpoint,
              tablePrefix: 'test',
              secretsFolder,
              baseUrl: 'http://localhost:3000',
              ...(engineEndpoint === undefined ? {} : { engineEndpoint }),
            }),
            api,
          })),
        loadNodeTypes,
        loadPlugins,
        loadCredentialTypes,
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
      ...connect({ dynamodbEndpoint: endpoint, tablePrefix: 'test', secretsFolder }),
      api,
    });
    return { call, file, target, secretsFolder, endpoint, asked };
  };
};
