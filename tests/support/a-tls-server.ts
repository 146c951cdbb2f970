import { readFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll } from '@jest/globals';
import type { Routes } from './a-local-server.ts';

/**
 * Certificates of an authority that was made for the tests, with `openssl req -x509` and `openssl x509 -req`. Its own key
 * is not kept; they expire in 2126.
 */
const read = (name: string): string => readFileSync(join(import.meta.dirname, 'tls', name), 'utf8');

/** The key is also encrypted, with the passphrase `open-sesame`. */
export const clientIdentity = {
  certificate: read('client.pem'),
  key: read('client.key'),
  encryptedKey: read('client-encrypted.key'),
  otherKey: read('server.key'),
};

/** Makes the processes' TLS clients trust the authority of the tests, until the returned function is called. */
export const trustTestAuthority = (): (() => void) => {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, read('ca.pem')]);
  return () => setDefaultCACertificates(before);
};

/**
 * Makes the TLS clients of a test file's process trust the authority of the tests.
 *
 * @returns how to do something without it
 */
export const useTestAuthority = (): (<Result>(work: () => Promise<Result>) => Promise<Result>) => {
  let distrust = () => {};
  beforeAll(() => {
    distrust = trustTestAuthority();
  });
  afterAll(() => distrust());
  return async (work) => {
    distrust();
    try {
      return await work();
    } finally {
      distrust = trustTestAuthority();
    }
  };
};

/** A real TLS server on the loopback interface, which asks for a client certificate and answers with its subject. */
export const aTlsServer = async (routes: Routes = {}) => {
  const server = https.createServer(
    {
      cert: read('server.pem'),
      key: read('server.key'),
      ca: read('ca.pem'),
      requestCert: true,
      rejectUnauthorized: false,
    },
    ({ socket, url = '', method = '', headers }, response) => {
      const route = routes[url];
      if (route !== undefined) return route({ method, url, headers, body: '', connection: 0 }, response);
      const { authorized } = socket as TLSSocket;
      response.end(
        authorized ? `hello ${(socket as TLSSocket).getPeerCertificate().subject.CN}` : 'hello stranger',
      );
    },
  );
  const sockets = new Set<Socket>();
  server.on('secureConnection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `https://127.0.0.1:${port}`,
    /** Connections so far. */
    connections: () => sockets.size,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};
