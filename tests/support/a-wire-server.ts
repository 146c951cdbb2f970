import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net, { type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

// A server that speaks PostgreSQL's protocol (https://www.postgresql.org/docs/current/protocol-message-formats.html) and
// has no database: for what a real one can't be made to do.

const SSL_REQUEST = 80_877_103;

const read = (name: string): string => readFileSync(join(import.meta.dirname, 'tls', name), 'utf8');

const message = (type: string, ...parts: readonly (string | Uint8Array)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

export const ready = (status: 'I' | 'T' | 'E'): Buffer => message('Z', status);

export const complete = (tag: string): Buffer => message('C', `${tag}\0`);

/** @param fields - by their letter: `C` the SQLSTATE, `M` the message, `D` the detail, `n` the constraint */
export const errorResponse = (fields: Readonly<Record<string, string>>): Buffer =>
  message('E', ...Object.entries({ S: 'ERROR', ...fields }).map(([key, text]) => `${key}${text}\0`), '\0');

/** A row of one text. */
export const dataRow = (text: string): Buffer =>
  message('D', Buffer.from([0, 1]), int32(Buffer.byteLength(text)), text);

/** The start of a message that announces more bytes than follow. */
export const startOfHugeRow = (bytes: number): Buffer => Buffer.concat([Buffer.from('D'), int32(bytes)]);

/** Describes one column of the type text. */
export const oneColumn = (name: string): Buffer =>
  message('T', Buffer.from([0, 1]), `${name}\0`, Buffer.alloc(6), int32(25), Buffer.alloc(8));

/** Asks for the data of `COPY … FROM STDIN`. */
export const copyInResponse = (): Buffer => message('G', Buffer.alloc(3));

/** What is answered to a statement, before the server is ready again; null for nothing at all. */
export type WireAnswer = (statement: string, socket: Duplex) => Buffer | null | undefined;

interface WireOptions {
  /** Undefined for the usual answer. */
  readonly answer?: WireAnswer;
  /** Those of `ann` that are valid. */
  readonly passwords?: readonly string[];
  readonly tls?: boolean;
  /** Answers nothing from here on. */
  readonly hangsAt?: 'connect' | 'startup' | 'password';
}

export const aWireServer = async ({
  answer = () => undefined,
  passwords = ['right-password'],
  tls = false,
  hangsAt,
}: WireOptions = {}) => {
  const sockets = new Set<Socket>();
  const closings: (() => void)[] = [];
  let closed = 0;
  const statements: string[] = [];
  const tried: string[] = [];
  const hanging = Promise.withResolvers<void>();
  let connections = 0;

  const serve = (socket: Duplex, raw: Socket): void => {
    let buffered = Buffer.alloc(0);
    let isStarted = false;
    let parsed: string | null = null;
    let status: 'I' | 'T' = 'I';
    const reply = (statement: string, isExtended: boolean): void => {
      statements.push(statement);
      if (/^BEGIN/.test(statement)) status = 'T';
      if (/^(COMMIT|ROLLBACK)/.test(statement)) status = 'I';
      const given = answer(statement, socket);
      if (given === null) {
        hanging.resolve();
        return;
      }
      const usual = complete(/^\w+/.exec(statement)?.[0] ?? '');
      const prefix = isExtended ? Buffer.concat([message('1'), message('2')]) : Buffer.alloc(0);
      socket.write(Buffer.concat([prefix, given ?? usual, ready(status)]));
    };
    const take = (type: string, body: Buffer): void => {
      const text = body.toString('utf8').split('\0');
      if (type === 'p') {
        tried.push(text[0] ?? '');
        if (hangsAt === 'password') hanging.resolve();
        else if (passwords.includes(text[0] ?? ''))
          socket.write(Buffer.concat([message('R', int32(0)), ready('I')]));
        else socket.end(errorResponse({ C: '28P01', M: 'password authentication failed' }));
      }
      if (type === 'Q') reply(text[0] ?? '', false);
      if (type === 'P') parsed = text[1] ?? '';
      if (type === 'S' && parsed !== null) {
        reply(parsed, true);
        parsed = null;
      }
    };
    const start = (body: Buffer): void => {
      if (body.readInt32BE(0) === SSL_REQUEST) {
        socket.write(tls ? 'S' : 'N');
        if (!tls) return;
        socket.removeAllListeners('data');
        serve(new TLSSocket(raw, { isServer: true, cert: read('server.pem'), key: read('server.key') }), raw);
      } else {
        isStarted = true;
        if (hangsAt === 'startup') hanging.resolve();
        else socket.write(message('R', int32(3)));
      }
    };
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      if (hangsAt === 'connect') hanging.resolve();
      else buffered = Buffer.concat([buffered, chunk]);
      for (;;) {
        const at = isStarted ? 1 : 0;
        if (buffered.length < at + 4) return;
        const end = at + buffered.readInt32BE(at);
        if (buffered.length < end) return;
        const body = buffered.subarray(at + 4, end);
        const type = buffered.toString('latin1', 0, at);
        buffered = buffered.subarray(end);
        if (isStarted) take(type, body);
        else start(body);
      }
    });
  };

  const server = net.createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      closed += 1;
      for (const check of closings) check();
    });
    serve(socket, socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    statements,
    /** Passwords that were tried. */
    tried,
    /** Resolves when so many connections have been closed. */
    closed: (count: number) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (closed >= count) resolve();
        };
        closings.push(check);
        check();
      }),
    /** Breaks all connections. */
    disconnect: () => {
      for (const socket of sockets) socket.destroy();
    },
    connections: () => connections,
    /** Resolves when the server says nothing more on a connection. */
    hanging: hanging.promise,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};
