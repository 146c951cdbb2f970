import { createServer } from 'node:http';
import { type InternalServer, startInternalServer } from '../net/listen.ts';
import type { Stage } from './start-stage.ts';

/** Stands in for AWS's console and schedulers: fires schedules, lists grants and refusals. */
export const startControl = (stage: Stage): Promise<InternalServer> => {
  const acts: Readonly<Record<string, (name: string) => Promise<void>>> = {
    fire: stage.fire,
    'custom-resources': (type) => stage.requestCustomResources(type === 'Delete' ? 'Delete' : 'Create'),
  };
  return startInternalServer(
    createServer(async ({ method, url = '' }, response) => {
      const send = (status: number, body: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      const [, operation = '', name = ''] = /^\/([\w-]+)(?:\/(\w+))?$/.exec(url) ?? [];
      const act = method === 'POST' ? acts[operation] : undefined;
      if (url === '/grants') send(200, stage.door.grantUses());
      else if (url === '/processes') send(200, stage.busy());
      else if (url === '/refusals') send(200, stage.door.refusals());
      else if (act === undefined) send(404, {});
      else
        await act(name).then(
          () => send(200, {}),
          (error: Error) => send(400, { message: error.message }),
        );
    }),
  );
};
