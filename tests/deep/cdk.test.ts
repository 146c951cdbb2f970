import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { resolveTemplate } from 'lambda-stage/door';
import { toParameters, toReleasedTemplate, withPackager } from '../../scripts/release/released-template.ts';
import { projectRoot } from '../support/run-command.ts';

const VERSION = '1.2.3';
const place = { account: '123456789012', region: 'eu-central-1', stackName: 'hookloom-production' };

interface Resource {
  readonly Type: string;
  readonly Properties?: { readonly Code?: { readonly S3Key?: { readonly 'Fn::Sub': string } } };
  readonly DependsOn?: string | readonly string[];
}
type Template = ReturnType<typeof toReleasedTemplate> & {
  readonly Resources: Readonly<Record<string, Resource>>;
};

/** A project outside of the repository, with the package as it is published, around the released template. */
const folder = mkdtempSync(join(tmpdir(), 'hookloom-cdk-'));
const installed = join(folder, 'node_modules/@hookloom/cdk');
let released: Template;

beforeAll(() => {
  released = withPackager(projectRoot, (packageWith) => toReleasedTemplate(VERSION, packageWith)) as Template;
  execFileSync(process.execPath, ['scripts/build-package.ts', 'cdk', installed], { cwd: projectRoot });
  mkdirSync(join(installed, 'release/functions'), { recursive: true });
  writeFileSync(join(installed, 'release/template.json'), JSON.stringify(released));
  for (const zip of zipsOf(released)) writeFileSync(join(installed, 'release/functions', zip), zip);
  mkdirSync(join(folder, 'node_modules/@types'));
  for (const name of ['aws-cdk-lib', 'constructs', '@types/node', 'undici-types'])
    symlinkSync(join(projectRoot, 'node_modules', name), join(folder, 'node_modules', name));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
});
afterAll(() => rmSync(folder, { recursive: true }));

const zipsOf = ({ Resources }: Template): readonly string[] =>
  Object.values(Resources).flatMap(({ Properties }) => {
    const key = Properties?.Code?.S3Key?.['Fn::Sub'];
    return key === undefined ? [] : [key.replace(/^[^}]*\}/, '')];
  });

/** Runs an app of the project as `cdk synth` does. @returns what it says, with the template and the warnings of its stack */
const synthesize = (name: string, app: string) => {
  writeFileSync(join(folder, `${name}.ts`), app);
  const out = join(folder, name);
  const { status, stderr } = spawnSync(process.execPath, [`${name}.ts`], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, CDK_OUTDIR: out },
  });
  const readOut = (file: string) => JSON.parse(readFileSync(join(out, file), 'utf8'));
  return { status, stderr, readOut };
};

const [, example = ''] =
  /```ts\n([\s\S]*?)```/.exec(readFileSync(join(projectRoot, 'packages/cdk/README.md'), 'utf8')) ?? [];

/** A stack with a stage. */
const appWith = (stackName: string, props: string): string => `
import { Hookloom } from '@hookloom/cdk';
import { App, Stack } from 'aws-cdk-lib';
new Hookloom(new Stack(new App(), 'Hookloom', { stackName: '${stackName}' }), 'Stage', ${props});`;

/** A resource without its zip and the name of its version, which differ. */
const comparable = ({ resources }: ReturnType<typeof resolveTemplate>) =>
  Object.fromEntries(
    Object.values(resources)
      .filter(({ type }) => type !== 'AWS::SNS::Topic' && type !== 'AWS::CDK::Metadata')
      .map(({ logicalId, type, properties: { Code: _code, ...properties } }) => [
        logicalId,
        { type, properties: type === 'AWS::Lambda::Version' ? null : properties },
      ]),
  );

/** What CloudFormation is told about a resource beside its properties. */
const attributesOf = ({ Resources }: Template) =>
  Object.fromEntries(
    Object.entries(Resources)
      .filter(([, { Type }]) => Type !== 'AWS::SNS::Topic')
      .map(([id, { Properties: _properties, DependsOn = [], ...attributes }]) => {
        const { Metadata: _metadata, ...kept } = attributes as Record<string, unknown>;
        return [id, { ...kept, DependsOn: [DependsOn].flat().sort() }];
      }),
  );

