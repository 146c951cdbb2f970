import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ConsoleSettings } from '../../console-settings.ts';
import { buildConsole } from '../../serve/build-console.ts';
import { type ConsoleAnswer, createConsolePages } from '../../serve/console-pages.ts';

const cacheFolder = join(mkdtempSync(join(tmpdir(), 'console-')), 'cache');
const settings: ConsoleSettings = { stage: null, isReadOnly: false };
const findPage = createConsolePages(cacheFolder, settings);

const answerOf = async (path: string, find = findPage): Promise<ConsoleAnswer> => {
  const answer = await find(path);
  if (answer === null) throw new Error(`${path} is not of the console`);
  return answer;
};
const headersOf = ({ headers }: ConsoleAnswer) => Object.fromEntries(headers);
const textOf = ({ body }: ConsoleAnswer) => Buffer.from(body).toString();
const assetsOf = (page: ConsoleAnswer) =>
  [...textOf(page).matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

let page: ConsoleAnswer;
beforeAll(async () => {
  page = await answerOf('/console');
});

describe('the page', () => {
  test('has a policy that lets in nothing but its own files, and no string as script', () => {
    const { 'content-security-policy': policy = '', ...others } = headersOf(page);
    const directives = Object.fromEntries(
      policy.split('; ').map((directive) => [directive.split(' ')[0], directive.split(' ').slice(1)]),
    );
    const { 'style-src': style = [], ...rest } = directives;
    expect(rest).toEqual({
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'worker-src': ["'self'"],
      'img-src': ["'self'", 'data:'],
      'font-src': ["'self'"],
      'connect-src': ["'self'"],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
      'require-trusted-types-for': ["'script'"],
      'trusted-types': ['hookloom-worker'],
    });
    expect(style).toEqual(["'self'", expect.stringMatching(/^'nonce-[\w+/]{22}=='$/)]);
    expect(others).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });

  test('has another nonce each time, the same as its policy', async () => {
    const nonceOf = (answer: ConsoleAnswer) => /nonce="([^"]+)"/.exec(textOf(answer))?.[1];
    const again = await answerOf('/console/workflows/a');
    expect(nonceOf(again)).not.toBe(nonceOf(page));
    expect(headersOf(again)['content-security-policy']).toContain(`'nonce-${nonceOf(again)}'`);
  });

  test('escapes what it is told', async () => {
    const hostile = `"><script>alert(1)</script>&quot;`;
    const find = createConsolePages(cacheFolder, { stage: hostile, isReadOnly: true });
    const html = textOf(await answerOf('/console', find));
    const [, content = ''] = /name="hookloom-console" content="([^"]*)"/.exec(html) ?? [];
    const decoded = content.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
    expect(JSON.parse(decoded)).toEqual({
      stage: hostile,
      isReadOnly: true,
      worker: expect.stringMatching(/^\/console\/assets\/worker-\w+\.js$/),
    });
    expect(html.match(/<script/g)).toHaveLength(1);
  });

  test('has no script or style of its own: only files', () => {
    expect(textOf(page)).not.toMatch(/<script[^>]*>[^<]|<style|\son\w+=|\sstyle=/);
  });
});

describe('files', () => {
  test('are there, of their type, and kept by browsers for good', async () => {
    const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' };
    const paths = assetsOf(page);
    expect(paths.map((path) => path.replace(/^.*\./, ''))).toEqual(['css', 'js']);
    for (const path of paths) {
      const answer = await answerOf(path);
      expect([answer.status, headersOf(answer)]).toEqual([
        200,
        {
          'content-type': types[path.replace(/^.*\./, '') as keyof typeof types],
          'cache-control': 'public, max-age=31536000, immutable',
          'content-security-policy': "default-src 'none'; script-src 'self'",
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
        },
      ]);
    }
  });

  test.each(['none.js', 'entry.json', 'main', '..', '.', 'a.html', '__proto__'])(
    '%s is not found',
    async (name) => {
      const { status, body } = await answerOf(`/console/assets/${name}`);
      expect([status, Buffer.from(body).toString()]).toEqual([404, 'Not found']);
    },
  );

  test.each([
    '/console/assets/../secret.js',
    '/console/assets/%2e%2e%2fsecret.js',
    '/console/assets/..%2fsecret.js',
    '/console/assets/..\\secret.js',
    '/console/assets//secret.js',
    '/console/assets/../../../../etc/passwd',
    '/console/assets/secret.js%00',
  ])('%s leads to none outside of the folder', async (path) => {
    writeFileSync(join(cacheFolder, 'secret.js'), 'the secret');
    expect(textOf(await answerOf(path))).not.toContain('the secret');
  });
});

test.each(['/', '/consoles', '/api/admin/workflows', '/Console', '/console-assets/main.js'])(
  '%s is not of the console',
  async (path) => {
    expect(await findPage(path)).toBeNull();
  },
);

describe('the build', () => {
  test('is made once for a state of the code', async () => {
    const { folder } = await buildConsole(cacheFolder);
    const entry = join(folder, 'entry.json');
    writeFileSync(entry, JSON.stringify({ ...JSON.parse(readFileSync(entry, 'utf8')), script: 'kept.js' }));
    expect(await buildConsole(cacheFolder)).toMatchObject({ folder, script: 'kept.js' });
    expect(readdirSync(cacheFolder).filter((name) => name !== 'secret.js')).toHaveLength(1);
  });

  test('has messages in English alone', async () => {
    const { folder } = await buildConsole(cacheFolder);
    const scripts = readdirSync(folder)
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(scripts.filter((text) => /"Schließen"|"Fermer"/.test(text))).toEqual([]);
    expect(scripts.some((text) => text.includes('Loading next step'))).toBe(true);
  });
});
