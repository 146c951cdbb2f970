import { createServer } from 'node:http';
import { type InternalServer, startInternalServer } from 'lambda-stage/net';

interface Shared {
  readonly value: string;
  stop?(): Promise<void>;
}

/** By name. Each loads its code when a test file first asks for it. */
const makers: Readonly<Record<string, () => Promise<Shared>>> = {
  /** The address of a browser; each test file connects to it, and has pages of its own. */
  browser: async () => {
    const { chromium } = await import('playwright-core');
    const { browserOptions } = await import('../../../scripts/pages/open-browser.ts');
    const server = await chromium.launchServer({ ...(await browserOptions()), timeout: 0 });
    server.once('close', () => made.delete('browser')); // after a crash, the next file gets another one
    return { value: server.wsEndpoint(), stop: () => server.close() };
  },
  /** The package of the unchanged project, which stages find in the cache. */
  'stage-package': async () => {
    const { packageStage } = await import('../../../packages/local/stage/package-stage.ts');
    const { stagePackage } = await import('../stage-package.ts');
    await packageStage(stagePackage());
    return { value: 'is packaged' };
  },
};

const made = new Map<string, Promise<Shared>>();
let server: InternalServer | null = null;

/** Jest's `globalSetup`: starts a server in the main process, which makes what the test files share for the first that asks. */
export default async function startSharedServer(): Promise<void> {
  server = await startInternalServer(
    createServer((request, response) => {
      const name = request.url?.slice(1) ?? '';
      const shared = made.get(name) ?? makers[name]?.();
      if (shared === undefined) return void response.writeHead(404).end(`nothing is shared as "${name}"`);
      made.set(name, shared);
      shared.then(
        ({ value }) => response.end(value),
        (error: Error) => response.writeHead(500).end(error.stack),
      );
    }),
  );
  process.env.HOOKLOOM_SHARED = server.endpoint; // inherited by the workers
}

/** Ends what was made, and the server. */
export const stopSharedServer = async (): Promise<void> => {
  await server?.stop();
  for (const shared of made.values()) await (await shared.catch(() => null))?.stop?.();
};
