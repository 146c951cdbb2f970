/** The client of `pg` without its pool and its native variant: what is used of it, with what a submitted query sees. */
declare module 'pg/lib/client.js' {
  import { EventEmitter } from 'node:events';
  import type { Duplex } from 'node:stream';
  import type { ClientConfig } from 'pg';

  export interface WireConnection extends EventEmitter {
    readonly stream: Duplex;
    parse(statement: { readonly text: string }): void;
    bind(portal: { readonly values: readonly (string | null)[] }): void;
    describe(target: { readonly type: 'P' | 'S' }): void;
    flush(): void;
    execute(portal: { readonly rows: number }): void;
    sync(): void;
  }

  /** Called with the messages of the server, in their order. */
  export interface SubmittedQuery {
    submit(connection: WireConnection): void;
    handleRowDescription(message: {
      readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
    }): void;
    handleDataRow(message: { readonly fields: readonly (string | null)[] }): void;
    handlePortalSuspended(): void;
    handleCommandComplete(message: { readonly text: string }): void;
    handleEmptyQuery(): void;
    handleCopyInResponse(connection: WireConnection): void;
    handleCopyData(): void;
    handleError(error: Error): void;
    handleReadyForQuery(): void;
  }

  export default class Client extends EventEmitter {
    constructor(config: ClientConfig);
    readonly connection: WireConnection;
    connect(): Promise<unknown>;
    query(text: string): Promise<unknown>;
    query(submitted: SubmittedQuery): void;
    /**
     * Status of the transaction: `I` outside of one, `T` in one, `E` in one that has failed; null before the first
     * answer.
     */
    getTransactionStatus(): 'I' | 'T' | 'E' | null;
    end(): Promise<void>;
    ref(): void;
    unref(): void;
  }
}
