import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { OPTIONAL_FUNCTIONS } from '../../lib/health/ping.ts';
import { readParameters } from '../../resources/parameters.ts';
import { toBuildVersion } from '../../resources/version.ts';
import { aCredential } from '../support/a-credential.ts';
import { aJsonEvent } from '../support/a-webhook-event.ts';
import { aWebhookService } from '../support/a-webhook-service.ts';
import { projectRoot } from '../support/run-command.ts';

// docs/deploying.md, and what other pages say of deployments, against serverless.yml.

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');

const service = parse(read('serverless.yml'), { merge: true, logLevel: 'silent' });
const defaults: Readonly<Record<string, unknown>> = service.params.default;
const functions: Readonly<Record<string, FunctionEntry>> = service.functions;

interface FunctionEntry {
  readonly timeout?: number;
  readonly iamRoleStatements?: readonly { readonly Action: string | readonly string[] }[];
  readonly durableConfig?: Readonly<Record<string, number>>;
}

interface Table {
  readonly Type: string;
  readonly Properties: {
    readonly TableName: string;
    readonly TimeToLiveSpecification?: object;
    readonly PointInTimeRecoverySpecification?: { readonly PointInTimeRecoveryEnabled: boolean };
  };
}

const tables = Object.values<Table>(service.resources.Resources)
  .filter(({ Type }) => Type === 'AWS::DynamoDB::Table')
  .map(({ Properties }) => ({
    name: Properties.TableName.replace(/^\$\{self:custom\.tablePrefix\}-/, ''),
    expires: Properties.TimeToLiveSpecification !== undefined,
  }));

const page = read('docs/deploying.md');
const pages = ['README.md', ...readdirSync(join(projectRoot, 'docs')).map((name) => `docs/${name}`)]
  .filter((path) => path.endsWith('.md'))
  .map(read);

/** The text below a heading of the page, up to the next. */
const section = (title: string): string => {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  if (text === undefined) throw new Error(`docs/deploying.md has no section "${title}"`);
  return text;
};

/** The cells of the rows of a table, without its head. */
const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));

const namesIn = (text: string): string[] =>
  [...text.matchAll(/`([a-zA-Z-]+)`/g)].map(([, name = '']) => name);

/** The words of a loop of the shell, such as `for table in a b; do`. */
const loopOver = (name: string, text: string): string[] =>
  new RegExp(`^for ${name} in (.+); do$`, 'm').exec(text)?.[1]?.split(' ') ?? [];

/** What stands for something of the reader. */
const fill = (value: string): string =>
  value
    .replace('REGION', 'eu-central-1')
    .replace('ACCOUNT', '123456789012')
    .replace('ZONE_ID', 'Z0123456789')
    .replace('/ID', '/0f1e2d3c')
    .replace(/^NAME$/, 'a-bucket');

