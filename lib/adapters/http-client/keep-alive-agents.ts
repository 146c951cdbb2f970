import http from 'node:http';
import https from 'node:https';

/** A sandbox that was frozen wakes with connections that look alive and are not; servers give up idle ones after 5 s. */
const staleAfterMs = 4_000;

export interface Agents {
  /** The agent for the next request to a URL of this protocol. */
  for(protocol: string): http.Agent;
}

/**
 * Keeps connections open between requests. Idle ones keep no process alive (Node unrefs them) and end after
 * 15 s; when nothing was sent for a while, as by the clock on the wall, the next request starts on a new one.
 */
export const createAgents = (now: () => number): Agents => {
  const options = { keepAlive: true, maxFreeSockets: 16, timeout: 15_000 };
  const plain = new http.Agent(options);
  const secure = new https.Agent(options);
  let lastUse = now();
  return {
    for: (protocol) => {
      const idleSince = lastUse;
      lastUse = now();
      if (lastUse - idleSince > staleAfterMs) for (const agent of [plain, secure]) discardIdle(agent);
      return protocol === 'https:' ? secure : plain;
    },
  };
};

const discardIdle = (agent: http.Agent): void => {
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
};
