import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll } from '@jest/globals';
import aws4 from 'aws4';
import type { GrantUse, Refusal } from 'lambda-stage/door';
import type { StageInfo } from '../../packages/local/stage/stage-file.ts';
import { type Answer, projectFiles, type RunningProject } from './a-running-project.ts';
import { checkResponse } from './checked-answers.ts';
import { copyProject } from './copy-project.ts';
import { type RunningService, startLocalService } from './local-service.ts';
import { type CommandResult, runCommand } from './run-command.ts';
import { sharedByRun } from './shared-by-run.ts';
import { stageEnvironment } from './stage-package.ts';

interface CommandOptions {
  readonly env?: Record<string, string>;
  readonly stdin?: string;
}

/** A copy of the project, and `npm run stage` in it. */
export interface RunningStage extends RunningProject {
  readonly info: StageInfo;
  /** Fires a rule of the template that has a schedule. */
  fire(rule: string): Promise<void>;
  /** Asks the template's custom resources, as CloudFormation does. */
  requestCustomResources(type: 'Create' | 'Delete'): Promise<void>;
  /** The processes with an invocation. */
  processes(): Promise<readonly { readonly pid: number; readonly functionKey: string }[]>;
  grants(): Promise<readonly GrantUse[]>;
  refusals(): Promise<readonly Refusal[]>;
  /** The command line, as a user whose policy docs/ prints. */
  cliAs(user: string, args: string, options?: CommandOptions): Promise<CommandResult>;
  /** A request to the admin API, signed by a user; unsigned for null. */
  callAs(user: string | null, path: string, init?: RequestInit): Promise<Response>;
}

/** Commands of those that put workflows. */
const AUTHORS = /^workflow (put|try|enable|disable|remove|get|list)\b/;

/** Commands of those that look after executions. */
const OPERATORS =
  /^(execution|bulk-retry|request|approval|credential test|variable|state|plugin (list|disable|enable))\b/;

const userOf = (args: string): string =>
  AUTHORS.test(args) ? 'author' : OPERATORS.test(args) ? 'operator' : 'owner';

/**
 * One for all tests of a file.
 *
 * @param args - of `npm run stage`, read when it starts
 */
