import { copyProject, type ProjectCopy, type StartedCopy } from './bench/local-copy.ts';
import { median, printMachine, printTable } from './bench/measure.ts';

const STARTS = 5;
const EDITS = 50;
const CLIENTS = 8;
const RUNS = 500;

const PLUGIN = 'plugins/bench.ts';
const DEBUG = 'functions/admin/debug.ts';
const HELLO = 'workflows/hello.json';

/** A kind of edit: the file, its text, and the path whose response shows it. */
interface EditKind {
  readonly title: string;
  readonly file: string;
  readonly text: (edit: string) => string;
  readonly path: string;
}

const trigger = { id: 'in', type: 'webhookTrigger', parameters: { responseMode: 'lastNode' } };
const connections = [{ sourceNodeId: 'in', targetNodeId: 'out' }];
const workflow = (id: string, nodes: readonly unknown[], more = {}) =>
  JSON.stringify({ id, name: id, enabled: true, nodes, connections, ...more }, null, 2);

const kinds: readonly EditKind[] = [
  {
    title: 'a workflow file',
    file: HELLO,
    text: (edit) =>
      workflow('hello', [trigger, { id: 'out', type: 'set', parameters: { values: { edit } } }]),
    path: '/api/webhook/hello/webhook',
  },
  {
    title: 'a plugin',
    file: PLUGIN,
    text: (edit) => `export default {
      id: 'bench', name: 'Bench', version: '1.0.0', description: 'Edits', category: 'bench',
      handles: [{ id: 'bench', name: 'Bench', description: 'Edits', kind: 'action', pure: true,
        schema: { type: 'object' }, execute: () => ({ edit: '${edit}' }) }],
    };`,
    path: '/api/webhook/bench/webhook',
  },
  {
    title: 'a function',
    file: DEBUG,
    text: (edit) =>
      `export const handler = async () => ({ statusCode: 200, body: JSON.stringify({ edit: '${edit}' }) });`,
    path: '/api/admin/debug',
  },
];

/** Measures `npm start`: start-up, edits with and without load, and many concurrent background runs. */
const benchLocal = async (): Promise<void> => {
  const project = copyProject();
  try {
    const starts: number[] = [];
    for (let at = 0; at < STARTS; at++) {
      const service = await project.start();
      starts.push(service.startMs);
      await service.stop();
    }
    printTable(
      'From npm start to the startup message, ms',
      ['starts', 'median', 'slowest'],
      [[String(STARTS), ...figures(starts)]],
    );

    addPlugin(project);
    const service = await project.start();
    try {
      await benchEdits(project, service);
      await benchRuns(project, service);
    } finally {
      await service.stop();
    }
  } finally {
    project.remove();
  }
};

const figures = (values: readonly number[]): string[] => [
  median(values).toFixed(0),
  Math.max(...values).toFixed(0),
];

/** Adds a plugin and a workflow that responds with its output. */
const addPlugin = (project: ProjectCopy): void => {
  const plugin = kinds.find(({ file }) => file === PLUGIN);
  project.write(PLUGIN, plugin?.text('none') ?? '');
  project.write(
    'plugins/installed.ts',
    `import { unified, legacyTrigger } from '../lib/plugins/installed-plugin.ts';
    export const installedPlugins = [
      legacyTrigger('webhookTrigger', () => import('../nodes/webhook-trigger.ts')),
      unified('flow', () => import('../nodes/flow.ts')),
      unified('bench', () => import('./bench.ts')),
    ];`,
  );
  for (const name of ['approval', 'copy-file', 'github-push', 'orders', 'products', 'sync-people']) {
    project.write(`workflows/${name}.json`, workflow(name, [trigger, { id: 'out', type: 'bench' }]));
  }
  project.write('workflows/bench.json', workflow('bench', [trigger, { id: 'out', type: 'bench' }]));
};

const readEdit = async (url: string): Promise<string> => {
  const response = await fetch(url, { method: url.includes('/admin/') ? 'GET' : 'POST' });
  const { edit } = (await response.json()) as { readonly edit?: string };
  return response.ok ? (edit ?? '') : `status ${response.status}`;
};

/** Measures the milliseconds from the write to the first response that shows it. */
const timeEdit = async (
  project: ProjectCopy,
  service: StartedCopy,
  { file, text, path }: EditKind,
  edit: string,
): Promise<number> => {
  const startedAt = performance.now();
  project.write(file, text(edit));
  while ((await readEdit(`${service.baseUrl}${path}`)) !== edit) {
    if (performance.now() - startedAt > 60_000) throw new Error(`${file} is not live after a minute`);
  }
  return performance.now() - startedAt;
};

