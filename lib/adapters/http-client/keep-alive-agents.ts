import http from 'node:http';
import https from 'node:https';

/** After a freeze, a sandbox's connections may look open although they are not: servers close idle ones after 5 s. */
const staleAfterMs = 4_000;

export interface Agents {
  /** The agent for the next request to a URL of this protocol. */
  for(protocol: string): http.Agent;
}

/**
 * Agents that keep connections open between requests. Idle connections don't keep the process alive (Node unrefs them)
 * and close after 15 s. If nothing was sent for a while, by the wall clock, the next request opens a new one.
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