export const useRunningStage = (
  settings: {
    readonly args?: () => readonly string[];
    readonly env?: () => Record<string, string>;
    /** Edits the project before it is deployed. */
    readonly prepare?: (files: ReturnType<typeof projectFiles>) => void;
  } = {},
): RunningStage => {
  let project: ReturnType<typeof copyProject>;
  let service: RunningService;
  let info: StageInfo;
  let curlFolder: string;
  const files = projectFiles(() => project.folder);

  const variables = Object.entries(stageEnvironment).flatMap(([name, value]) => [
    '--env',
    `${name}=${value}`,
  ]);
  const start = async () => {
    await sharedByRun('stage-package'); // the stage finds it in the cache of packages
    service = await startLocalService({
      cwd: project.folder,
      program: 'packages/local/stage/start.ts',
      args: ['--retry-at-once', ...variables, ...(settings.args?.() ?? [])],
      env: settings.env?.() ?? {},
    });
    info = JSON.parse(readFileSync(join(project.folder, '.hookloom/stage.json'), 'utf8'));
  };
  beforeAll(async () => {
    project = copyProject();
    curlFolder = mkdtempSync(join(tmpdir(), 'curl-'));
    settings.prepare?.(files);
    await start();
  });
  afterAll(async () => {
    await service?.stop();
    project?.remove();
    rmSync(curlFolder, { recursive: true, force: true });
  });

  /** Signs a request as curl's `--aws-sigv4` does. */
  const sign = (user: string, url: URL, { method = 'GET', headers = {}, body }: RequestInit) => {
    const keys = info.users[user];
    if (keys === undefined) throw new Error(`there is no user ${user}`);
    const unsigned = {
      service: 'execute-api',
      region: info.region,
      host: url.host,
      method,
      path: `${url.pathname}${url.search}`,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body === undefined || body === null ? {} : { body: Buffer.from(body as string) }),
    };
    const { host: _host, ...signed } = aws4.sign(unsigned, {
      accessKeyId: keys.accessKeyId,
      secretAccessKey: keys.secretAccessKey,
    }).headers as Record<string, string>;
    return signed;
  };

  const callAs: RunningStage['callAs'] = async (user, path, init = {}) => {
    const url = new URL(path, service.baseUrl);
    return fetch(url, user === null ? init : { ...init, headers: sign(user, url, init) });
  };

  /** Addresses of the stage's API, and of other hosts of AWS: behind the door. */
  const call: RunningStage['fetch'] = async (address, init = {}) => {
    const url = new URL(address, service.baseUrl);
    if (/\.execute-api\.[\w-]+\.amazonaws\.com$/.test(url.host)) {
      const own = new URL(service.baseUrl);
      return fetch(new URL(`${url.pathname}${url.search}`, own), init);
    }
    if (url.host.endsWith('.amazonaws.com')) return callDoor(url, init, info);
    if (url.origin !== new URL(service.baseUrl).origin) return fetch(url, init);
    return callAs(url.pathname.startsWith('/api/admin/') ? 'operator' : null, url.href, init);
  };

  const request = async <Body>(path: string, init?: RequestInit): Promise<Answer<Body>> => {
    const response = await call(path, init);
    const text = await response.text();
    checkResponse(init?.method ?? 'GET', path, response, text);
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };

  const runAs = (user: string, args: string, options: CommandOptions = {}) =>
    runCommand('node', ['packages/local/stage/stage-cli.ts', '--as', user, ...args.split(' ')], {
      cwd: project.folder,
      ...options,
    });

  const control = async <Body>(path: string, method = 'GET'): Promise<Body> => {
    const response = await fetch(`${info.controlUrl}${path}`, { method });
    if (!response.ok) throw new Error(await response.text());
    return response.json() as Promise<Body>;
  };

  return {
    isLive: false,
    deploy: async () => {
      await service.stop();
      await start();
    },
    cliProgram: ['packages/local/stage/stage-cli.ts', '--as', 'owner'],
    /** For curl. */
    get environment() {
      const target = `${blobHost(info)}:443:127.0.0.1:${info.doorPort}`;
      writeFileSync(join(curlFolder, '.curlrc'), `connect-to = "${target}"\n`);
      return { CURL_HOME: curlFolder, CURL_CA_BUNDLE: info.caFile };
    },
    get folder() {
      return project.folder;
    },
    get service() {
      return service;
    },
    get info() {
      return info;
    },
    fetch: call,
    post: (path, body, headers = {}) =>
      request(path, { method: 'POST', headers, body: (body ?? null) as string | null }),
    get: (path) => request(path),
    cli: (args, options) =>
      /^plugin (create|check)\b/.test(args)
        ? runCommand('node', ['packages/cli/main.ts', ...args.split(' ')], {
            cwd: project.folder,
            ...options,
          })
        : runAs(userOf(args), args, options),
    cliAs: (user, args, options = {}) => runAs(user, args, { stdin: '', ...options }),
    callAs,
    ...files,
    storeWorkflow: async (definition) => {
      const { code, stderr } = await runAs('author', 'workflow put -', { stdin: JSON.stringify(definition) });
      if (code !== 0) throw new Error(stderr);
    },
    fire: async (rule) => void (await control(`/fire/${rule}`, 'POST')),
    requestCustomResources: async (type) => void (await control(`/custom-resources/${type}`, 'POST')),
    processes: () => control('/processes'),
    grants: () => control('/grants'),
    refusals: () => control('/refusals'),
  };
};

const blobHost = ({ blobBucket, region }: StageInfo): string => `${blobBucket}.s3.${region}.amazonaws.com`;

/** A request to a host of AWS, to the door in its place. */
const callDoor = (
  url: URL,
  { method = 'GET', headers = {}, body }: RequestInit,
  { doorPort, caFile }: StageInfo,
) =>
  new Promise<Response>((resolve, reject) => {
    const bytes = body === undefined || body === null ? undefined : Buffer.from(body as string);
    const given = { ...Object.fromEntries(new Headers(headers)), host: url.host };
    httpsRequest(
      {
        host: '127.0.0.1',
        port: doorPort,
        servername: url.hostname,
        ca: readFileSync(caFile),
        method,
        path: `${url.pathname}${url.search}`,
        headers: bytes === undefined ? given : { ...given, 'content-length': bytes.length },
      },
      (response) => {
        buffer(response).then((all) => {
          const { statusCode: status = 0 } = response;
          resolve(new Response(all.length === 0 ? null : all, { status }));
        }, reject);
      },
    )
      .once('error', reject)
      .end(bytes);
  });
