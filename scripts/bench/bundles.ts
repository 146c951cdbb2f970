import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { createEnvironment } from './bench-service.ts';
import { buildBundle, functionFiles } from './build-bundle.ts';
import { startFresh } from './fresh-process.ts';
import { median, printTable } from './measure.ts';

const STARTS = 21;

/** Returns each package's share of a bundle, in bytes. */
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
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-bench-'));
  const empty = join(folder, 'empty.cjs');
  writeFileSync(empty, '');

  const bundles: { readonly name: string; readonly file: string; readonly bytes: number }[] = [];
  let webhookShares: [string, number][] = [];
  for (const [name, source] of functionFiles) {
    const file = join(folder, `${name}.cjs`);
    const metafile = await buildBundle(source, file);
    if (name === 'webhook') webhookShares = shares(metafile);
    bundles.push({ name, file, bytes: readFileSync(file).byteLength });
  }

  // Interleaved, so that other load on the machine affects all of them.
  const times = new Map<string, number[]>([
    ['', []],
    ...bundles.map(({ name }): [string, number[]] => [name, []]),
  ]);
  for (let start = 0; start < STARTS; start++) {
    times.get('')?.push(startFresh(empty, {}).import);
    for (const { name, file } of bundles)
      times.get(name)?.push(startFresh(file, createEnvironment(name, 'http://127.0.0.1:1')).import);
  }
  rmSync(folder, { recursive: true });

  const base = median(times.get('') ?? []);
  printTable(
    `Functions: size of the bundle, and import in a fresh process (median of ${STARTS})`,
    ['', 'kB', 'CPU ms', 'CPU ms beyond an empty module'],
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
