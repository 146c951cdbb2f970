import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startInternalServer } from 'lambda-stage/net';
import type { Browser, Page } from 'playwright-core';
import { aBrowser } from '../support/a-browser.ts';
import { useRunningProject } from '../support/a-running-project.ts';

/** A document as HTML, XHTML and SVG at once, with a script that asks the origin of the document for something. */
const HOSTILE = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>hostile</title>
<script>new Image().src = location.origin + '/script-ran';</script></head>
<body><svg xmlns="http://www.w3.org/2000/svg"><script>new Image().src = '/script-ran';</script></svg></body></html>`;

const TYPES = [
  'text/html',
  'TEXT/HTML ;charset=utf-8',
  ' text/html',
  'text/xsl',
  'text/xml',
  'application/xml',
  'application/xhtml+xml',
  'application/xslt+xml',
  'image/svg+xml',
  'application/rss+xml',
  'application/anything+xml; charset=utf-8',
  'text/xml-external-parsed-entity',
  'text/plain, text/html',
  'text/plain,text/xsl',
  'text/html, text/plain',
  'text/plain; a=b, image/svg+xml',
  'text/html(text/plain',
  'text/html;;;',
  'multipart/x-mixed-replace; boundary=x',
  'message/rfc822',
  '*/*',
  'unknown/unknown',
  'html',
  ' ',
  '',
];

/** What an author may set by mistake, or a caller where an expression takes it from the request. */
const OWN_HEADERS = [
  {},
  { 'content-disposition': 'inline' },
  { 'content-security-policy': "sandbox allow-scripts allow-same-origin; script-src 'unsafe-inline' *" },
];

const project = useRunningProject({ LOG_LEVEL: 'warn' });
let browser: Browser;

beforeAll(async () => {
  browser = await aBrowser();
  const trigger = (id: string, parameters: object) => ({
    id: `hostile-${id}`,
    name: id,
    nodes: [
      { id: 'start', type: 'webhookTrigger', parameters: { path: '/answer', method: 'GET', ...parameters } },
    ],
    connections: [],
  });
  const text = { 'content-type': '{{ queryParams.type }}' };
  for (const [index, own] of OWN_HEADERS.entries()) {
    const answer = { headers: { ...own, ...text }, body: '{{ queryParams.body }}' };
    await project.storeWorkflow(trigger(String(index), { responseMode: 'onReceived', answer }));
  }
  const files = trigger('file', { method: 'POST', body: { type: 'file' }, responseMode: 'lastNode' });
  const [start] = files.nodes;
  await project.storeWorkflow({
    ...files,
    nodes: [{ ...start, parameters: { ...start?.parameters, lastNodeAnswer: 'file' } }],
  } as never);
});
afterAll(() => browser?.close());

/** Opens a page with what `act` navigates to; whether a script of it ran on its origin. */
const ranAScript = async (act: (page: Page) => Promise<unknown>) => {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    let hasRun = false;
    page.on('request', (request) => {
      if (request.url().endsWith('/script-ran')) hasRun = true;
    });
    await act(page).catch((error: Error) => {
      if (!/Download is starting|ERR_ABORTED/.test(error.message)) throw error;
    });
    return hasRun;
  } finally {
    await context.close();
  }
};

const answerUrl = (id: string, type: string) =>
  `${project.service.baseUrl}/api/webhook/hostile-${id}/answer?${new URLSearchParams({ type, body: HOSTILE })}`;

test('a script runs in the same document without a sandbox', async () => {
  for (const type of ['text/html', 'text/xsl', 'image/svg+xml']) {
    const hasRun = await ranAScript(async (page) => {
      await page.route('**/answer*', (route) => route.fulfill({ body: HOSTILE, contentType: type }));
      await page.goto(answerUrl('0', type));
    });
    expect([type, hasRun]).toEqual([type, true]);
  }
});

// holds: no-script-from-answers
test.each(OWN_HEADERS.map((headers, index) => [headers, String(index)] as const))(
  'no script in a response with %j runs, whatever its type',
  async (_headers, id) => {
    const ran: string[] = [];
    for (const type of TYPES) {
      if (await ranAScript((page) => page.goto(answerUrl(id, type)))) ran.push(type);
    }
    expect(ran).toEqual([]);
  },
);

// holds: no-script-from-answers
test('no script in a file with a type chosen by the caller runs', async () => {
  const ran: string[] = [];
  for (const type of ['text/html', 'text/xsl', 'image/svg+xml', 'text/plain, text/html', 'x/y+xml']) {
    const hasRun = await ranAScript(async (page) => {
      // The browser sends what another site's form can't: the type of the file.
      await page.route('**/answer', (route) =>
        route.continue({ method: 'POST', headers: { 'content-type': type }, postData: HOSTILE }),
      );
      await page.goto(`${project.service.baseUrl}/api/webhook/hostile-file/answer`);
    });
    if (hasRun) ran.push(type);
  }
  expect(ran).toEqual([]);
});

test('a page of another origin reaches webhooks, but no private route', async () => {
  const { baseUrl } = project.service;
  const server = await startInternalServer(
    createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>another site</h1>');
    }),
  );
  const context = await browser.newContext();
  const page = await context.newPage();
  try {
    await page.goto(server.endpoint);
    const statuses: [string, number][] = [];
    page.on('response', (response) => {
      statuses.push([new URL(response.url()).pathname, response.status()]);
    });
    const send = (path: string, method: string) =>
      page.evaluate(
        async ([url, sent]) => {
          const body = sent === 'POST' ? '{}' : null;
          await fetch(url, {
            method: sent,
            mode: 'no-cors',
            headers: { 'content-type': 'text/plain' },
            body,
          });
        },
        [`${baseUrl}${path}`, method] as [string, string],
      );
    await send('/api/webhook/hello/webhook', 'POST');
    await send('/api/admin/workflows/hello/executions', 'POST');
    await send('/api/admin/approvals/addresses', 'POST');
    expect(statuses).toEqual([
      ['/api/webhook/hello/webhook', 200],
      ['/api/admin/workflows/hello/executions', 403],
      ['/api/admin/approvals/addresses', 403],
    ]);
    await page.goto(`${baseUrl}/api/admin/debug`);
    expect(statuses.at(-1)).toEqual(['/api/admin/debug', 200]);
  } finally {
    await context.close();
    await server.stop();
  }
});
