import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import { unzipSync } from 'fflate';
import { runCommand } from './run-command.ts';

/** What Lambda's runtime sets itself, of which the functions need no more. */
const ofLambda = { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };

/** A function as it is deployed: its zip and its environment, and nothing else of this machine. */
export interface PackagedFunction {
  readonly bundle: { readonly path: string; readonly content: Buffer };
  /** Paths beside the bundle, without the hashes in their names. */
  readonly beside: readonly string[];
  /**
   * Loads all chunks, then calls the handler, in a process of its own.
   * @param event - as JSON
   * @param env - beside the function's variables
   * @returns its answer; null if there is none
   */
  answer(event: string, env: Readonly<Record<string, string>>): Promise<unknown>;
}

/** @param zip - path of the zip; @param variables - of the function in the template, as Lambda would set them */
export const openPackagedFunction = (
  zip: string,
  variables: Readonly<Record<string, string>>,
): PackagedFunction => {
  const files = Object.entries(unzipSync(readFileSync(zip)));
  const [path, content] = files.find(([name]) => name.endsWith('.cjs')) ?? ['', new Uint8Array()];
  return {
    bundle: { path, content: Buffer.from(content) },
    beside: files
      .filter(([name]) => name !== path)
      .map(([name]) => name.replace(/-[A-Z\d]{8}(?=\.mjs$)/, '')),
    answer: async (event, env) => {
      const folder = mkdtempSync(join(tmpdir(), 'hookloom-alone-'));
      for (const [name, contents] of files) {
        mkdirSync(join(folder, dirname(name)), { recursive: true });
        writeFileSync(join(folder, name), contents);
      }
      const chunks = files.flatMap(([file]) => (file.endsWith('.mjs') ? [`./${file}`] : []));
      const script = `Promise.all(${JSON.stringify(chunks)}.map((file) => import(file)))
        .then(() => require('./${path}').handler(${event}, { getRemainingTimeInMillis: () => 10000 }))
        .then((answer) => require('node:fs').writeFileSync('answer.json', JSON.stringify(answer ?? null)))`;
      const environment = Object.entries({ ...variables, ...ofLambda, ...env });
      const node = [
        '-i',
        ...environment.map(([name, value]) => `${name}=${value}`),
        process.execPath,
        '-e',
        script,
      ];
      const { code, stdout, stderr } = await runCommand('env', node, { cwd: folder });
      expect({ code, stdout, stderr: stderr.trim() }).toMatchObject({ code: 0, stderr: '' });
      const answer: unknown = JSON.parse(readFileSync(join(folder, 'answer.json'), 'utf8'));
      rmSync(folder, { recursive: true });
      return answer;
    },
  };
};
