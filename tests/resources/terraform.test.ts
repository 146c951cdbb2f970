import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { toParameters } from '../../scripts/release/released-template.ts';
import { projectRoot } from '../support/run-command.ts';

/** HashiCorp's own parser, in WebAssembly. */
const { parse } = createRequire(import.meta.url)('@cdktf/hcl2json');

/** A block's attributes; a block within one is a list. */
type Block = Readonly<Record<string, unknown>>;
type Blocks = Readonly<Record<string, readonly Block[]>>;

interface Configuration {
  readonly variable?: Blocks;
  readonly output?: Blocks;
  readonly module?: Blocks;
  readonly resource?: Readonly<Record<string, Blocks>>;
  readonly data?: Readonly<Record<string, Blocks>>;
}

const folder = join(projectRoot, 'resources/terraform');
const files = globSync('**/*.tf', { cwd: folder });
const read = (file: string): Promise<Configuration> => parse(file, readFileSync(join(folder, file), 'utf8'));

/** What the provider refuses to be without, in its version 5: https://registry.terraform.io/providers/hashicorp/aws/latest/docs */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  aws_cloudformation_stack: ['name', 'template_url'],
  aws_s3_object: ['bucket', 'key'],
  aws_s3_bucket: [],
  aws_sns_topic: [],
};

test('each file parses, and each resource has the arguments that its type needs', async () => {
  for (const file of files) {
    const { resource = {}, data = {} } = await read(file);
    for (const [type, named] of [...Object.entries(resource), ...Object.entries(data)])
      for (const [name, [block]] of Object.entries(named))
        expect([name, Object.keys(block ?? {})]).toEqual([
          name,
          expect.arrayContaining([...(REQUIRED[type] ?? [`no such type: ${type}`])]),
        ]);
  }
  expect(files.sort()).toEqual(['example/main.tf', 'main.tf', 'outputs.tf', 'variables.tf']);
});

test('the stack has each parameter of the template, from the variable of its name and with its default', async () => {
  const { resource } = await read('main.tf');
  const { variable = {} } = await read('variables.tf');
  const [stack] = resource?.aws_cloudformation_stack?.stage ?? [];
  const { AssetsPrefix, ...given } = (stack?.parameters ?? {}) as Readonly<Record<string, string>>;
  const { AssetsPrefix: declared, ...parameters } = toParameters('1.2.3');
  expect([AssetsPrefix, typeof declared]).toEqual([`\${local.prefix}`, 'object']);
  expect(Object.keys(given).sort()).toEqual(Object.keys(parameters).sort());
  for (const [name, { Default, AllowedValues, Description }] of Object.entries(parameters)) {
    const snake = name.replaceAll(/(?<=.)[A-Z]/g, '_$&').toLowerCase();
    const isSwitch = AllowedValues !== undefined;
    expect([name, given[name]]).toEqual([name, isSwitch ? `\${tostring(var.${snake})}` : `\${var.${snake}}`]);
    const [own] = variable[snake] ?? [];
    expect([name, own?.default === undefined ? undefined : String(own.default)]).toEqual([name, Default]);
    expect(own?.type).toBe(isSwitch ? `\${bool}` : `\${string}`);
    if (name !== 'AssetsBucket') expect(own?.description).toBe(Description);
  }
});

test('each variable and local value that is named exists, and each variable is used', async () => {
  const text = files
    .filter((file) => !file.includes('/'))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  const used = (kind: string) =>
    [...text.join('\n').matchAll(new RegExp(`\\b${kind}\\.(\\w+)`, 'g'))].map(([, name = '']) => name);
  const { variable = {} } = await read('variables.tf');
  expect([...new Set(used('var'))].sort()).toEqual(Object.keys(variable).sort());
  const { locals } = (await read('main.tf')) as { readonly locals?: readonly Block[] };
  expect([...new Set(used('local'))].sort()).toEqual(Object.keys(locals?.[0] ?? {}).sort());
});

test('the example gives variables of the module, and reads an output of it', async () => {
  const { module, output } = await read('example/main.tf');
  const { variable = {} } = await read('variables.tf');
  const { output: outputs = {} } = await read('outputs.tf');
  const [{ source, ...given } = { source: '' }] = module?.hookloom ?? [];
  expect(source).toBe('../');
  expect(Object.keys(variable)).toEqual(expect.arrayContaining(Object.keys(given)));
  const [, read1 = ''] = /module\.hookloom\.(\w+)/.exec(JSON.stringify(output)) ?? [];
  expect(Object.keys(outputs)).toContain(read1);
});

test('what the last release needs stays until the stack has left it', async () => {
  const { resource } = await read('main.tf');
  for (const [block] of Object.values(resource?.aws_s3_object ?? {}))
    expect(block?.lifecycle).toEqual([{ create_before_destroy: true }]);
});
