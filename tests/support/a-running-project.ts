import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@hookloom/plugin-kit';
import { afterAll, beforeAll } from '@jest/globals';
import { checkResponse } from './checked-answers.ts';
import { copyProject } from './copy-project.ts';
import { type RunningService, startLocalService } from './local-service.ts';
import { type CommandResult, runCli } from './run-command.ts';

/** A copy of the project for tests to change, and `npm start` in it. */
export interface RunningProject {
  readonly folder: string;
  readonly service: RunningService;
  /** `Body` is what the answer should have for a body; it is not checked. */
  post<Body = JsonObject>(
    path: string,
    body?: string | Uint8Array,
    headers?: Record<string, string>,
  ): Promise<Answer<Body>>;
  get<Body = JsonObject>(path: string): Promise<Answer<Body>>;
  /** A request to a path of the service, or to an address that it has given out. */
  fetch(address: string, init?: RequestInit): Promise<Response>;
  /** Whether edits of the project's files count at once; otherwise after {@link deploy}. */
  readonly isLive: boolean;
  /** Makes edits of the project's files count. What is stored may be gone then. */
  deploy(): Promise<void>;
  /** Arguments of `node`, before those of the command line. */
  readonly cliProgram: readonly string[];
  /** Environment of other programs that call what the service gives out. */
  readonly environment: Record<string, string>;
  cli(
    args: string,
    options?: { readonly env?: Record<string, string>; readonly stdin?: string },
  ): Promise<CommandResult>;
  /** Writes a file of the project, as an editor does. */
  write(name: string, content: string): void;
  writeWorkflow(definition: { readonly id: string }): void;
  /** Writes a workflow that the service takes, and resolves when it has. */
  storeWorkflow(definition: { readonly id: string }): Promise<void>;
  /** Adds a plugin to the installed ones, as its author does: a file, and a line in the list. */
  addPlugin(id: string, source: string): void;
  /** Adds a line to the list of installed plugins. @param line - as `plugin create` prints it */
  installPlugin(line: string): void;
}

export interface Answer<Body> {
  readonly status: number;
  /** Null without one. */
  readonly body: Body;
}

/** One for all tests of a file: a start takes seconds. @param env - read when it starts */
export const useRunningProject = (
  env: Record<string, string> | (() => Record<string, string>),
): RunningProject => {
  let project: ReturnType<typeof copyProject>;
  let service: RunningService;

  beforeAll(async () => {
    project = copyProject();
    const own = typeof env === 'function' ? env() : env;
    service = await startLocalService({ cwd: project.folder, env: own, isByNpm: true });
  });
  afterAll(async () => {
    await service?.stop();
    project?.remove();
  });

  const request = async <Body>(path: string, init?: RequestInit): Promise<Answer<Body>> => {
    const response = await fetch(`${service.baseUrl}${path}`, init);
    const text = await response.text();
    checkResponse(init?.method ?? 'GET', path, response, text);
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
  const files = projectFiles(() => project.folder);

  return {
    isLive: true,
    deploy: async () => {},
    cliProgram: ['packages/cli/main.ts'],
    environment: {},
    fetch: (address, init) => fetch(new URL(address, service.baseUrl), init),
    get folder() {
      return project.folder;
    },
    get service() {
      return service;
    },
    post: (path, body, headers = {}) => request(path, { method: 'POST', headers, body: body ?? null }),
    get: (path) => request(path),
    cli: (args, options = {}) => runCli(args.split(' '), { cwd: project.folder, ...options }),
    ...files,
    storeWorkflow: (definition) => {
      const line = new RegExp(`: ${definition.id} is now at version \\d+`, 'g');
      const known = service.output().match(line)?.length ?? 0;
      files.writeWorkflow(definition);
      return service.printed(line, known + 1);
    },
  };
};

/** Edits of a project in a folder. */
export const projectFiles = (
  folder: () => string,
): Pick<RunningProject, 'write' | 'writeWorkflow' | 'addPlugin' | 'installPlugin'> => {
  const write = (name: string, content: string) => writeFileSync(join(folder(), name), content);
  const installPlugin = (line: string) => {
    const list = readFileSync(join(folder(), 'nodes/installed.ts'), 'utf8');
    write('nodes/installed.ts', list.replace(/\];\s*$/, `  ${line}\n];`));
  };
  return {
    write,
    writeWorkflow: (definition) => write(`workflows/${definition.id}.json`, JSON.stringify(definition)),
    addPlugin: (id, source) => {
      write(`nodes/${id}.ts`, source);
      installPlugin(`unified('${id}', () => import('./${id}.ts')),`);
    },
    installPlugin,
  };
};

/** Content type of a JSON body. */
export const json = { 'content-type': 'application/json' };