const benchEdits = async (project: ProjectCopy, service: StartedCopy): Promise<void> => {
  const rows: string[][] = [];
  for (const isLoaded of [false, true]) {
    for (const kind of kinds) {
      await readEdit(`${service.baseUrl}${kind.path}`);
      const load = isLoaded ? startLoad(service) : null;
      const times: number[] = [];
      for (let at = 0; at < EDITS; at++) {
        times.push(await timeEdit(project, service, kind, `${isLoaded ? 'loaded' : 'idle'}-${at}`));
      }
      const requests = (await load?.stop()) ?? { answered: 0, failed: 0 };
      const slow = times.filter((ms) => ms > 1_000).length;
      const served = isLoaded ? `${requests.answered}, ${requests.failed} failed` : '';
      rows.push([kind.title, isLoaded ? 'loaded' : 'idle', ...figures(times), String(slow), served]);
    }
  }
  const header = ['edit', '', 'median', 'slowest', 'over 1 s', 'other requests in the meantime'];
  printTable(`From the edit to the first response that shows it, ms; ${EDITS} each`, header, rows);
};

/** Clients that each send requests in sequence. */
const startLoad = ({ baseUrl }: StartedCopy) => {
  let isOn = true;
  const counts = { answered: 0, failed: 0 };
  const client = async (): Promise<void> => {
    while (isOn) {
      const isOk = await fetch(`${baseUrl}/api/webhook/bench/webhook`, { method: 'POST' }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.ok;
        },
        () => false,
      );
      if (isOk) counts.answered++;
      else counts.failed++;
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  return {
    stop: async () => {
      isOn = false;
      await Promise.all(clients);
      return counts;
    },
  };
};

const benchRuns = async (project: ProjectCopy, service: StartedCopy): Promise<void> => {
  const rows: string[][] = [];
  for (const execution of ['express', 'durable']) {
    const id = `runs-${execution}`;
    const nodes = [
      { ...trigger, parameters: {} },
      { id: 'out', type: 'bench' },
    ];
    project.write(`workflows/${id}.json`, workflow(id, nodes, { settings: { execution } }));
    while (!service.output().includes(`${id} is now at version`))
      await new Promise((done) => setTimeout(done, 50));
    const startedAt = performance.now();
    const accepted = await Promise.all(
      Array.from({ length: RUNS }, () =>
        fetch(`${service.baseUrl}/api/webhook/${id}/webhook`, { method: 'POST' }).then(
          ({ status }) => status,
        ),
      ),
    );
    const acceptedMs = performance.now() - startedAt;
    let statuses = await countStatuses(service, id);
    while ((statuses.succeeded ?? 0) + (statuses.failed ?? 0) < RUNS) {
      if (performance.now() - startedAt > 600_000) break;
      await new Promise((done) => setTimeout(done, 200));
      statuses = await countStatuses(service, id);
    }
    rows.push([
      execution,
      String(accepted.filter((status) => status === 202).length),
      acceptedMs.toFixed(0),
      JSON.stringify(statuses),
      (performance.now() - startedAt).toFixed(0),
      String(service.output().match(/its process failed/g)?.length ?? 0),
    ]);
  }
  const header = ['runs at once', 'accepted', 'in ms', 'ended as', 'in ms', 'failed processes'];
  printTable(`${RUNS} background runs at once`, header, rows);
};

const countStatuses = async (
  { baseUrl }: StartedCopy,
  workflowId: string,
): Promise<Record<string, number>> => {
  /** The executions found, by id, since one whose status changes in the meantime may be on two pages. */
  const found = new Map<string, string>();
  let cursor: string | null = '';
  do {
    const query: URLSearchParams = new URLSearchParams({ workflowId, limit: '100', cursor });
    const response = await fetch(`${baseUrl}/api/admin/executions?${query}`);
    const page = (await response.json()) as {
      readonly executions: readonly { readonly executionId: string; readonly status: string }[];
      readonly nextCursor: string | null;
    };
    for (const { executionId, status } of page.executions) found.set(executionId, status);
    cursor = page.nextCursor;
  } while (cursor !== null);
  const counts: Record<string, number> = {};
  for (const status of found.values()) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

printMachine();
await benchLocal();
