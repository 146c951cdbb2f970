import type { TcpClient } from '../contract/tcp-client.ts';

interface LoginOptions {
  readonly tcp: TcpClient;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 10_000;

/** Of a login to a server and nothing more: it ends in time, wherever the server hangs. */
export const toLoginOptions = ({
  tcp,
  signal,
}: LoginOptions): LoginOptions & { readonly timeoutMs: number } => ({
  tcp,
  signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  timeoutMs: TIMEOUT_MS,
});