test('the app of the README is typed, and synthesizes what the template launches', () => {
  const { status, stderr, readOut } = synthesize('example', example);
  expect({ status, problems: status === 0 ? '' : stderr }).toEqual({ status: 0, problems: '' });
  execFileSync(
    join(projectRoot, 'node_modules/.bin/tsc'),
    ['--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', '--types', 'node', 'example.ts'],
    { cwd: folder, stdio: 'pipe' },
  );

  const template: Template = readOut('Hookloom.template.json');
  // The parameter and the rule that CDK adds are about its bootstrap.
  const { Parameters: _parameters, Rules: _rules, ...own } = template;
  const synthesized = resolveTemplate(own as never, { ...place, parameters: {} });
  const topics = Object.values(synthesized.resources).flatMap(
    ({ properties: { AlarmActions = [] } }) => AlarmActions as string[],
  );
  expect(new Set(topics).size).toBe(1);
  const parameters = {
    Stage: 'production',
    AssetsBucket: 'a',
    AlarmTopic: topics[0] ?? '',
    Dashboard: 'true',
  };
  const launched = resolveTemplate(released as never, { ...place, parameters });
  expect(comparable(synthesized)).toEqual(comparable(launched));
  expect(attributesOf(template)).toEqual(attributesOf(released));
  const Webhooks = launched.outputs.WebhookUrl;
  expect(synthesized.outputs).toEqual({ ...launched.outputs, Webhooks });
  expect(stderr).not.toContain('WARNING');
});

test('each function is an asset of its own, and other code makes another version', () => {
  const versionOf = (name: string) => {
    const { readOut } = synthesize(name, appWith('hookloom-production', '{}'));
    const { Resources }: Template = readOut('Hookloom.template.json');
    const keys = Object.values(Resources).flatMap(({ Properties }) => Properties?.Code?.S3Key ?? []);
    expect([name, new Set(keys).size]).toEqual([name, zipsOf(released).length]);
    const { files } = readOut('Hookloom.assets.json');
    expect(Object.keys(files).map((hash) => `${hash}.zip`)).toEqual(expect.arrayContaining(keys));
    return JSON.stringify(Resources.RunDurableLambdaVersion?.Properties);
  };
  const before = versionOf('before');
  expect(versionOf('again')).toBe(before);
  writeFileSync(join(installed, 'release/functions/runDurable.zip'), 'changed');
  expect(versionOf('after')).not.toBe(before);
});

test('a stage whose stack has another name is warned of, and a name that the template refuses is an error', () => {
  const { readOut } = synthesize('other', appWith('shop', "{ stage: 'shop' }"));
  expect(
    JSON.stringify(readOut('manifest.json')) + JSON.stringify(readOut('Hookloom.metadata.json')),
  ).toContain('Name the stack \\"hookloom-shop\\"');
  const { status, stderr } = synthesize('refused', appWith('hookloom-Shop', "{ stage: 'Shop' }"));
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining('stage "Shop" must match [a-z][a-z0-9-]{0,19}'),
  ]);
});

test('the props are the parameters of the template but for the assets', () => {
  const declared = readFileSync(join(installed, 'index.d.ts'), 'utf8');
  const [, props = ''] = /interface HookloomProps \{([\s\S]*?)\n\}/.exec(declared) ?? [];
  const found = [...props.matchAll(/readonly (\w+)\?: (\w+);/g)].map(([, name, type]) => [name, type]);
  const { AssetsBucket: _bucket, AssetsPrefix: _prefix, ...parameters } = toParameters(VERSION);
  const expected = Object.entries(parameters).map(([name, { AllowedValues }]) => [
    `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
    AllowedValues === undefined ? 'string' : 'boolean',
  ]);
  expect(found).toEqual([...expected, ['release', 'string']]);
});

test('what is published has JavaScript and declarations, and nothing of the workspace', () => {
  const about = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(about).not.toHaveProperty('private');
  expect(about).not.toHaveProperty('dependencies');
  expect(about).not.toHaveProperty('devDependencies');
  expect(about).toMatchObject({
    license: 'MIT',
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    peerDependencies: {
      'aws-cdk-lib': expect.stringMatching(/^\^2\./),
      constructs: expect.stringMatching(/^\^10\./),
    },
  });
});
