import type { TcpClient } from '../contract/tcp-client.ts';

interface LoginOptions {
  readonly tcp: TcpClient;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 10_000;

/** Options for only logging in to a server, which ends in time wherever the server hangs. */
export const toLoginOptions = ({
  tcp,
  signal,
}: LoginOptions): LoginOptions & { readonly timeoutMs: number } => ({
  tcp,
  signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  timeoutMs: TIMEOUT_MS,
});
