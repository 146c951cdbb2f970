import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { JsonObject } from '@hookloom/plugin-kit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { healthRoute } from '../../lib/app/health.ts';
import type { AnswerTo } from '../../lib/http/api-route.ts';
import { openView } from '../../scripts/pages/console-pictures.ts';
import { aBrowser } from '../support/a-browser.ts';
import {
  API_PATH,
  type AuthorizationServer,
  anAuthorizationServer,
  CLIENT_SECRET,
} from '../support/an-authorization-server.ts';
import { expectAttribute, expectCount, expectUrl, expectValue } from '../support/expect-text.ts';
import { type RunningService, sendJson, startLocalService } from '../support/local-service.ts';
import { poll } from '../support/poll.ts';
import { projectEnvironment, projectRoot } from '../support/run-command.ts';
import { watchPage } from '../support/watched-page.ts';

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let server: AuthorizationServer;
let service: RunningService;
let browser: Browser;
const doors: ChildProcess[] = [];
let context: BrowserContext;
let page: Page;
let faults: string[];

// The local service checks no signature, so any keys sign.
const keys = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'any',
  AWS_REGION: 'eu-central-1',
};

/** The console of a stage, with the session that browsers get only once. @returns its origin */
const enterDoor = async (entered: BrowserContext, options: readonly string[] = []): Promise<string> => {
  const args = ['console', '--no-browser', '--stage', 'production', '--url', service.baseUrl, ...options];
  const door = spawn('node', ['packages/cli/main.ts', ...args], {
    cwd: projectRoot,
    env: projectEnvironment(keys),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  doors.push(door);
  const lines = createInterface({ input: door.stdout });
  const [address] = (await once(lines, 'line')) as [string];
  await (await entered.newPage()).goto(address);
  return new URL(address).origin;
};

beforeAll(async () => {
  server = await anAuthorizationServer();
  [service, browser] = await Promise.all([
    startLocalService({ env: { OUTBOUND_ALLOW: '127.0.0.1' } }),
    aBrowser(),
  ]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), service?.stop(), server?.close()]);
});

beforeEach(async () => {
  context = await browser.newContext({ reducedMotion: 'reduce' });
  page = await context.newPage();
  await page.addInitScript({ path: axeFile });
  faults = watchPage(page);
});
afterEach(async () => {
  await context.close();
  for (const door of doors.splice(0)) {
    if (door.exitCode !== null) continue;
    door.kill('SIGINT');
    await once(door, 'exit');
  }
});

const call = (method: string, path: string, body?: JsonObject): Promise<JsonObject> =>
  sendJson(`${service.baseUrl}/api/${path}`, method, body);

type Plugins = AnswerTo<typeof healthRoute>['plugins'];

const storeCredential = async (id: string): Promise<void> => {
  const hosts = [new URL(server.origin).host];
  const body = { type: 'oauth2', fields: server.fields(), secrets: {}, hosts };
  expect(await call('PUT', `admin/credentials/${id}`, body)).toMatchObject({ id });
};

/** A workflow that answers with what the API of the server says of the person who has signed in. */
const storeWorkflow = async (id: string): Promise<void> => {
  const definition = {
    id,
    name: 'Inbox',
    enabled: true,
    nodes: [
      { id: 'hook', type: 'webhookTrigger', parameters: { responseMode: 'lastNode' } },
      {
        id: 'read',
        type: 'httpRequest',
        credentialId: id,
        parameters: { url: `${server.origin}${API_PATH}` },
      },
    ],
    connections: [{ sourceNodeId: 'hook', targetNodeId: 'read' }],
  };
  expect(await call('PUT', `admin/workflows/${id}`, definition)).toMatchObject({ id });
};

const run = (id: string): Promise<JsonObject> => call('POST', `webhook/${id}/webhook`, {});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const field = (name: string) => page.getByRole('dialog').getByRole('textbox', { name });
const choose = async (label: RegExp, option: string): Promise<void> => {
  await page.getByRole('dialog').getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: option }).first().click();
};

const findViolations = async (): Promise<string[]> => {
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run('[role="dialog"]', {
      runOnly: ['wcag2a', 'wcag2aa'],
    }),
  );
  return violations.map(({ id }) => id);
};

