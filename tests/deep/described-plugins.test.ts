import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { createChunks } from '../../resources/chunks.ts';
import { projectRoot, runCommand } from '../support/run-command.ts';

/** What functions ask of node types that they don't run, by node type: in a process of its own, of a bundle. */
const askAll = async (list: 'installed' | 'described'): Promise<unknown> => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-described-'));
  const entry = join(folder, 'ask.ts');
  writeFileSync(
    entry,
    `
    import { ${list}Plugins } from '${projectRoot}/nodes/${list}.ts';
    import { systemClock } from '${projectRoot}/lib/adapters/runtime/system-clock.ts';
    import { loadRegistry } from '${projectRoot}/lib/plugins/load-registry.ts';
    import { describeNodeType } from '${projectRoot}/lib/plugins/reference/describe-node-type.ts';
    const nothing = () => {};
    const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
    const ask = async () => {
      const registry = await loadRegistry(${list}Plugins, { logger, clock: systemClock });
      const answers = {};
      for (const { id, status, plugin } of await registry.initialise()) {
        answers[id] = status;
        for (const type of plugin?.nodeTypes ?? []) {
          const parameters = type.example?.parameters ?? {};
          const { credentialTypesFor, awsCalls, checkParameters, kind } = type;
          // Triggers are checked by what registers them.
          const wrong = { ...parameters, rate: 'now', next: 'body.[', pattern: { a: 1 } };
          answers[type.nodeType] = {
            ...describeNodeType(type),
            types: credentialTypesFor?.(parameters) ?? null,
            calls: awsCalls?.(parameters) ?? null,
            problems: kind === 'trigger' ? [await checkParameters?.(parameters), await checkParameters?.(wrong)] : null,
          };
        }
      }
      return answers;
    };
    ask().then((answers) => process.stdout.write(JSON.stringify(answers)));`,
  );
  await build({
    absWorkingDir: projectRoot,
    entryPoints: [entry],
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    logLevel: 'silent',
    plugins: [createChunks()],
  });
  const { stdout, stderr } = await runCommand('node', [join(folder, 'ask.cjs')]);
  rmSync(folder, { recursive: true });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
};

test('functions that run no nodes know all of each node type, and check triggers, without what nodes load when they run', async () => {
  const described = await askAll('described');
  expect(described).toEqual(await askAll('installed'));
  expect(described).toMatchObject({
    polls: 'loaded',
    pollTrigger: { problems: [[], expect.arrayContaining([expect.objectContaining({ path: '/next' })])] },
    eventTrigger: { problems: [[], [expect.objectContaining({ path: '/pattern/a' })]] },
  });
});
