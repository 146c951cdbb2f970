/**
 * Loaded into a function's process before anything else, with `--import`: connections to AWS go to the door, whose certificates
 * are trusted. The function itself is unaffected: it has the environment, code and host names of a deployment.
 */
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

const { searchParams } = new URL(import.meta.url);
const port = Number(searchParams.get('port'));
const authority = readFileSync(searchParams.get('ca') ?? '', 'utf8');

setDefaultCACertificates([...getCACertificates('default'), authority]);

/** The method that opens every connection of `net`, `tls`, `http`, `https`, `http2` and `fetch`. */
const { connect } = Socket.prototype;

const isOfAws = ({ host, port }) => /\.amazonaws\.com$/i.test(host ?? '') && Number(port) === 443;

/** Redirects options to the door. They are copied: TLS compares the certificate with the host that they name. */
const toDoor = (options) => ({ ...options, host: '127.0.0.1', port, lookup: undefined });

Socket.prototype.connect = function (...args) {
  const [first] = args;
  if (Array.isArray(first)) {
    // The arguments as `net.connect` has put them in order, with a symbol that marks them.
    if (typeof first[0] === 'object' && isOfAws(first[0])) first[0] = toDoor(first[0]);
  } else if (typeof first === 'object' && first !== null) {
    if (isOfAws(first)) args[0] = toDoor(first);
  } else if (isOfAws({ port: first, host: args[1] })) {
    args[0] = port;
    args[1] = '127.0.0.1';
  }
  return connect.apply(this, args);
};