/** Goes from the dialog to the page of the server, and decides there. */
const decide = async (decision: 'Sign in as Ann' | 'Deny', secret: string = CLIENT_SECRET): Promise<void> => {
  await page.getByLabel(/^Client secret/).fill(secret);
  await page.getByRole('button', { name: /^Go to 127\.0\.0\.1/ }).click();
  await page.getByRole('heading', { name: 'Allow shop?' }).waitFor();
  await page.getByRole('button', { name: decision }).click();
};

test('a stage: create, sign in, run, be revoked, see it everywhere, sign in again, run again', async () => {
  const origin = await enterDoor(context);
  await page.goto(`${origin}/console/credentials?direction=outbound`);
  await button('Create a credential').click();
  await field('Id').fill('mail');
  await choose(/^Type/, 'oauth2');
  await choose(/^Service/, 'Google');
  await expectValue(field('tokenUrl'), 'https://oauth2.googleapis.com/token');
  await expectValue(field('Hosts'), '*.googleapis.com');
  await expectCount(field('refreshToken'), 0);
  const { authorizationUrl, tokenUrl, clientId, scope, testUrl } = server.fields();
  for (const [name, value] of Object.entries({ authorizationUrl, tokenUrl, clientId, scope, testUrl }))
    await field(name).fill(value);
  await choose(/^clientAuthentication/, 'header');
  await field('clientSecret').fill(CLIENT_SECRET);
  await field('Hosts').fill(new URL(server.origin).host);
  await button('Create').click();

  await page.getByRole('dialog', { name: 'Sign in for mail' }).waitFor();
  expect(await findViolations()).toEqual([]);
  await page.getByText(`${origin}/callback`).waitFor();
  await page.getByRole('button', { name: /^Go to/ }).click(); // the secret was typed just before
  await page.getByRole('button', { name: 'Sign in as Ann' }).click();
  await page.getByText('mail is signed in.').waitFor();
  await expectUrl(page, `${origin}/console/credentials?direction=outbound`);

  await storeWorkflow('mail');
  expect(await run('mail')).toMatchObject({ status: 200, body: { owner: 'ann' } });
  expect(await run('mail')).toMatchObject({ status: 200, body: { owner: 'ann' } }); // with the replaced refresh token

  await server.revoke();
  expect(await run('mail')).toMatchObject({ status: 500, title: 'Execution failed' });
  const again = /invalid_grant, so a person has to connect it again/;
  const { executions } = await call('GET', 'admin/executions?status=failed&workflowId=mail');
  const [{ executionId }] = executions as [{ executionId: string }];
  expect(await call('GET', `admin/executions/${executionId}`)).toMatchObject({
    failure: { nodeId: 'read', message: expect.stringMatching(again) },
  });
  // A report may be some seconds old, in each sandbox: the page asked for one before there was the workflow.
  const reported = async () => {
    const { plugins } = await call('POST', 'admin/plugins/health/live?plugin=credentials');
    return (plugins as unknown as Plugins).credentials?.credentials?.mail ?? null;
  };
  await poll(async () => (await reported()) !== null);
  expect(await reported()).toMatchObject({ status: 'unhealthy', message: expect.stringMatching(again) });

  const link = page.getByRole('link', { name: 'Sign in again: mail' }).first();
  await page.goto(`${origin}/console`);
  await link.waitFor(); // at the failure
  await poll(async () => {
    await openView(page, `${origin}/console/plugins?tests=live`);
    return link.isVisible();
  });
  await page.goto(`${origin}/console/credentials/mail`);
  await button('Test').click();
  await page.getByText(again).waitFor();
  await link.waitFor();
  await page.goto(`${origin}/console/executions/${executionId}`);
  await page.getByText('Its credential: mail').waitFor();
  await link.click();

  await page.getByRole('dialog', { name: 'Sign in for mail' }).waitFor();
  await decide('Sign in as Ann');
  await page.getByText('mail is signed in.').waitFor();
  await expectUrl(page, `${origin}/console/credentials/mail`);
  expect(await run('mail')).toMatchObject({ status: 200, body: { owner: 'ann' } });
  await button('Test').click();
  await page.getByRole('main').getByText('127.0.0.1').and(page.getByText('answered 200')).waitFor();
  expect(faults).toEqual([]);
});

