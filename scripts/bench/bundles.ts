import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { parse } from 'yaml';
import { median, printTable } from './measure.ts';

const root = new URL('../../', import.meta.url);
const STARTS = 21;

interface ServerlessFile {
  readonly functions: Record<string, { readonly handler: string }>;
  readonly custom: {
    readonly esbuild: Pick<BuildOptions, 'minify' | 'format' | 'target' | 'mainFields'> & {
      readonly exclude: string[];
    };
  };
}

/** Milliseconds that a fresh process takes to import a file, without the start of the process. */
const importTime = (file: string): number => {
  const script = `
    const start = process.hrtime.bigint();
    require(${JSON.stringify(file)});
    process.stdout.write(String(process.hrtime.bigint() - start))`;
  const env = {
    ...process.env,
    TABLE_PREFIX: 'bench',
    AWS_REGION: 'us-east-1',
    LOG_LEVEL: 'error',
    RUN_DURABLE_FUNCTION: 'bench:durable',
    RUN_EXPRESS_FUNCTION: 'bench',
    BLOB_BUCKET: 'bench',
    PUBLIC_URL: 'https://example.com',
  };
  return Number(execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' })) / 1e6;
};

/** Bytes of a bundle by package. */
const shares = ({ outputs }: Metafile): [string, number][] => {
  const [output] = Object.values(outputs);
  const sizes = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
    const [, name = 'this project'] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
    const source = name.replace(/^(@aws-sdk|@smithy|@aws-crypto|@middy)\/.*/, '$1/*');
    sizes.set(source, (sizes.get(source) ?? 0) + bytesInOutput);
  }
  return [...sizes].sort(([, a], [, b]) => b - a);
};

export const benchBundles = async (): Promise<void> => {
  const { functions, custom }: ServerlessFile = parse(readFileSync(new URL('serverless.yml', root), 'utf8'), {
    logLevel: 'silent',
  });
  const { minify, format, target, mainFields, exclude: external } = custom.esbuild;
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-bench-'));
  const empty = join(folder, 'empty.cjs');
  writeFileSync(empty, '');

  const bundles: { readonly name: string; readonly file: string; readonly bytes: number }[] = [];
  let webhookShares: [string, number][] = [];
  for (const [name, { handler }] of Object.entries(functions)) {
    const file = join(folder, `${name}.cjs`);
    const { metafile } = await build({
      entryPoints: [new URL(handler.replace(/\.handler$/, '.ts'), root).pathname],
      outfile: file,
      bundle: true,
      platform: 'node',
      metafile: true,
      logLevel: 'error',
      ...{ minify, format, target, mainFields, external },
    } as BuildOptions & { metafile: true });
    if (name === 'webhook') webhookShares = shares(metafile);
    bundles.push({ name, file, bytes: readFileSync(file).byteLength });
  }

  // Interleaved, so that other load of the machine affects all of them.
  const times = new Map<string, number[]>([
    ['', []],
    ...bundles.map(({ name }): [string, number[]] => [name, []]),
  ]);
  for (let start = 0; start < STARTS; start++) {
    times.get('')?.push(importTime(empty));
    for (const { name, file } of bundles) times.get(name)?.push(importTime(file));
  }
  rmSync(folder, { recursive: true });

  const base = median(times.get('') ?? []);
  printTable(
    `Functions: size of the bundle, and import in a fresh process (median of ${STARTS})`,
    ['', 'kB', 'ms', 'ms beyond an empty module'],
    [
      ['an empty module', '0.0', base.toFixed(1), ''],
      ...bundles.map(({ name, bytes }) => {
        const time = median(times.get(name) ?? []);
        return [name, (bytes / 1_000).toFixed(1), time.toFixed(1), (time - base).toFixed(1)];
      }),
    ],
  );
  printTable(
    'What the webhook bundle is made of',
    ['', 'kB'],
    webhookShares.map(([name, bytes]) => [name, (bytes / 1_000).toFixed(1)]),
  );
};
