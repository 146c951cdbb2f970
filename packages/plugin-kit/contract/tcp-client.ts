import type { Socket } from 'node:net';

/** Where an outbound connection goes. All limits are required, so that no caller can forget them. */
export interface TcpTarget {
  readonly host: string;
  readonly port: number;
  /** Time limit for establishing the connection. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Outbound connections for protocols other than HTTP, to the same addresses that `HttpClient` allows. */
export interface TcpClient {
  /**
   * Opens a connection, which its caller closes. The time limit and the signal do not apply to what follows, and TLS is
   * up to the caller.
   * @throws AppError `OUTBOUND_REFUSED` | `OUTBOUND_FAILED` | `OUTBOUND_TIMEOUT`, or the reason of the aborted signal
   */
  connect(target: TcpTarget): Promise<Socket>;
}
