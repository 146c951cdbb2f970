import type { Socket } from 'node:net';

/** Where an outbound connection goes. All limits are required, so that no caller can forget them. */
export interface TcpTarget {
  readonly host: string;
  readonly port: number;
  /** Until the connection is there. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Outbound connections for protocols other than HTTP, to the same addresses as those of `HttpClient`. */
export interface TcpClient {
  /**
   * Opens a connection, which its caller closes: neither the time limit nor the signal is for what follows. TLS is the
   * caller's as well.
   *
   * @throws AppError `OUTBOUND_REFUSED` | `OUTBOUND_FAILED` | `OUTBOUND_TIMEOUT`, or the reason of the aborted signal
   */
  connect(target: TcpTarget): Promise<Socket>;
}
