import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { CONSOLE_PATH, type ConsoleSettings, type PageSettings } from '../console-settings.ts';
import { type BuiltConsole, buildConsole } from './build-console.ts';

export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/**
 * Answers GET requests for the console's page and files.
 *
 * @param cacheFolder - where its builds are kept
 * @returns a function of the percent-encoded path without the query; its answer is null for a path outside of the console
 */
export const createConsolePages = (
  cacheFolder: string,
  settings: ConsoleSettings,
): ((path: string) => Promise<ConsoleAnswer | null>) => {
  let files: Promise<BuiltConsole> | null = null;
  return async (path) => {
    if (path !== CONSOLE_PATH && !path.startsWith(`${CONSOLE_PATH}/`)) return null;
    const [, asset] = /^\/console\/assets\/([\w.-]+)$/.exec(path) ?? [];
    if (asset === undefined) files = null; // each page has the newest code
    files ??= buildConsole(cacheFolder);
    const built = await files;
    return asset === undefined ? answerPage(built, settings) : answerFile(built, asset);
  };
};

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** All files are its own, and nothing from a string becomes script or HTML. https://www.w3.org/TR/CSP3/ */
const createPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`, // CodeMirror adds rules of its own
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types hookloom-worker', // the address of one script
  ].join('; ');

const COMMON = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
] as const;

/** A script that runs as a worker has the policy of its own answer. https://www.w3.org/TR/CSP3/#initialize-global-object-csp */
const WORKER_POLICY = ['content-security-policy', "default-src 'none'; script-src 'self'"] as const;

const answerFile = async ({ folder }: BuiltConsole, name: string): Promise<ConsoleAnswer> => {
  const type = TYPES[extname(name)];
  const body = type === undefined ? null : await readFile(join(folder, name)).catch(() => null);
  if (type === undefined || body === null)
    return {
      status: 404,
      headers: [...COMMON, ['content-type', 'text/plain']],
      body: Buffer.from('Not found'),
    };
  const cached = ['cache-control', 'public, max-age=31536000, immutable'] as const; // names have a hash of the content
  const headers = [...COMMON, ['content-type', type], WORKER_POLICY, cached] as const;
  return { status: 200, headers, body };
};

/** A text between double quotes in HTML. */
export const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

const answerPage = ({ script, worker, styles }: BuiltConsole, settings: ConsoleSettings): ConsoleAnswer => {
  const given: PageSettings = { ...settings, worker: `${CONSOLE_PATH}/assets/${worker}` };
  const nonce = randomBytes(16).toString('base64');
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="hookloom-console" content="${escapeAttribute(JSON.stringify(given))}">
<meta name="hookloom-nonce" nonce="${nonce}">
<title>Hookloom</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${CONSOLE_PATH}/assets/${styles}">
<script type="module" src="${CONSOLE_PATH}/assets/${script}"></script>
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript.</noscript>
</body>
</html>
`;
  return {
    status: 200,
    headers: [
      ...COMMON,
      ['content-type', 'text/html; charset=utf-8'],
      ['content-security-policy', createPolicy(nonce)],
      ['cache-control', 'no-store'],
    ],
    body: Buffer.from(html),
  };
};