test('the local service: what fails is said where the sign-in began, and stores nothing', async () => {
  await storeCredential('bad');
  const at = `${service.baseUrl}/console/credentials/bad`;
  const stored = async () => (await call('GET', 'admin/credentials/bad')).storedSecretFields;
  const open = async (): Promise<void> => {
    await page.goto(at);
    await button('Sign in').click();
  };
  const refused = async (reason: string): Promise<void> => {
    const alert = page.getByRole('alert').filter({ hasText: reason });
    await alert.getByText(/Nothing was stored/).waitFor();
    await expectUrl(page, at);
    expect(await stored()).toEqual([]);
    await page.getByText('Nobody has signed in').waitFor();
    await alert.getByRole('button', { name: 'Dismiss' }).click();
    await alert.waitFor({ state: 'detached' });
  };

  await open();
  await decide('Deny');
  await refused('access_denied');

  await open();
  await decide('Sign in as Ann', 'another-secret');
  await refused('invalid_client');

  // A page of another site sends the browser back, with a state that it does not know.
  await open();
  await page.getByRole('button', { name: /^Go to/ }).click();
  await page.getByRole('heading', { name: 'Allow shop?' }).waitFor();
  await page.evaluate(`location.assign('${service.baseUrl}/callback?code=a&state=b')`);
  await refused('wrong state');

  await page.goto(`${at}?signIn=forgotten`);
  await refused('has expired');

  await button('Sign in').click();
  await decide('Sign in as Ann');
  await page.getByText('bad is signed in.').waitFor();
  expect(await stored()).toEqual(['clientSecret', 'refreshToken']);
  await button('Sign in again').waitFor();
  expect(faults.filter((fault) => !/status of 4(?:22|04)/.test(fault))).toEqual([]);
});

test('a server that leaves without an answer: the browser says where it went, and nothing is stored', async () => {
  await storeCredential('left');
  await page.goto(`${service.baseUrl}/console/credentials/left?dialog=sign-in`);
  await page.getByRole('button', { name: /^Go to/ }).click();
  await page.getByRole('heading', { name: 'Allow shop?' }).waitFor();
  await page.goBack();
  await button('Sign in').waitFor();
  await page.getByText('Nobody has signed in').waitFor();
  expect(faults).toEqual([]);
});

test('the editor: a node has the credential, and the work is there, after the sign-in', async () => {
  await page.goto(`${service.baseUrl}/console/workflows/hello/edit`);
  await button('Add a node').click();
  await page.getByLabel('Find a node type').fill('httpRequest');
  await page.getByRole('dialog').getByRole('button', { name: 'httpRequest', exact: true }).click();
  await page.getByRole('heading', { name: 'Node httpRequest', exact: true }).waitFor();
  await button('Create a credential').click();
  await field('Id').fill('edited');
  await choose(/^Type/, 'oauth2');
  await choose(/^grant/, 'authorizationCode');
  const { authorizationUrl, tokenUrl, clientId, scope } = server.fields();
  for (const [name, value] of Object.entries({ authorizationUrl, tokenUrl, clientId, scope }))
    await field(name).fill(value);
  await field('Hosts').fill(new URL(server.origin).host);
  await button('Create').click();
  await decide('Sign in as Ann');
  await page.getByText('edited is signed in.').waitFor();
  await expectUrl(page, `${service.baseUrl}/console/workflows/hello/edit`);
  await page.getByText('This is your unsaved work').waitFor();
  await page.locator('.react-flow__node[data-id="httpRequest"]').click();
  await page.getByLabel('Credential', { exact: true }).getByText('edited').waitFor();
  await button('Discard').click();
  expect(faults).toEqual([]);
});

test('a console that is read-only offers no sign-in, and refuses one', async () => {
  await storeCredential('seen');
  const origin = await enterDoor(context, ['--read-only']);
  await page.goto(`${origin}/console/credentials/seen?dialog=sign-in`);
  const offered = page.getByRole('button', { name: /^Sign in/ });
  await offered.waitFor();
  await expectAttribute(offered, 'aria-disabled', 'true');
  await expectCount(page.getByRole('dialog'), 0);
  const status = await page.evaluate(async () => {
    const body = JSON.stringify({ credentialId: 'seen', clientSecret: 'a', returnTo: '/console' });
    return (await fetch('/console/sign-ins', { method: 'POST', body })).status;
  });
  expect(status).toBe(403);
});
