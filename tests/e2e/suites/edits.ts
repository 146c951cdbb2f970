import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { plugin, set, workflow } from '../../support/a-project-file.ts';
import type { RunningProject } from '../../support/a-running-project.ts';
import { cases } from '../../support/deep.ts';
import { poll } from '../../support/poll.ts';

const EDITS = cases(5, 50);

const before = 'none';

export const editedPlugins = { edited: plugin('edited', `() => ({ edit: '${before}' })`) };

/** In a project that has the {@link editedPlugins}. */
export const describeEdits = (project: RunningProject): void => {
  const { post, storeWorkflow, write } = project;
  const shows = async (path: string, edit: string) => (await post(path)).body?.edit === edit;
  const writePlugin = (edit: string) =>
    write('nodes/edited.ts', plugin('edited', `() => ({ edit: '${edit}' })`));

  describe('edits', () => {
    test(`of workflows, plugins and functions are live, ${EDITS} in a row, without a failed request`, async () => {
      await storeWorkflow(workflow('plugged', { type: 'edited' }));
      expect(await shows('/api/webhook/plugged/webhook', before)).toBe(true);

      const statuses = new Set<number>();
      let isOn = true;
      const calls = poll(async () => {
        statuses.add((await post('/api/webhook/plugged/webhook')).status);
        return !isOn;
      });
      for (let at = 0; at < EDITS; at++) {
        const edit = `edit ${at}`;
        switch (at % 5) {
          case 0:
            writePlugin(edit);
            await poll(() => shows('/api/webhook/plugged/webhook', edit));
            break;
          case 1:
            write('functions/admin/debug.ts', `export const handler = async () => ({ edit: '${edit}' });`);
            // Not through the project, which compares each answer with the document of the API.
            await poll(async () => {
              const answer = await fetch(`${project.service.baseUrl}/api/admin/debug`);
              return ((await answer.json()) as { readonly edit?: string }).edit === edit;
            });
            break;
          default:
            await storeWorkflow(workflow('hello', set({ edit })));
            expect(await shows('/api/webhook/hello/webhook', edit)).toBe(true);
        }
      }
      isOn = false;
      await calls;
      expect([...statuses]).toEqual([200]);
    });

    test('that can’t be built are reported with their place, and the previous code stays live', async () => {
      write('nodes/edited.ts', 'export default ;');
      await project.service.printed(/can't be built[\s\S]*nodes\/edited\.ts:1:16/);
      expect((await post('/api/webhook/plugged/webhook')).status).toBe(200);
      writePlugin('mended');
      await poll(() => shows('/api/webhook/plugged/webhook', 'mended'));
    });

    test('that remove a file or change its id remove the workflow, and report it', async () => {
      await storeWorkflow(workflow('first', set({ edit: 'first' })));
      expect(await shows('/api/webhook/first/webhook', 'first')).toBe(true);
      write('workflows/first.json', JSON.stringify(workflow('second', set({ edit: 'second' }))));
      await project.service.printed(/workflows\/first\.json now defines second: first was removed/);
      expect((await post('/api/webhook/first/webhook')).status).toBe(404);
      rmSync(join(project.folder, 'workflows/first.json'));
      await project.service.printed(/workflows\/first\.json no longer exists: second was removed/);
      expect((await post('/api/webhook/second/webhook')).status).toBe(404);
    });
  });
};
