import { afterEach } from '@jest/globals';
import dynalite from 'dynalite';
import { createClient } from '../../src/database/client.ts';
import { AT_ONCE, withStore } from '../../src/database/watch-changes.ts';
import { startInternalServer } from '../../src/net/listen.ts';

/** Gives every caller an empty DynamoDB of its own, with a client; gone after the test. */
export const useDatabases = () => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });
  return async () => {
    const [http, store] = withStore(() => dynalite(AT_ONCE));
    const server = await startInternalServer(http);
    const { endpoint } = server;
    const client = createClient(endpoint);
    cleanups.push(async () => {
      client.destroy();
      await server.stop();
    });
    return { client, endpoint, store };
  };
};