describe('each parameter of a deployment', () => {
  const names = Object.keys(defaults).sort();

  test('is in serverless.yml exactly if it is read', () => {
    const asked = new Set<string>();
    const raw = new Proxy(defaults, {
      get: (target, name) => {
        asked.add(String(name));
        return target[String(name)];
      },
    });
    readParameters(raw, { region: 'eu-central-1', functions: Object.keys(functions) });
    expect([...asked].sort()).toEqual(names);
  });

  test('has a row with its meaning, default and cost, and nothing else has one', () => {
    const rows = rowsOf(section('Parameters')).flatMap(
      ([first = '', meaning = '', value = '', cost = '']) => {
        expect([first, meaning === '', cost === '']).toEqual([first, false, false]);
        const all = value.replaceAll('`', '').replace(/:.*/, '').split(', ');
        return namesIn(first).map((name, at) => [name, all[at] ?? all[0]]);
      },
    );
    const expected = names.map((name) => [name, String(defaults[name])]);
    expect(rows.sort()).toEqual(expected);
  });

  test.each([
    ['Own keys', ['kmsKey']],
    ['Custom domain', ['domain', 'certificate', 'hostedZone']],
    ['Throttles and concurrency', ['webhookRate', 'reservedConcurrency']],
    ['Remove, and deploy again', ['adoptData', 'blobBucket']],
    ['Upgrade', ['blobBucket']],
  ])('the section "%s" has %j', (title, parameters) => {
    for (const name of parameters) {
      expect(names).toContain(name);
      expect(section(title)).toMatch(new RegExp(`\\b${name}\\b`));
    }
  });

  test('in an example on any page has a valid name and value', () => {
    const examples = pages
      .flatMap((text) => text.match(/```(?:sh|yaml)\n[\s\S]*?```|`--param=[^`]*`/g) ?? [])
      .map((code) => [
        ...code.matchAll(/--param="(\w+)=([^"]*)"/g),
        ...[...code.matchAll(/^ *(\w+): (.+)$/gm)].filter(([, name = '']) => names.includes(name)),
      ])
      .filter((found) => found.length > 0)
      .map((found) => Object.fromEntries(found.map(([, name = '', value = '']) => [name, fill(value)])));
    expect(examples.length).toBeGreaterThan(5);
    for (const example of examples) {
      expect(names).toEqual(expect.arrayContaining(Object.keys(example)));
      const ofService = { region: 'eu-central-1', functions: Object.keys(functions) };
      expect(() => readParameters({ ...defaults, ...example }, ofService)).not.toThrow();
    }
  });
});

describe('the commands for operators', () => {
  test('name every table where all of a stage are removed', () => {
    expect(loopOver('table', section('Remove, and deploy again')).sort()).toEqual(
      tables.map(({ name }) => name).sort(),
    );
  });

  test('stop every function that writes to a table before it is restored', () => {
    const writing = Object.entries(functions).filter(([, { iamRoleStatements = [] }]) =>
      iamRoleStatements
        .flatMap(({ Action }) => Action)
        .some((action) => /^dynamodb:(Put|Update|Delete|BatchWrite)/.test(action)),
    );
    const [, stopped = ''] = /^functions="(.+)"$/m.exec(section('Restore a table')) ?? [];
    expect(stopped.split(' ').sort()).toEqual(writing.map(([name]) => name).sort());
  });

  test('restore expiry for the tables that have it, with their attribute', () => {
    const text = section('Restore a table');
    const [, list = ''] = /the second for (.+) alone/.exec(text) ?? [];
    const expiring = tables.filter(({ expires }) => expires).map(({ name }) => name);
    expect(namesIn(list).sort()).toEqual(expiring.sort());
    const { AttributeName } =
      Object.values<{ Properties: { TimeToLiveSpecification?: { AttributeName: string } } }>(
        service.resources.Resources,
      ).flatMap(({ Properties: { TimeToLiveSpecification: found } }) => found ?? [])[0] ?? {};
    expect(text).toContain(`Enabled=true,AttributeName=${AttributeName}`);
  });

  test('roll back to the commit that the version of a deployment names', () => {
    const [, commit = ''] = /git checkout (\w+) /.exec(section('Roll back')) ?? [];
    const { version } = JSON.parse(read('package.json'));
    expect(section('Roll back')).toContain(`\`${toBuildVersion(version, commit)}\``);
    expect(read('docs/operating.md')).toContain(
      `functions answer, version ${toBuildVersion(version, commit)}\n`,
    );
  });
});

test('the pages have the numbers of functions and tables, and of those that can be restored', () => {
  const operating = read('docs/operating.md');
  const deployed = Object.keys(functions).filter((key) => !OPTIONAL_FUNCTIONS.includes(key));
  expect(operating).toContain(`all ${deployed.length} functions answer`);
  const restorable = Object.values<Table>(service.resources.Resources).filter(
    ({ Properties }) => Properties?.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled === true,
  );
  expect(operating).toContain(
    `${tables.length} on-demand tables, ${restorable.length} of them with [point-in-time recovery]`,
  );
});

describe('quotas', () => {
  test('on concurrent executions follow from requests per second and seconds, up to the longest wait of a caller', () => {
    const rows = rowsOf(section('Throttles and concurrency')).map((cells) =>
      cells.map((cell) => Number(/^[\d.,]+/.exec(cell)?.[0].replace(',', ''))),
    );
    expect(rows.length).toBeGreaterThan(2);
    for (const [rate = 0, seconds = 0, executions = 0] of rows)
      expect(Math.abs(rate * seconds - executions)).toBeLessThan(rate); // a rounded product
    expect(Math.max(...rows.map(([, seconds = 0]) => seconds))).toBe(functions.webhook?.timeout);
    expect(rows[0]?.[0]).toBe(defaults.webhookRate);
  });

  test('are named for each service under load, with what regions need', () => {
    const quotas = rowsOf(read('docs/limits.md').split('## Quotas of the account')[1] ?? '').map(
      ([name]) => name,
    );
    const used = [
      'Lambda',
      'API Gateway',
      'DynamoDB',
      'EventBridge',
      'EventBridge Scheduler',
      'Systems Manager',
    ];
    expect([...new Set(quotas)].sort()).toEqual(used.sort());
    const [, resource = ''] =
      /deployment fails at `(\w+)LambdaFunction`/.exec(section('Regions and quotas')) ?? [];
    const key = `${resource.charAt(0).toLowerCase()}${resource.slice(1)}`;
    expect(functions[key]?.durableConfig).toBeDefined();
  });
});

test('the values of durableConfig can be changed, as AWS specifies and the pages say', () => {
  const spec = loadAwsServiceSpecSync();
  const [lambda] = spec.lookup('resource', 'cloudFormationType', 'equals', 'AWS::Lambda::Function');
  if (lambda === undefined) throw new Error('no specification of functions');
  const config = spec
    .follow('usesType', lambda)
    .find(({ entity }) => entity.name === 'DurableConfig')?.entity;
  const { executionTimeout = 0, retentionPeriodInDays, ...rest } = functions.runDurable?.durableConfig ?? {};
  expect(rest).toEqual({});
  for (const name of ['ExecutionTimeout', 'RetentionPeriodInDays']) {
    expect(config?.properties[name]).toBeDefined();
    expect(config?.properties[name]?.causesReplacement ?? 'no').toBe('no');
  }
  const operating = read('docs/operating.md');
  expect(operating).toContain(`| ${executionTimeout / 86_400} days, ${retentionPeriodInDays} days |`);
  const sentences = pages.flatMap(
    (text) => text.replaceAll(/\s+/g, ' ').match(/[^.]*`durableConfig`[^.]*\.[^.]*\./g) ?? [],
  );
  const about = sentences.filter((sentence) => !sentence.includes('|'));
  expect(about.length).toBeGreaterThanOrEqual(2);
  for (const sentence of about) expect(sentence).toMatch(/two values .*can be changed at any time/);
});

test('the checklist asks whether the gateway passes the challenge of a refused caller under its name', async () => {
  const app = await aWebhookService();
  await app.putCredential(aCredential({}));
  await app.put({ webhook: { authentication: 'apiKey', credentialId: 'partner' } });
  const { statusCode, headers = {} } = await app.call(aJsonEvent({}));
  const challenge = Object.keys(headers).find((name) => /^www-authenticate$/i.test(name)) ?? '';
  const row = rowsOf(section('First deployment checklist')).find(([what]) =>
    /`WWW-Authenticate`/.test(what ?? ''),
  );
  expect(row?.[1]).toContain('`authentication: apiKey`');
  expect(row?.[2]).toContain(`${statusCode} with \`${challenge}\``);
  expect(row?.[2]).toContain(`\`x-amzn-remapped-${challenge}\``);
});
